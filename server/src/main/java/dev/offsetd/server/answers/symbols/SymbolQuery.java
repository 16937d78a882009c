package dev.offsetd.server.answers.symbols;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.springframework.http.HttpStatus;
import tools.jackson.databind.JsonNode;

/**
 * Query for symbols of a build by name and by address, without duplicates.
 *
 * @param names patterns by the text that the client sent
 * @param addresses ELF virtual addresses by the text that the client sent
 * @param family whether variants that compilers derive from functions of these names match too
 */
record SymbolQuery(
        Map<String, SymbolPattern> names, Map<String, Long> addresses, boolean family, Representation representation) {

    /** Limit of names, and of addresses, in one query. */
    static final int MAX_EACH = 1_000;

    /** Fits 1,000 mangled C++ names. */
    private static final int MAX_BODY_BYTES = 1 << 20;

    private static final String EXPECTED = "an object with names, addresses, or both, each an array of strings";

    static final String NAMES = "names";
    static final String ADDRESSES = "addresses";
    private static final String FAMILY = "family";

    private static final Pattern ADDRESS = Pattern.compile("0[xX][0-9a-fA-F]{1,16}");

    /**
     * Reads the query of a GET.
     *
     * @throws ProblemException if it is malformed (400), has too many names or addresses (413), or the client accepts no
     *     representation of the answer (406)
     */
    static SymbolQuery of(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        QueryParameters parameters = QueryParameters.of(
                request.getQueryString(),
                Set.of(NAMES, ADDRESSES, FAMILY, BuildRequest.NAME),
                Set.of(NAMES, ADDRESSES));
        return of(split(parameters.all(NAMES)), split(parameters.all(ADDRESSES)), parameters, representation);
    }

    /**
     * Reads the query of a POST: a body {@code {"names": [...], "addresses": [...]}}, of which one may be missing, and a query
     * string with further parameters.
     *
     * @throws ProblemException as {@link #of(HttpServletRequest)}; if the body is too large: 413
     */
    static SymbolQuery ofBody(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        JsonNode json = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        if (!json.isObject()) {
            throw badBody("the body is " + HostileText.quote(json.toString()));
        }
        JsonBody.unexpectedMember(json, Set.of(NAMES, ADDRESSES)).ifPresent(member -> {
            throw badBody("member " + HostileText.quote(member));
        });
        return of(
                strings(json, NAMES),
                strings(json, ADDRESSES),
                QueryParameters.of(request.getQueryString(), Set.of(FAMILY, BuildRequest.NAME), Set.of()),
                representation);
    }

    private static List<String> strings(JsonNode json, String member) {
        JsonNode array = json.path(member);
        if (!array.isArray() && !array.isMissingNode()) {
            throw badBody("member " + member + " is " + HostileText.quote(array.toString()));
        }
        return JsonBody.strings(array, "entry %d of " + member, EXPECTED);
    }

    private static ProblemException badBody(String detail) {
        return JsonBody.bad(detail, EXPECTED);
    }

    private static SymbolQuery of(
            List<String> names, List<String> addresses, QueryParameters parameters, Representation representation) {
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
                parameters.one(FAMILY).map(SymbolQuery::family).orElse(false),
                representation);
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
