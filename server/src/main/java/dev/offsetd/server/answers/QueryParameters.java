package dev.offsetd.server.answers;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.TooManyItemsException;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** Parameters of a query string: known ones only, each once unless it is repeatable. */
public final class QueryParameters {

    /** Items, separated by commas. */
    public static final String TYPES = "types";

    public static final String LANG = "lang";

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
     * Parses a query string.
     *
     * @param query undecoded; null if absent
     * @param known names of the parameters
     * @param repeatable names that may occur more than once
     * @throws ProblemException if it is malformed, or a parameter is unknown or repeated: 400
     */
    public static QueryParameters of(@Nullable String query, Set<String> known, Set<String> repeatable) {
        // A + is a space in items only: addresses and symbols have none, and expressions add offsets.
        return new QueryParameters(QueryString.parse(query, known, repeatable, TYPES::equals));
    }

    /** Returns the parameters with these values, each once. */
    public static QueryParameters of(Map<String, String> values) {
        Map<String, List<String>> lists = new LinkedHashMap<>();
        values.forEach((name, value) -> lists.put(name, List.of(value)));
        return new QueryParameters(lists);
    }

    /** Returns all values of a parameter, in order. */
    public List<String> all(String name) {
        return List.copyOf(values.getOrDefault(name, List.of()));
    }

    /** Returns the value of a parameter that occurs at most once. */
    public Optional<String> one(String name) {
        List<String> given = values.get(name);
        return given == null ? Optional.empty() : Optional.of(given.getFirst());
    }

    /**
     * Returns the value of a parameter that is true or false, and false if it is not given.
     *
     * @param code of the problem with another value
     * @throws ProblemException if it has another value: 400
     */
    public boolean flag(String name, String code) {
        String word = one(name).orElse("false");
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw ProblemException.badRequest(
                        code,
                        "Unknown value of " + name,
                        name + " is " + HostileText.quote(word) + "; expected true or false");
        };
    }

    /**
     * Returns the texts of the items of parameter {@link #TYPES}.
     *
     * @throws ProblemException if there are none, or they cannot be separated: 400; if there are too many: 413
     */
    public List<String> items() {
        List<String> lists = all(TYPES);
        if (lists.isEmpty()) {
            throw ProblemException.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        return split(lists);
    }

    /** Splits texts with items that commas separate; 400 if they cannot be separated, 413 if there are too many. */
    public static List<String> split(List<String> lists) {
        try {
            return ItemParser.split(lists);
        } catch (ItemSyntaxException e) {
            throw badItem(e);
        }
    }

    /** Parses items, one of each text; 400 if one is malformed, 413 if there are too many. */
    public static List<Item> parse(List<String> items) {
        try {
            return ItemParser.parseEach(items);
        } catch (ItemSyntaxException e) {
            throw badItem(e);
        }
    }

    /**
     * Returns the language that types must be of: parameter {@link #LANG}.
     *
     * @return null for any
     * @throws ProblemException if the language is unknown: 400
     */
    public Language.@Nullable Family language() {
        return one(LANG).map(QueryParameters::languageNamed).orElse(null);
    }

    /** Returns the language of this name; 400 if it is unknown. */
    public static Language.Family languageNamed(String name) {
        Language.Family family = LANGUAGES.get(name);
        if (family == null) {
            throw ProblemException.badRequest(
                    "bad_language",
                    "Unknown language",
                    "lang is " + HostileText.quote(name) + "; expected "
                            + String.join(
                                    ", ", LANGUAGES.keySet().stream().sorted().toList()));
        }
        return family;
    }

    private static ProblemException badItem(ItemSyntaxException e) {
        if (e instanceof TooManyItemsException) {
            return TypeSets.tooManyItems(e, ItemParser.MAX_ITEMS);
        }
        return ProblemException.badRequest("bad_item", "An item cannot be read", String.valueOf(e.getMessage()))
                .with("item", e.text())
                .with("itemNumber", e.itemNumber())
                .with("position", e.position());
    }
}
