package dev.offsetd.server.offsets;

import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.web.Form;
import dev.offsetd.server.web.ProblemException;
import java.util.Collections;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * What is asked about a build, and what the answer is to be. Equal questions have equal answers.
 *
 * @param view always the same of a text, which shows all members
 * @param language the language that types must be of; empty for any
 */
record Question(List<Item> items, View view, Optional<Language.Family> language, Form form) {

    /** What there is. */
    static final Set<Form> FORMS =
            Collections.unmodifiableSet(EnumSet.of(Form.JSON, Form.CBOR, Form.TEXT, Form.C_HEADER));

    private static final String TYPES = "types";
    private static final String VIEW = "view";
    private static final String LANG = "lang";

    Question {
        items = List.copyOf(items);
        view = Form.STRUCTURED.contains(form) ? view : View.FIELDS;
    }

    /**
     * The question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofQuery(@Nullable String query, Form form) {
        Parameters parameters = Parameters.of(query, Set.of(TYPES, VIEW, LANG), Set.of(TYPES), TYPES::equals);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw Parameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        return ofLists(types, parameters.one(VIEW), parameters.one(LANG), form);
    }

    /**
     * The question that a list of items asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofItems(List<String> items, @Nullable String query, Form form) {
        Parameters parameters = Parameters.of(query, Set.of(VIEW, LANG), Set.of(), name -> false);
        return ofItems(items, parameters.one(VIEW), parameters.one(LANG), form);
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
            return of(ItemParser.parseEach(items), view, language, form);
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    /** The same, with any number of items in each text, separated by commas. */
    static Question ofLists(List<String> lists, Optional<String> view, Optional<String> language, Form form) {
        try {
            return of(ItemParser.parseList(lists), view, language, form);
        } catch (ItemSyntaxException e) {
            throw Parameters.badItem(e);
        }
    }

    private static Question of(List<Item> items, Optional<String> view, Optional<String> language, Form form) {
        return new Question(
                items, view.map(Question::view).orElse(View.FIELDS), language.map(Parameters::languageNamed), form);
    }

    private static View view(String name) {
        try {
            return View.parse(name);
        } catch (IllegalArgumentException e) {
            throw Parameters.badRequest("bad_view", "Unknown view", String.valueOf(e.getMessage()));
        }
    }
}
