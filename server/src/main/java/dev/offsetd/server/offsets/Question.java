package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * What is asked about a build. Equal questions have equal answers.
 *
 * @param language the language that types must be of; empty for any
 */
record Question(List<Item> items, View view, Optional<Language.Family> language) {

    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String LANG = "lang";

    Question {
        items = List.copyOf(items);
    }

    /**
     * The question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofQuery(@Nullable String query) {
        Parameters parameters = Parameters.of(query, Set.of(TYPES, VIEW, LANG), Set.of(TYPES), TYPES::equals);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw Parameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        try {
            return of(ItemParser.parseList(types), parameters);
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
        Parameters parameters = Parameters.of(query, Set.of(VIEW, LANG), Set.of(), name -> false);
        try {
            return of(ItemParser.parseEach(items), parameters);
        } catch (ItemSyntaxException e) {
            throw badItem(e);
        }
    }

    private static ProblemException badItem(ItemSyntaxException e) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, "bad_item", "An item cannot be read", String.valueOf(e.getMessage()))
                        .with("item", e.text())
                        .with("itemNumber", e.itemNumber())
                        .with("position", e.position()));
    }

    private static Question of(List<Item> items, Parameters parameters) {
        return new Question(items, parameters.one(VIEW).map(Question::view).orElse(View.FIELDS), parameters.language());
    }

    private static View view(String name) {
        try {
            return View.parse(name);
        } catch (IllegalArgumentException e) {
            throw Parameters.badRequest("bad_view", "Unknown view", String.valueOf(e.getMessage()));
        }
    }
}
