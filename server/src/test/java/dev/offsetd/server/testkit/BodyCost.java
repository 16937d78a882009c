package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.CostGrowth;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;

/** Requires that the cost of reading a body grows no faster than the body. */
public final class BodyCost {

    /** Pieces of which bodies are made: strings, brackets, items and names. */
    private static final List<String> PIECES = List.of(
            "[",
            "{\"a\":",
            "\"",
            "\\u0041",
            "1",
            "[1,",
            "a",
            "::b const",
            "a const<",
            "std::pair<a,b>::",
            "a|",
            "symbol *|");

    private static final int FIRST = System.getenv("JAZZER_FUZZ") == null ? 2_000 : 25_000;

    private BodyCost() {}

    /**
     * Reads bodies of growing length.
     *
     * @param start of the body, before the pieces
     * @param end of the body, behind the pieces
     */
    public static void requireLinear(String start, String end, HostileBody.Reader reader) throws IOException {
        for (String piece : PIECES) {
            CostGrowth.requireLinear("body of " + piece, FIRST, size -> {
                byte[] body = (start + piece.repeat(size / piece.length()) + end).getBytes(StandardCharsets.UTF_8);
                return new CostGrowth.Input(body.length, stages -> stages.measure("body", () -> read(body, reader)));
            });
        }
    }

    private static List<String> read(byte[] body, HostileBody.Reader reader) throws IOException {
        MockHttpServletRequest request = new MockHttpServletRequest("POST", "/v1");
        request.setContentType(MediaType.APPLICATION_JSON_VALUE);
        request.setContent(body);
        try {
            return reader.read(request);
        } catch (ProblemException | ItemSyntaxException e) {
            return List.of(String.valueOf(e.getMessage()));
        }
    }
}
