package dev.offsetd.server.offsets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.item.Item;
import dev.offsetd.extractor.item.ItemParser;
import dev.offsetd.extractor.item.ItemSyntaxException;
import dev.offsetd.extractor.item.View;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
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
    private static final Map<String, Language.Family> LANGUAGES = Map.of(
            "c", Language.Family.C,
            "c++", Language.Family.CPP,
            "cpp", Language.Family.CPP,
            "rust", Language.Family.RUST,
            "go", Language.Family.GO);

    Question {
        items = List.copyOf(items);
    }

    /**
     * The question that a query string asks.
     *
     * @throws ProblemException if it cannot be read: 400, with the place
     */
    static Question ofQuery(@Nullable String query) {
        Parameters parameters = Parameters.of(query, Set.of(TYPES, VIEW, LANG));
        if (parameters.types().isEmpty()) {
            throw badRequest("missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        try {
            return parameters.question(ItemParser.parseList(parameters.types()));
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
        Parameters parameters = Parameters.of(query, Set.of(VIEW, LANG));
        try {
            return parameters.question(ItemParser.parseEach(items));
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

    private static ProblemException badRequest(String code, String title, String detail) {
        return new ProblemException(Problem.of(HttpStatus.BAD_REQUEST, code, title, detail));
    }

    private record Parameters(List<String> types, Map<String, String> others) {

        static Parameters of(@Nullable String query, Set<String> known) {
            List<String> types = new ArrayList<>();
            Map<String, String> others = new HashMap<>();
            try {
                for (QueryString.Parameter parameter : QueryString.parse(query, TYPES::equals)) {
                    if (!known.contains(parameter.name())) {
                        throw badRequest(
                                "unknown_parameter",
                                "Unknown parameter",
                                "parameter " + HostileText.quote(parameter.name()) + "; expected "
                                        + String.join(
                                                ", ", known.stream().sorted().toList()));
                    }
                    if (parameter.name().equals(TYPES)) {
                        types.add(parameter.value());
                    } else if (others.put(parameter.name(), parameter.value()) != null) {
                        throw badRequest(
                                "repeated_parameter",
                                "Repeated parameter",
                                "parameter " + parameter.name() + " is given twice; expected once");
                    }
                }
            } catch (MalformedQueryException e) {
                throw badRequest("bad_query", "The query string cannot be read", String.valueOf(e.getMessage()));
            }
            return new Parameters(types, others);
        }

        Question question(List<Item> items) {
            return new Question(items, view(), language());
        }

        private View view() {
            String name = others.get(VIEW);
            try {
                return name == null ? View.FIELDS : View.parse(name);
            } catch (IllegalArgumentException e) {
                throw badRequest("bad_view", "Unknown view", String.valueOf(e.getMessage()));
            }
        }

        private Optional<Language.Family> language() {
            String name = others.get(LANG);
            if (name == null) {
                return Optional.empty();
            }
            Language.Family family = LANGUAGES.get(name);
            if (family == null) {
                throw badRequest(
                        "bad_language",
                        "Unknown language",
                        "lang is " + HostileText.quote(name) + "; expected "
                                + String.join(
                                        ", ",
                                        LANGUAGES.keySet().stream().sorted().toList()));
            }
            return Optional.of(family);
        }
    }
}
