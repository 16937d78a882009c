package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.TracerText;
import dev.offsetd.query.item.View;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.consensus.Fallback;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;

/**
 * Query for the offsets of items of a build. All spellings of a query are equal, and equal queries have equal answers. Items are
 * not parsed until an answer is made: the text of an item is the key of its answer.
 *
 * @param items as sent, decoded
 * @param view always {@link View#FIELDS} for text representations of layouts, which show all members
 * @param map the name map of {@link View#MAP}; null for the only one of the set
 * @param language that types must be of; null for any
 * @param base the address of the object in expressions of tracers; null for the usual one, and in other representations
 * @param fallback the client's consent to an answer by consensus; null for exact answers only
 */
record OffsetsQuery(
        List<String> items,
        View view,
        @Nullable String map,
        Language.@Nullable Family language,
        Representation representation,
        @Nullable String base,
        @Nullable Fallback fallback) {

    static final String VIEW = "view";
    static final String MAP = "map";
    static final String BASE = "base";

    private static final Set<Representation> OF_TRACERS =
            Collections.unmodifiableSet(EnumSet.of(Representation.TRACEFS, Representation.BPFTRACE));

    private static final Set<Representation> OF_LAYOUTS = Collections.unmodifiableSet(EnumSet.of(
            Representation.JSON,
            Representation.CBOR,
            Representation.TEXT,
            Representation.C_HEADER,
            Representation.TRACEFS,
            Representation.BPFTRACE));

    private static final Set<Representation> OF_MAPS = Collections.unmodifiableSet(
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.YAML, Representation.C_HEADER));

    private static final Set<String> BODY_PARAMETERS =
            with(Fallback.PARAMETERS, VIEW, MAP, BASE, QueryParameters.LANG, BuildRequest.NAME);
    private static final Set<String> PARAMETERS = with(BODY_PARAMETERS, QueryParameters.TYPES);

    OffsetsQuery {
        items = List.copyOf(items);
        view = Representation.STRUCTURED.contains(representation) || view == View.MAP ? view : View.FIELDS;
        base = OF_TRACERS.contains(representation) ? base : null;
    }

    /**
     * Reads the query of a GET.
     *
     * @throws ProblemException if it is malformed (400), or the client accepts no representation of the answer (406)
     */
    static OffsetsQuery of(HttpServletRequest request) {
        return of(request.getQueryString(), accepted(request));
    }

    /** @param accept as in {@link #of(List, QueryParameters, List)} */
    static OffsetsQuery of(@Nullable String query, List<String> accept) {
        QueryParameters parameters = QueryParameters.of(query, PARAMETERS, Set.of(QueryParameters.TYPES));
        return of(parameters.items(), parameters, accept);
    }

    /**
     * Reads the query of a POST.
     *
     * @param items in its body
     * @throws ProblemException as {@link #of(HttpServletRequest)}
     */
    static OffsetsQuery ofItems(List<String> items, HttpServletRequest request) {
        QueryParameters parameters = QueryParameters.of(request.getQueryString(), BODY_PARAMETERS, Set.of());
        return of(items, parameters, accepted(request));
    }

    /**
     * Returns the query for items.
     *
     * @param parameters the others of the query
     * @param accept values of the {@code Accept} headers; none for JSON
     * @throws ProblemException as {@link #of(HttpServletRequest)}
     */
    static OffsetsQuery of(List<String> items, QueryParameters parameters, List<String> accept) {
        View view = parameters.one(VIEW).map(OffsetsQuery::view).orElse(View.FIELDS);
        String map = parameters.one(MAP).orElse(null);
        if (map != null && view != View.MAP) {
            throw ProblemException.badRequest(
                    "bad_view", "Unknown view", "map is for view=map; view is " + view.word());
        }
        String base = parameters.one(BASE).orElse(null);
        if (base != null && !TracerText.isBase(base)) {
            throw ProblemException.badRequest(
                    "bad_base",
                    "Malformed base",
                    "base is " + HostileText.quote(base) + "; " + TracerText.EXPECTED_BASE);
        }
        Language.Family language = parameters.language();
        Representation representation = Representation.of(accept, view == View.MAP ? OF_MAPS : OF_LAYOUTS);
        return new OffsetsQuery(items, view, map, language, representation, base, Fallback.of(parameters));
    }

    private static List<String> accepted(HttpServletRequest request) {
        return Collections.list(request.getHeaders(HttpHeaders.ACCEPT));
    }

    private static Set<String> with(Set<String> names, String... others) {
        return Stream.concat(names.stream(), Stream.of(others)).collect(Collectors.toUnmodifiableSet());
    }

    /** Returns the query whose answer is the exact one. */
    OffsetsQuery exact() {
        return fallback == null ? this : new OffsetsQuery(items, view, map, language, representation, base, null);
    }

    /** Returns the number of characters of all items. */
    int length() {
        return items.stream().mapToInt(String::length).sum();
    }

    private static View view(String name) {
        try {
            return View.parse(name);
        } catch (IllegalArgumentException e) {
            throw ProblemException.badRequest("bad_view", "Unknown view", String.valueOf(e.getMessage()));
        }
    }
}
