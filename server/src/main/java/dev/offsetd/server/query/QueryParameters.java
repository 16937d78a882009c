package dev.offsetd.server.query;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/** The parameters of a question: only known ones, each once unless it may repeat. */
public final class QueryParameters {

    private static final String LANG = "lang";
    private static final Map<String, Language.Family> LANGUAGES = Map.of(
            "c", Language.Family.C,
            "c++", Language.Family.CPP,
            "cpp", Language.Family.CPP,
            "rust", Language.Family.RUST,
            "go", Language.Family.GO);

    private final Map<String, List<String>> values;

    private QueryParameters(Map<String, List<String>> values) {
        this.values = values;
    }

    /**
     * What a query string says.
     *
     * @param query as it came; null if there is none
     * @param known names of the parameters that there are
     * @param repeatable which of them may be given more than once
     * @param plusIsSpace in which of them a {@code +} is a space
     * @throws ProblemException if it cannot be read, names another parameter, or repeats one: 400, with the place
     */
    public static QueryParameters of(
            @Nullable String query, Set<String> known, Set<String> repeatable, Predicate<String> plusIsSpace) {
        Map<String, List<String>> values = new LinkedHashMap<>();
        for (QueryString.Parameter parameter : QueryString.parse(query, plusIsSpace)) {
            String name = parameter.name();
            if (!known.contains(name)) {
                throw badRequest(
                        "unknown_parameter",
                        "Unknown parameter",
                        "parameter " + HostileText.quote(name) + "; expected "
                                + String.join(", ", known.stream().sorted().toList()));
            }
            List<String> given = values.computeIfAbsent(name, ignored -> new ArrayList<>());
            if (!given.isEmpty() && !repeatable.contains(name)) {
                throw badRequest(
                        "repeated_parameter",
                        "Repeated parameter",
                        "parameter " + name + " is given twice; expected once");
            }
            given.add(parameter.value());
        }
        return new QueryParameters(values);
    }

    /** Every value of a parameter, in order; none if it is not given. */
    public List<String> all(String name) {
        return List.copyOf(values.getOrDefault(name, List.of()));
    }

    /** The value of a parameter that is given once at most. */
    public Optional<String> one(String name) {
        return all(name).stream().findFirst();
    }

    /**
     * The language that types must be of: parameter {@code lang}.
     *
     * @return empty for any
     * @throws ProblemException if there is no such language: 400
     */
    public Optional<Language.Family> language() {
        return one(LANG).map(QueryParameters::languageNamed);
    }

    /**
     * The language of this name.
     *
     * @throws ProblemException if there is none: 400
     */
    public static Language.Family languageNamed(String name) {
        Language.Family family = LANGUAGES.get(name);
        if (family == null) {
            throw badRequest(
                    "bad_language",
                    "Unknown language",
                    "lang is " + HostileText.quote(name) + "; expected "
                            + String.join(
                                    ", ", LANGUAGES.keySet().stream().sorted().toList()));
        }
        return family;
    }

    /** The problem of an item that cannot be read. */
    public static ProblemException badItem(ItemSyntaxException e) {
        return new ProblemException(
                Problem.of(HttpStatus.BAD_REQUEST, "bad_item", "An item cannot be read", String.valueOf(e.getMessage()))
                        .with("item", e.text())
                        .with("itemNumber", e.itemNumber())
                        .with("position", e.position()));
    }

    /** The problem of a question that cannot be read. */
    public static ProblemException badRequest(String code, String title, String detail) {
        return new ProblemException(Problem.of(HttpStatus.BAD_REQUEST, code, title, detail));
    }
}
