package dev.offsetd.server.answers.symbols;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.server.answers.ClaimedNames;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;

/**
 * Query for symbols of a build by name and by address, without duplicates.
 *
 * @param names patterns by the text that the client sent
 * @param addresses ELF virtual addresses by the text that the client sent
 * @param family whether variants that compilers derive from functions of these names match too
 */
record SymbolQuery(Map<String, SymbolPattern> names, Map<String, Long> addresses, boolean family) {

    /** Limit of names, and of addresses, in one query. */
    static final int MAX_EACH = 1_000;

    static final String NAMES = "names";
    static final String ADDRESSES = "addresses";
    private static final String FAMILY = "family";

    private static final Pattern ADDRESS = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

    /**
     * Parses a query string.
     *
     * @throws ProblemException if it is malformed: 400; if it has too many names or addresses: 413
     */
    static SymbolQuery ofQuery(@Nullable String query) {
        QueryParameters parameters = QueryParameters.of(
                query,
                Set.of(NAMES, ADDRESSES, FAMILY, ClaimedNames.NAME),
                Set.of(NAMES, ADDRESSES),
                parameter -> false);
        return of(split(parameters.all(NAMES)), split(parameters.all(ADDRESSES)), parameters);
    }

    /**
     * Parses the lists of a body.
     *
     * @param query query string with further parameters
     * @throws ProblemException if they are malformed: 400; if they are too long: 413
     */
    static SymbolQuery ofLists(List<String> names, List<String> addresses, @Nullable String query) {
        return of(
                names,
                addresses,
                QueryParameters.of(query, Set.of(FAMILY, ClaimedNames.NAME), Set.of(), parameter -> false));
    }

    private static SymbolQuery of(List<String> names, List<String> addresses, QueryParameters parameters) {
        if (names.isEmpty() && addresses.isEmpty()) {
            throw QueryParameters.badRequest(
                    "missing_names",
                    "No names or addresses",
                    "the query has neither names nor addresses; expected at least one");
        }
        requireFew(NAMES, names);
        requireFew(ADDRESSES, addresses);
        Map<String, SymbolPattern> patterns = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            patterns.put(names.get(i), pattern(names.get(i), i + 1));
        }
        Map<String, Long> numbers = new LinkedHashMap<>();
        for (int i = 0; i < addresses.size(); i++) {
            numbers.put(addresses.get(i), address(addresses.get(i), i + 1));
        }
        return new SymbolQuery(
                patterns,
                numbers,
                parameters.one(FAMILY).map(SymbolQuery::family).orElse(false));
    }

    /** Splits at commas, which no compiler puts into the name of a symbol. */
    private static List<String> split(List<String> lists) {
        return lists.stream().flatMap(list -> Stream.of(list.split(",", -1))).toList();
    }

    private static void requireFew(String what, List<String> texts) {
        if (texts.size() > MAX_EACH) {
            throw JsonBody.tooLarge(texts.size() + " " + what, MAX_EACH);
        }
    }

    private static SymbolPattern pattern(String name, int number) {
        if (name.isBlank()) {
            throw bad("bad_name", "name", name, number, "the name of a symbol, or a pattern");
        }
        try {
            return SymbolPattern.of(name);
        } catch (IllegalArgumentException e) {
            throw bad("bad_name", "name", name, number, String.valueOf(e.getMessage()));
        }
    }

    private static long address(String text, int number) {
        if (!ADDRESS.matcher(text).matches()) {
            throw bad("bad_address", "address", text, number, "0x and 1 to 16 hex digits");
        }
        return Long.parseUnsignedLong(text.substring(2), 16);
    }

    private static ProblemException bad(String code, String what, String text, int number, String expected) {
        return new ProblemException(Problem.of(
                        HttpStatus.BAD_REQUEST,
                        code,
                        "A " + what + " cannot be read",
                        what + " " + number + " is " + HostileText.quote(text) + "; expected " + expected)
                .with("item", text)
                .with("itemNumber", number));
    }

    private static boolean family(String word) {
        return switch (word) {
            case "true" -> true;
            case "false" -> false;
            default ->
                throw QueryParameters.badRequest(
                        "bad_family",
                        "Unknown value of family",
                        "family is " + HostileText.quote(word) + "; expected true or false");
        };
    }
}
