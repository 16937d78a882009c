package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.server.query.QueryParameters;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about a build, and what the answer is to be. Equal questions have equal answers.
 *
 * @param text as it was sent
 * @param items that the text asks for
 */
record OffsetsQuery(QueryText text, List<Item> items) {

    OffsetsQuery {
        items = List.copyOf(items);
    }

    /**
     * The question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static OffsetsQuery ofQuery(@Nullable String query, Representation representation) {
        try {
            return of(QueryText.ofQuery(query, representation));
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }

    /**
     * The question that a list of items asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static OffsetsQuery ofItems(List<String> items, @Nullable String query, Representation representation) {
        try {
            return of(QueryText.ofItems(items, query, representation));
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }

    /**
     * The question that a list of items asks, one in each text.
     *
     * @param view as parameter {@code view} has it
     * @param language as parameter {@code lang} has it
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static OffsetsQuery ofItems(
            List<String> items, Optional<String> view, Optional<String> language, Representation representation) {
        try {
            return of(QueryText.of(items, view, language, representation));
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }

    /** The same, with any number of items in each text, separated by commas. */
    static OffsetsQuery ofLists(
            List<String> lists, Optional<String> view, Optional<String> language, Representation representation) {
        try {
            return of(QueryText.of(ItemParser.split(lists), view, language, representation));
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }

    View view() {
        return text.view();
    }

    /** The language that types must be of; empty for any. */
    Optional<Language.Family> language() {
        return text.language();
    }

    Representation representation() {
        return text.representation();
    }

    private static OffsetsQuery of(QueryText text) {
        return new OffsetsQuery(text, ItemParser.parseEach(text.items()));
    }
}
