package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.query.symbol.CodeAddress;
import dev.offsetd.query.symbol.SymbolPattern;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.JsonObject;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import tools.jackson.databind.JsonNode;

/**
 * Query for symbols of a build by name and by address, without duplicates.
 *
 * @param names patterns by the text that the client sent
 * @param family whether variants that compilers derive from functions of these names match too
 * @param segments of the program, as the client knows them; none if it sent none
 */
public record SymbolQuery(
        Map<String, SymbolPattern> names,
        Addresses addresses,
        boolean family,
        List<FileOffsets.Segment> segments,
        Representation representation) {

    /** Limit of names, and of addresses, in one query. */
    static final int MAX_EACH = 1_000;

    /** Fits 1,000 mangled C++ names. */
    private static final int MAX_BODY_BYTES = 1 << 20;

    /** Most segments of a program; linkers write up to about ten. */
    private static final int MAX_SEGMENTS = 64;

    private static final String EXPECTED =
            "an object with names, addresses, or both, each an array of strings, and optionally segments";

    static final String NAMES = "names";
    static final String ADDRESSES = "addresses";
    private static final String FAMILY = "family";

    static final String SEGMENTS = "segments";
    private static final String OFFSET = "offset";
    private static final String ADDRESS = "vaddr";
    private static final String FILE_SIZE = "fileSize";

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
        List<String> names = split(parameters.all(NAMES));
        List<String> addresses = split(parameters.all(ADDRESSES));
        requireFew(names, addresses);
        return new SymbolQuery(
                patterns(names),
                Addresses.of(addresses),
                parameters.flag(FAMILY, "bad_family"),
                List.of(),
                representation);
    }

    /**
     * Reads the query of a POST: a body {@code {"names": [...], "addresses": [...], "segments": [...]}} with names or addresses,
     * and a query string with further parameters.
     *
     * @throws ProblemException as {@link #of(HttpServletRequest)}; if the body is too large: 413
     */
    static SymbolQuery ofBody(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        JsonNode json = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        JsonObject body = JsonBody.object(json).only(Set.of(NAMES, ADDRESSES, SEGMENTS));
        List<String> names = body.texts(NAMES);
        List<String> addresses = body.texts(ADDRESSES);
        requireFew(names, addresses);
        QueryParameters parameters =
                QueryParameters.of(request.getQueryString(), Set.of(FAMILY, BuildRequest.NAME), Set.of());
        return new SymbolQuery(
                patterns(names),
                Addresses.of(addresses),
                parameters.flag(FAMILY, "bad_family"),
                segments(json.path(SEGMENTS)),
                representation);
    }

    /**
     * Returns the query for addresses of one build of a batch. Its answer is always JSON.
     *
     * @param segments of the program; missing if the client sent none
     * @throws ProblemException if the segments are malformed: 400
     */
    static SymbolQuery ofAddresses(List<String> addresses, JsonNode segments) {
        return new SymbolQuery(Map.of(), Addresses.ofBatch(addresses), false, segments(segments), Representation.JSON);
    }

    /** Reads the segments of a program; 400 if they are malformed. */
    static List<FileOffsets.Segment> segments(JsonNode json) {
        if ((!json.isArray() && !json.isMissingNode()) || json.size() > MAX_SEGMENTS) {
            throw JsonBody.bad(SEGMENTS, json, "an array of up to " + MAX_SEGMENTS + " objects");
        }
        List<FileOffsets.Segment> segments = new ArrayList<>();
        for (JsonNode each : json) {
            JsonObject part = new JsonObject(each, SEGMENTS + '[' + segments.size() + ']', JsonBody::bad)
                    .only(Set.of(OFFSET, ADDRESS, FILE_SIZE));
            segments.add(new FileOffsets.Segment(number(part, OFFSET), number(part, ADDRESS), number(part, FILE_SIZE)));
        }
        return segments;
    }

    private static long number(JsonObject segment, String member) {
        JsonNode value = segment.json().path(member);
        if (value.canConvertToLong() && value.isIntegralNumber() && value.asLong() >= 0) {
            return value.asLong();
        }
        if (value.isString() && CodeAddress.matches(value.asString())) {
            CodeAddress number = CodeAddress.parse(value.asString());
            if (!number.inFile()) {
                return number.value();
            }
        }
        throw segment.bad(member, "a number of at least 0, or 0x and 1 to 16 hex digits");
    }

    /** Splits at commas, which no compiler puts into the name of a symbol. */
    static List<String> split(List<String> lists) {
        return lists.stream().flatMap(list -> Stream.of(list.split(",", -1))).toList();
    }

    private static void requireFew(List<String> names, List<String> addresses) {
        if (names.isEmpty() && addresses.isEmpty()) {
            throw ProblemException.badRequest(
                    "missing_names",
                    "No names or addresses",
                    "the query has neither names nor addresses; expected at least one");
        }
        requireFew(NAMES, names);
        requireFew(ADDRESSES, addresses);
    }

    private static void requireFew(String what, List<String> texts) {
        if (texts.size() > MAX_EACH) {
            throw JsonBody.tooLarge(texts.size() + " " + what, MAX_EACH);
        }
    }

    private static Map<String, SymbolPattern> patterns(List<String> names) {
        Map<String, SymbolPattern> patterns = new LinkedHashMap<>();
        for (int i = 0; i < names.size(); i++) {
            patterns.put(names.get(i), pattern(names.get(i), i + 1));
        }
        return patterns;
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

    /**
     * Parses an address.
     *
     * @param number of the address in the query, from 1
     * @throws ProblemException if it is malformed: 400
     */
    public static CodeAddress address(String text, int number) {
        if (!CodeAddress.matches(text)) {
            throw bad("bad_address", "address", text, number, CodeAddress.EXPECTED);
        }
        return CodeAddress.parse(text);
    }

    private static ProblemException bad(String code, String what, String text, int number, String expected) {
        return ProblemException.badRequest(
                        code,
                        "The " + what + " cannot be read",
                        what + " " + number + " is " + HostileText.quote(text) + "; expected " + expected)
                .with("item", text)
                .with("itemNumber", number);
    }
}
