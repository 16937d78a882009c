package dev.offsetd.cli.file;

import dev.offsetd.cli.command.AnswerOptions;
import dev.offsetd.cli.command.Command;
import dev.offsetd.cli.command.Items;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.cli.terminal.Printable;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.DiffText;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import java.io.IOException;
import java.nio.file.Path;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Help.Ansi.Style;
import tools.jackson.core.JsonGenerator;

/** {@code diff A B ITEMS}: compares the layouts of two builds. */
public final class DiffCommand extends Command {

    private final Supplier<Path> from = parameter("A", Path.class, "old file");
    private final Supplier<Path> to = parameter("B", Path.class, "new file");
    private final Supplier<List<String>> items =
            parameters("ITEMS", false, String.class, "items to compare, separated by commas (default: every type)");
    private final BooleanSupplier json = flag("-j,--json", "print JSON");
    private final Supplier<Language.@Nullable Family> language = AnswerOptions.language(this, "definitions");
    private final Supplier<@Nullable String> map = option(
            "-m,--map", "NAME", String.class, "compare the values of a name map of the type set that ITEMS names");
    private final ReaderOptions reader = new ReaderOptions(this);

    public DiffCommand(Console console) {
        super(console, "Compare the layouts of two builds.");
        examples(
                "offsetd diff libruby-3.3.so libruby-3.4.so",
                "offsetd diff libruby-3.3.so libruby-3.4.so RString,@ruby",
                "offsetd diff php8.4 php8.5 @php --map otel-ebpf-profiler");
        exitCodes(
                "0:no differences",
                "1:differences, or an item is in neither file",
                "2:invalid items",
                "3:a file is unreadable or has no debug information");
    }

    @Override
    public Integer call() throws CommandFailure, IOException {
        String name = map.get();
        if (name != null) {
            return compareMap(AnswerOptions.expandMap(Items.parse(items.get()), name, new BuiltInTypeSets()));
        }
        Expansion query = items.get().isEmpty() ? null : Items.expand(items.get());
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        ExtractionReport before = files.extractAll(from.get());
        ExtractionReport after = files.extractAll(to.get());
        Language.Family family = language.get();
        List<TypeDiff> diffs = query == null
                ? LayoutDiff.ofNames(names(before, after), before.types(), after.types(), family)
                : LayoutDiff.ofItems(query.comparable(), before.types(), after.types(), family);
        List<TypeDiff> expected = query == null ? diffs : DiffWriter.withoutMissing(diffs, query::isOptional);
        boolean same = DiffWriter.isSame(expected);
        if (json.getAsBoolean()) {
            print(before, after, same, json -> {
                json.writeName("types");
                DiffWriter.writeTypes(json, diffs);
            });
        } else {
            print(DiffText.lines(expected), same);
        }
        return same ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    private int compareMap(Expansion query) throws CommandFailure, IOException {
        DebugFileFinder files = reader.filesWithoutMissingUnits(console);
        ExtractionReport before = files.extractAll(from.get());
        ExtractionReport after = files.extractAll(to.get());
        List<NameMap.Change> changes = values(query, before).changes(values(query, after));
        boolean same = changes.isEmpty();
        if (json.getAsBoolean()) {
            print(before, after, same, json -> {
                json.writeName("names");
                NameMapWriter.writeChanges(json, changes);
            });
        } else {
            print(NameMapWriter.changes(changes), same);
        }
        return same ? ExitCode.OK : ExitCode.INCOMPLETE;
    }

    /** @param changes writes a property with what differs */
    private void print(ExtractionReport before, ExtractionReport after, boolean same, JsonOutput.JsonWriter changes) {
        JsonOutput.print(console, json -> {
            json.writeStartObject();
            writeFile(json, "from", before);
            writeFile(json, "to", after);
            json.writeBooleanProperty("same", same);
            changes.writeTo(json);
            json.writeEndObject();
        });
    }

    private void print(List<String> changes, boolean same) throws IOException {
        for (String line : changes) {
            console.println(console.styled(style(line.strip().charAt(0)), Printable.of(line)));
        }
        if (same) {
            console.say("no differences");
        }
    }

    private NameMap.Values values(Expansion query, ExtractionReport report) {
        return query.answer(report.types(), () -> null, language.get()).map().orElseThrow();
    }

    /** The colours of diff(1). */
    private static Style style(char mark) {
        return switch (mark) {
            case '+' -> Style.fg_green;
            case '-' -> Style.fg_red;
            default -> Style.fg_yellow;
        };
    }

    private static Set<String> names(ExtractionReport before, ExtractionReport after) {
        Set<String> names = new HashSet<>();
        for (ExtractionReport report : List.of(before, after)) {
            report.types().definitions().stream()
                    .map(Definition::qualifiedName)
                    .filter(name -> !name.isEmpty())
                    .forEach(names::add);
        }
        return names;
    }

    private static void writeFile(JsonGenerator json, String name, ExtractionReport report) {
        json.writeObjectPropertyStart(name);
        ElfFactsJson.writeTo(json, report.elf());
        json.writeEndObject();
    }
}
