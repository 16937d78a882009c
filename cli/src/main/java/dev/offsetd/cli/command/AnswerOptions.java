package dev.offsetd.cli.command;

import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.View;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.query.typeset.UnknownNameMapException;
import dev.offsetd.query.typeset.UnknownTypeSetException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Options of the commands that answer items: format, view, name map and language. */
public final class AnswerOptions {

    private static final Set<OutputFormat> OF_MAPS =
            Collections.unmodifiableSet(EnumSet.of(OutputFormat.YAML, OutputFormat.C, OutputFormat.JSON));

    private final Supplier<@Nullable OutputFormat> format;
    private final Supplier<@Nullable View> view;
    private final Supplier<@Nullable String> map;
    private final Supplier<Language.@Nullable Family> language;

    /** Declares the options of this command. */
    public AnswerOptions(Command command) {
        format = command.choice(
                "-f,--format",
                "FORMAT",
                Command.words(OutputFormat.values()),
                "table (default), text (C with offsets and holes), c (a header), json, yaml (default of --view map), or"
                        + " tracefs or bpftrace (expressions for probes)");
        view = command.choice(
                "-v,--view",
                "VIEW",
                Command.words(View.values()),
                "view of structs with --json: fields, members or flat; or map: a number under each name of a consumer,"
                        + " for one type set");
        map = command.option(
                "-m,--map", "NAME", String.class, "name map of --view map (default: the only one of the type set)");
        language = language(command, "definitions");
    }

    /**
     * Declares the option for a language.
     *
     * @param restricted the things that it restricts
     */
    public static Supplier<Language.@Nullable Family> language(Command command, String restricted) {
        Map<String, Language.Family> words = new LinkedHashMap<>();
        words.put("c", Language.Family.C);
        words.put("c++", Language.Family.CPP);
        words.put("rust", Language.Family.RUST);
        words.put("go", Language.Family.GO);
        return command.choice(
                "-l,--lang", "LANGUAGE", words, "only " + restricted + " in this language: c, c++, rust or go");
    }

    /**
     * Returns the format of the answer.
     *
     * @param json whether the user gives {@code --json}
     * @throws CommandFailure if this format is not one of the view
     */
    public OutputFormat output(boolean json) throws CommandFailure {
        OutputFormat named = format.get();
        if (json && named != null && named != OutputFormat.JSON) {
            throw CommandFailure.usage("--json and --format " + named.name().toLowerCase(Locale.ROOT)
                    + " are both given; expected one of them");
        }
        if (json) {
            return OutputFormat.JSON;
        }
        if (named == null) {
            return isMap() ? OutputFormat.YAML : OutputFormat.TABLE;
        }
        if (isMap() && !OF_MAPS.contains(named)) {
            throw CommandFailure.usage("--format of --view map: expected yaml, c or json");
        }
        if (!isMap() && named == OutputFormat.YAML) {
            throw CommandFailure.usage("--format yaml is for name maps; expected --view map with it");
        }
        return named;
    }

    public @Nullable View view() {
        return view.get();
    }

    /** Returns whether the values of a name map are wanted. */
    public boolean isMap() {
        return view.get() == View.MAP;
    }

    /** Requires that a name map is only named for its view. */
    public void check() throws CommandFailure {
        if (map.get() != null && !isMap()) {
            throw CommandFailure.usage("--map is given without its view; expected --view map");
        }
    }

    /** Returns the name map of {@link View#MAP}; null for the only one of the set. */
    public @Nullable String map() {
        return map.get();
    }

    public Language.@Nullable Family language() {
        return language.get();
    }

    /** Expands the type sets among these items, or the name map. */
    public Expansion expand(List<Item> items, TypeSetSource sets) throws CommandFailure {
        check();
        return isMap() ? expandMap(items, map(), sets) : Items.expand(items, sets);
    }

    /** Expands a name map of the type set that is the only item; an unknown one is a usage error. */
    public static Expansion expandMap(List<Item> items, @Nullable String map, TypeSetSource sets)
            throws CommandFailure {
        try {
            return Expansion.ofMap(items, map, sets);
        } catch (UnknownTypeSetException e) {
            throw CommandFailure.usage(Objects.toString(e.getMessage()));
        } catch (UnknownNameMapException e) {
            throw CommandFailure.usage(e.withOption("--map"));
        }
    }
}
