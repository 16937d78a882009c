package dev.offsetd.cli;

import com.google.re2j.Pattern;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.query.resolve.ExpressionSyntaxException;
import dev.offsetd.query.resolve.OffsetExpression;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.query.typeset.BuiltInTypeSets;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.TypeSetSource;
import dev.offsetd.query.typeset.UnknownNameMapException;
import dev.offsetd.query.typeset.UnknownTypeSetException;
import java.net.URI;
import java.nio.file.FileSystems;
import java.nio.file.PathMatcher;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.regex.PatternSyntaxException;
import java.util.stream.Collectors;

/** Parsers of arguments; each throws a {@linkplain ExitCode#USAGE usage error} for text that it does not understand. */
final class Arguments {

    private static final int MAX_THREADS = 1024;
    private static final int MAX_LEVELS = 20;

    private Arguments() {}

    /** Returns the given number, or that of this machine's processors. */
    static int threads(Optional<Integer> given) throws CommandFailure {
        int threads = given.orElseGet(() -> Runtime.getRuntime().availableProcessors());
        if (threads < 1 || threads > MAX_THREADS) {
            throw usage("--threads is " + threads + "; expected 1 to " + MAX_THREADS);
        }
        return threads;
    }

    static int levels(int levels) throws CommandFailure {
        if (levels < 0 || levels > MAX_LEVELS) {
            throw usage("--expand is " + levels + "; expected 0 to " + MAX_LEVELS);
        }
        return levels;
    }

    static Duration patience(long seconds) throws CommandFailure {
        if (seconds < 0 || seconds > Duration.ofDays(1).toSeconds()) {
            throw usage("--wait is " + seconds + "; expected 0 to 86400 seconds");
        }
        return Duration.ofSeconds(seconds);
    }

    static Optional<Language.Family> language(Optional<String> name) throws CommandFailure {
        if (name.isEmpty()) {
            return Optional.empty();
        }
        return switch (name.get().toLowerCase(Locale.ROOT)) {
            case "c" -> Optional.of(Language.Family.C);
            case "c++" -> Optional.of(Language.Family.CPP);
            case "rust" -> Optional.of(Language.Family.RUST);
            case "go" -> Optional.of(Language.Family.GO);
            default -> throw usage("--lang is " + HostileText.quote(name.get()) + "; expected c, c++, rust or go");
        };
    }

    static List<Item> items(List<String> words) throws CommandFailure {
        try {
            return ItemParser.parseList(words);
        } catch (ItemSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    static Expansion expand(List<Item> items) throws CommandFailure {
        return expand(items, new BuiltInTypeSets());
    }

    static Expansion expand(List<Item> items, TypeSetSource sets) throws CommandFailure {
        try {
            return Expansion.of(items, sets);
        } catch (UnknownTypeSetException | ItemSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    static Expansion expandMap(List<Item> items, Optional<String> map) throws CommandFailure {
        return expandMap(items, map, new BuiltInTypeSets());
    }

    static Expansion expandMap(List<Item> items, Optional<String> map, TypeSetSource sets) throws CommandFailure {
        try {
            return Expansion.ofMap(items, map.orElse(null), sets);
        } catch (UnknownTypeSetException | UnknownNameMapException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    /** Requires that a name map is only named for its view. */
    static void requireMapView(Optional<String> map, Optional<View> view) throws CommandFailure {
        if (map.isPresent() && !view.equals(Optional.of(View.MAP))) {
            throw usage("--map is given without its view; expected --view map");
        }
    }

    static RequestedNames wanted(List<Item> items) {
        Set<String> types =
                items.stream().flatMap(item -> item.typeNames().stream()).collect(Collectors.toSet());
        Set<String> enumerators =
                items.stream().flatMap(item -> item.enumeratorNames().stream()).collect(Collectors.toSet());
        return new RequestedNames(types, enumerators);
    }

    static OffsetExpression expression(String text) throws CommandFailure {
        try {
            return OffsetExpression.parse(text);
        } catch (ExpressionSyntaxException e) {
            throw usage(Objects.toString(e.getMessage()));
        }
    }

    static SymbolPattern pattern(String name) throws CommandFailure {
        if (name.isEmpty()) {
            throw usage("NAMES: a name is empty");
        }
        try {
            return SymbolPattern.of(name);
        } catch (IllegalArgumentException e) {
            throw usage("NAMES: " + e.getMessage());
        }
    }

    static long address(String text) throws CommandFailure {
        // parseUnsignedLong alone would accept a sign.
        if (!Pattern.matches("0x[0-9A-Fa-f]{1,16}", text)) {
            throw usage("--addresses: " + HostileText.quote(text) + "; expected 0x and up to 16 hexadecimal digits");
        }
        return Long.parseUnsignedLong(text.substring(2), 16);
    }

    static BuildId buildId(String text) throws CommandFailure {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw usage("build-id " + HostileText.quote(text) + ": " + e.getMessage());
        }
    }

    /** Returns the URL of a server; {@code http://} may be omitted. */
    static URI server(String text) throws CommandFailure {
        String expectation = "; expected HOST:PORT, http://HOST:PORT or https://HOST";
        try {
            URI url = URI.create(text.contains("://") ? text : "http://" + text);
            if (url.getHost() == null
                    || !Set.of("http", "https").contains(url.getScheme())
                    || url.getQuery() != null
                    || url.getFragment() != null) {
                throw usage("URL " + HostileText.quote(text) + expectation);
            }
            return url;
        } catch (IllegalArgumentException e) {
            throw usage("URL " + HostileText.quote(text) + expectation);
        }
    }

    static List<PathMatcher> fileNames(List<String> globs) throws CommandFailure {
        List<PathMatcher> matchers = new ArrayList<>();
        for (String glob : globs) {
            try {
                matchers.add(FileSystems.getDefault().getPathMatcher("glob:" + glob));
            } catch (PatternSyntaxException e) {
                throw usage("--name " + HostileText.quote(glob) + ": " + e.getDescription());
            }
        }
        return matchers;
    }

    static CommandFailure usage(String message) {
        return new CommandFailure(ExitCode.USAGE, message);
    }
}
