package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.server.query.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about a build, without its items having been read: enough to know a question again that was answered
 * before. However a query string spells it, it is the same text.
 *
 * @param items as they were sent, decoded; an item's own text is the key of its answer, so nothing of it is left out
 * @param view always the same of a text, which shows all members
 * @param language the language that types must be of; empty for any
 */
record QueryText(List<String> items, View view, Optional<Language.Family> language, Representation representation) {

    /** What there is. */
    static final Set<Representation> REPRESENTATIONS = Collections.unmodifiableSet(
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.TEXT, Representation.C_HEADER));

    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String LANG = "lang";
    private static final Set<String> OF_QUERY = Set.of(TYPES, VIEW, LANG);
    private static final Set<String> REPEATABLE = Set.of(TYPES);
    private static final Set<String> BESIDE_ITEMS = Set.of(VIEW, LANG);

    QueryText {
        items = List.copyOf(items);
        view = Representation.STRUCTURED.contains(representation) ? view : View.FIELDS;
    }

    /**
     * The text of the question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     * @throws ItemSyntaxException if its items cannot be told apart
     */
    static QueryText ofQuery(@Nullable String query, Representation representation) {
        QueryParameters parameters = QueryParameters.of(query, OF_QUERY, REPEATABLE, TYPES::equals);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw QueryParameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        return of(ItemParser.split(types), parameters.one(VIEW), parameters.one(LANG), representation);
    }

    /**
     * The text of the question that a list of items asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static QueryText ofItems(List<String> items, @Nullable String query, Representation representation) {
        QueryParameters parameters = QueryParameters.of(query, BESIDE_ITEMS, Set.of(), name -> false);
        return of(items, parameters.one(VIEW), parameters.one(LANG), representation);
    }

    /**
     * The text of the question that a list of items asks, one in each text.
     *
     * @param view as parameter {@code view} has it
     * @param language as parameter {@code lang} has it
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static QueryText of(
            List<String> items, Optional<String> view, Optional<String> language, Representation representation) {
        return new QueryText(
                items,
                view.map(QueryText::view).orElse(View.FIELDS),
                language.map(QueryParameters::languageNamed),
                representation);
    }

    /** Characters of all items. */
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
