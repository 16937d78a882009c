package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.Collections;
import java.util.EnumSet;
import java.util.HashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Query for the offsets of items whose items are not parsed: enough to find its answer in the cache. All spellings of a
 * query string have the same text.
 *
 * @param items as sent, decoded; the text of an item is the key of its answer
 * @param view always {@link View#FIELDS} for text representations of layouts, which show all members
 * @param map the name map of {@link View#MAP}; empty for the only one of the set
 * @param language that types must be of; empty for any
 * @param fallback the client's consent to an answer by consensus; empty for exact answers only
 */
record QueryText(
        List<String> items,
        View view,
        Optional<String> map,
        Optional<Language.Family> language,
        Representation representation,
        Optional<Fallback> fallback) {

    private static final Set<Representation> OF_LAYOUTS = Collections.unmodifiableSet(
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.TEXT, Representation.C_HEADER));

    private static final Set<Representation> OF_MAPS = Collections.unmodifiableSet(
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.YAML, Representation.C_HEADER));

    /** Chooses the representation of an answer. */
    @FunctionalInterface
    interface Negotiation {

        /**
         * Chooses one of those that the server offers.
         *
         * @throws ProblemException if the client accepts none of them: 406
         */
        Representation choose(Set<Representation> offered);
    }

    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String MAP = "map";
    private static final String LANG = "lang";
    private static final Set<String> BODY_PARAMETERS = with(Fallback.PARAMETERS, VIEW, MAP, LANG, ClaimedNames.NAME);
    private static final Set<String> QUERY_PARAMETERS = with(BODY_PARAMETERS, TYPES);
    private static final Set<String> REPEATABLE = Set.of(TYPES);

    QueryText {
        items = List.copyOf(items);
        view = Representation.STRUCTURED.contains(representation) || view == View.MAP ? view : View.FIELDS;
    }

    /**
     * Splits a query string.
     *
     * @throws ProblemException if it is malformed: 400
     * @throws ItemSyntaxException if its items cannot be separated
     */
    static QueryText ofQuery(@Nullable String query, Negotiation negotiation) {
        QueryParameters parameters = QueryParameters.of(query, QUERY_PARAMETERS, REPEATABLE, TYPES::equals);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw QueryParameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        return of(ItemParser.split(types), parameters, negotiation);
    }

    /**
     * Returns the text of a list of items.
     *
     * @param query query string with further parameters
     * @throws ProblemException if it is malformed: 400
     */
    static QueryText ofItems(List<String> items, @Nullable String query, Negotiation negotiation) {
        QueryParameters parameters = QueryParameters.of(query, BODY_PARAMETERS, Set.of(), name -> false);
        return of(items, parameters, negotiation);
    }

    private static QueryText of(List<String> items, QueryParameters parameters, Negotiation negotiation) {
        return of(items, parameters.one(VIEW), parameters.one(MAP), parameters.one(LANG), negotiation)
                .with(Fallback.of(parameters::one));
    }

    /**
     * Returns the text of a list of items, one per text.
     *
     * @param view value of parameter {@code view}
     * @param map value of parameter {@code map}
     * @param language value of parameter {@code lang}
     * @throws ProblemException if a parameter is invalid: 400
     */
    static QueryText of(
            List<String> items,
            Optional<String> view,
            Optional<String> map,
            Optional<String> language,
            Negotiation negotiation) {
        View parsed = view.map(QueryText::view).orElse(View.FIELDS);
        if (map.isPresent() && parsed != View.MAP) {
            throw QueryParameters.badRequest(
                    "bad_view", "Unknown view", "map is for view=map; view is " + parsed.word());
        }
        return new QueryText(
                items,
                parsed,
                map,
                language.map(QueryParameters::languageNamed),
                negotiation.choose(parsed == View.MAP ? OF_MAPS : OF_LAYOUTS),
                Optional.empty());
    }

    private static Set<String> with(Set<String> names, String... others) {
        Set<String> all = new HashSet<>(names);
        all.addAll(List.of(others));
        return Set.copyOf(all);
    }

    QueryText with(Optional<Fallback> other) {
        return other.equals(fallback) ? this : new QueryText(items, view, map, language, representation, other);
    }

    /** Returns the query whose answer is the exact one. */
    QueryText exact() {
        return with(Optional.empty());
    }

    /** Returns the number of characters of all items. */
    int length() {
        return items.stream().mapToInt(String::length).sum();
    }

    private static View view(String name) {
        try {
            return View.parse(name);
        } catch (IllegalArgumentException e) {
            throw QueryParameters.badRequest("bad_view", "Unknown view", String.valueOf(e.getMessage()));
        }
    }
}
