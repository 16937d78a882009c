package dev.offsetd.server.answers.offsets;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Query for the offsets of items of a build. Equal queries have equal answers.
 *
 * @param text as the client sent it
 * @param items parsed from the text
 */
record OffsetsQuery(QueryText text, List<Item> items) {

    OffsetsQuery {
        items = List.copyOf(items);
    }

    /**
     * Parses a query string.
     *
     * @throws ProblemException if it is malformed: 400
     */
    static OffsetsQuery ofQuery(@Nullable String query, QueryText.Negotiation negotiation) {
        return parsed(() -> QueryText.ofQuery(query, negotiation));
    }

    /**
     * Parses a list of items.
     *
     * @param query query string with further parameters
     * @throws ProblemException if it is malformed: 400
     */
    static OffsetsQuery ofItems(List<String> items, @Nullable String query, QueryText.Negotiation negotiation) {
        return parsed(() -> QueryText.ofItems(items, query, negotiation));
    }

    /**
     * Parses a list of items, one per text.
     *
     * @param view value of parameter {@code view}
     * @param map value of parameter {@code map}
     * @param language value of parameter {@code lang}
     * @throws ProblemException if it is malformed: 400
     */
    static OffsetsQuery ofItems(
            List<String> items,
            Optional<String> view,
            Optional<String> map,
            Optional<String> language,
            QueryText.Negotiation negotiation) {
        return parsed(() -> QueryText.of(items, view, map, language, negotiation));
    }

    /** Parses texts with any number of items each, separated by commas. */
    static OffsetsQuery ofLists(
            List<String> lists,
            Optional<String> view,
            Optional<String> map,
            Optional<String> language,
            QueryText.Negotiation negotiation) {
        return parsed(() -> QueryText.of(ItemParser.split(lists), view, map, language, negotiation));
    }

    OffsetsQuery with(Optional<Fallback> fallback) {
        return new OffsetsQuery(text.with(fallback), items);
    }

    View view() {
        return text.view();
    }

    /** Returns the language that types must be of; empty for any. */
    Optional<Language.Family> language() {
        return text.language();
    }

    Representation representation() {
        return text.representation();
    }

    private static OffsetsQuery parsed(Supplier<QueryText> parser) {
        try {
            QueryText text = parser.get();
            return new OffsetsQuery(text, ItemParser.parseEach(text.items()));
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }
}
