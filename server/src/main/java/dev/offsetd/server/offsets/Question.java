package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * What is asked about a build. Equal questions have equal answers.
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
    static Question ofQuery(@Nullable String query) {
        try {
            return of(QuestionText.ofQuery(query));
        } catch (ItemSyntaxException e) {
            throw badItem(e);
        }
    }

    /**
     * The question that a list of items asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofItems(List<String> items, @Nullable String query) {
        try {
            return of(QuestionText.ofItems(items, query));
        } catch (ItemSyntaxException e) {
            throw badItem(e);
        }
    }

    View view() {
        return text.view();
    }

    /** The language that types must be of; empty for any. */
    Optional<Language.Family> language() {
        return text.language();
    }

    private static Question of(QuestionText text) {
        return new Question(text, ItemParser.parseEach(text.items()));
    }

    private static ProblemException badItem(ItemSyntaxException e) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, "bad_item", "An item cannot be read", String.valueOf(e.getMessage()))
                        .with("item", e.text())
                        .with("itemNumber", e.itemNumber())
                        .with("position", e.position()));
    }
}
