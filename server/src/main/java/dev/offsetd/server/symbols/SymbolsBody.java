package dev.offsetd.server.symbols;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.asking.Parameters;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpStatus;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Reads the bodies of questions about symbols: {@code {"names": [...], "addresses": [...]}}, of which one may be missing. */
final class SymbolsBody {

    /** Room for 1,000 mangled C++ names. */
    private static final int MAX_BYTES = 1 << 20;

    private static final String EXPECTED = "an object with the arrays of strings names and addresses, or one of them";

    private static final JsonMapper JSON = JsonMapper.builder()
            .enable(DeserializationFeature.FAIL_ON_TRAILING_TOKENS)
            .build();

    private SymbolsBody() {}

    /**
     * The question that a body asks.
     *
     * @param query further parameters
     * @throws ProblemException if it cannot be read: 400, with the place; if it is too large: 413
     */
    static SymbolQuestion read(InputStream in, @Nullable String query) throws IOException {
        byte[] body = in.readNBytes(MAX_BYTES + 1);
        if (body.length > MAX_BYTES) {
            throw new ProblemException(Problem.of(
                            HttpStatus.CONTENT_TOO_LARGE,
                            "too_large",
                            "The question is too large",
                            "the body has more than " + MAX_BYTES + " bytes; the limit is " + MAX_BYTES)
                    .with("limit", MAX_BYTES));
        }
        JsonNode json;
        try {
            json = JSON.readTree(body);
        } catch (JacksonException e) {
            throw bad("line " + e.getLocation().getLineNr() + ", column "
                    + e.getLocation().getColumnNr() + ": not JSON");
        }
        if (!json.isObject()) {
            throw bad("the body is no object");
        }
        for (String member : json.propertyNames()) {
            if (!member.equals(SymbolQuestion.NAMES) && !member.equals(SymbolQuestion.ADDRESSES)) {
                throw bad("member " + HostileText.quote(member));
            }
        }
        return SymbolQuestion.ofLists(
                strings(json, SymbolQuestion.NAMES), strings(json, SymbolQuestion.ADDRESSES), query);
    }

    private static List<String> strings(JsonNode json, String member) {
        JsonNode array = json.get(member);
        if (array == null) {
            return List.of();
        }
        if (!array.isArray()) {
            throw bad("member " + member + " is " + HostileText.quote(array.toString()));
        }
        List<String> strings = new ArrayList<>();
        for (int i = 0; i < array.size(); i++) {
            if (!array.get(i).isString()) {
                throw bad("entry " + (i + 1) + " of " + member + " is "
                        + HostileText.quote(array.get(i).toString()));
            }
            strings.add(array.get(i).asString());
        }
        return strings;
    }

    private static ProblemException bad(String detail) {
        return Parameters.badRequest("bad_body", "The body cannot be read", detail + "; expected " + EXPECTED);
    }
}
