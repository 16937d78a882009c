package dev.offsetd.server.offsets;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.View;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about a build, and what the answer is to be. Equal questions have equal answers.
 *
 * @param text as it was sent
 * @param items that the text asks for
 */
record Question(QuestionText text, List<Item> items) {

    Question {
        items = List.copyOf(items);
    }

    /**
     * The question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofQuery(@Nullable String query, Form form) {
        try {
            return of(QuestionText.ofQuery(query, form));
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    /**
     * The question that a list of items asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofItems(List<String> items, @Nullable String query, Form form) {
        try {
            return of(QuestionText.ofItems(items, query, form));
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    /**
     * The question that a list of items asks, one in each text.
     *
     * @param view as parameter {@code view} has it
     * @param language as parameter {@code lang} has it
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofItems(List<String> items, Optional<String> view, Optional<String> language, Form form) {
        try {
            return of(QuestionText.of(items, view, language, form));
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    /** The same, with any number of items in each text, separated by commas. */
    static Question ofLists(List<String> lists, Optional<String> view, Optional<String> language, Form form) {
        try {
            return of(QuestionText.of(ItemParser.split(lists), view, language, form));
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    View view() {
        return text.view();
    }

    /** The language that types must be of; empty for any. */
    Optional<Language.Family> language() {
        return text.language();
    }

    Form form() {
        return text.form();
    }

    private static Question of(QuestionText text) {
        return new Question(text, ItemParser.parseEach(text.items()));
    }
}
