package dev.offsetd.server.exports;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.query.export.NameStyle;
import dev.offsetd.query.item.Item;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Query for an export of a build.
 *
 * @param lists items as sent, several in each text
 * @param items parsed from them; empty for all types
 * @param relocated types that a BPF program relocates, instead of items; null if the query has no program
 * @param base kernel whose types the export has, too; null if there is none
 */
record ExportQuery(
        ServedFormat format,
        List<String> lists,
        List<Item> items,
        @Nullable Set<NamedShape> relocated,
        NameStyle names,
        @Nullable BuildId base) {

    private static final String NAMES = "names";
    private static final String BASE = "base";

    ExportQuery {
        lists = List.copyOf(lists);
        items = List.copyOf(items);
    }

    /**
     * Parses a query string. ISF has no names of C and no base.
     *
     * @param keys resolves the keys of builds
     * @throws ProblemException if it is malformed: 400
     */
    static ExportQuery of(ServedFormat format, @Nullable String query, Function<String, BuildId> keys) {
        Set<String> known = format == ServedFormat.ISF
                ? Set.of(QueryParameters.TYPES, BuildRequest.NAME)
                : Set.of(QueryParameters.TYPES, NAMES, BASE, BuildRequest.NAME);
        return of(format, QueryParameters.of(query, known, Set.of(QueryParameters.TYPES)), null, keys);
    }

    /**
     * Parses a query string for the BTF that a BPF program needs.
     *
     * @param relocated types that it relocates
     * @param keys resolves the keys of builds
     * @throws ProblemException if it is malformed: 400
     */
    static ExportQuery ofProgram(Set<NamedShape> relocated, @Nullable String query, Function<String, BuildId> keys) {
        QueryParameters parameters = QueryParameters.of(query, Set.of(NAMES, BASE, BuildRequest.NAME), Set.of());
        return of(ServedFormat.BTF, parameters, relocated, keys);
    }

    private static ExportQuery of(
            ServedFormat format,
            QueryParameters parameters,
            @Nullable Set<NamedShape> relocated,
            Function<String, BuildId> keys) {
        List<String> lists = parameters.all(QueryParameters.TYPES);
        return new ExportQuery(
                format,
                lists,
                lists.isEmpty() ? List.of() : QueryParameters.parse(parameters.items()),
                relocated,
                parameters.one(NAMES).map(ExportQuery::style).orElse(NameStyle.SPELLED),
                parameters.one(BASE).map(keys).orElse(null));
    }

    private static NameStyle style(String word) {
        return Stream.of(NameStyle.values())
                .filter(style -> word(style).equals(word))
                .findFirst()
                .orElseThrow(() -> ProblemException.badRequest(
                        "bad_names",
                        "Unknown style of names",
                        "names is " + HostileText.quote(word) + "; expected spelled or c"));
    }

    private static String word(NameStyle style) {
        return style.name().toLowerCase(Locale.ROOT);
    }

    /** Returns the query string that asks for the same, with the question mark; empty if there are no parameters. */
    String text() {
        List<String> parameters = new ArrayList<>();
        lists.forEach(
                list -> parameters.add(QueryParameters.TYPES + "=" + URLEncoder.encode(list, StandardCharsets.UTF_8)));
        if (names != NameStyle.SPELLED) {
            parameters.add(NAMES + "=" + word(names));
        }
        if (base != null) {
            parameters.add(BASE + "=" + base);
        }
        return parameters.isEmpty() ? "" : "?" + String.join("&", parameters);
    }
}
