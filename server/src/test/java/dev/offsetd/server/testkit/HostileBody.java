package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemBody;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.util.List;
import org.springframework.http.MediaType;
import org.springframework.mock.web.MockHttpServletRequest;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.ObjectMapper;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.dataformat.cbor.CBORMapper;

/**
 * Runs a reader of request bodies on hostile input and holds it to what the contract promises for any body: a value whose
 * text every representation of the answer can carry, or a 400 or 413 that the client can read.
 */
public final class HostileBody {

    private static final CBORMapper CBOR = new CBORMapper();

    private HostileBody() {}

    /** A reader of request bodies. */
    @FunctionalInterface
    public interface Reader {

        /** Returns the text of the body that an answer repeats. */
        List<String> read(MockHttpServletRequest request) throws IOException;
    }

    /** Reads the body. */
    public static void read(byte[] body, Reader reader) throws IOException {
        HostileRun.answer("body", HostileRun.allocationBound(body.length), () -> {
            MockHttpServletRequest request = new MockHttpServletRequest("POST", "/v1");
            request.setContentType(MediaType.APPLICATION_JSON_VALUE);
            request.setContent(body);
            try {
                for (String text : reader.read(request)) {
                    requireWritable(text, Representation.JSON, JsonMapper.shared());
                    requireWritable(text, Representation.CBOR, CBOR);
                }
            } catch (ProblemException e) {
                requireReadable(e.problem(), request);
            }
            return body.length;
        });
    }

    private static void requireWritable(String text, Representation representation, ObjectMapper mapper) {
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (JsonGenerator out = representation.generator(bytes)) {
            out.writeString(text);
        }
        String read = mapper.readTree(bytes.toByteArray()).asString();
        if (!read.equals(text)) {
            throw new AssertionError("as " + representation + " the text " + text + " is " + read);
        }
    }

    private static void requireReadable(Problem problem, MockHttpServletRequest request) {
        int status = problem.status().value();
        if (status != 400 && status != 413) {
            throw new AssertionError("problem " + problem);
        }
        JsonNode json = JsonMapper.shared().readTree(ProblemBody.of(problem, "/v1", request));
        String detail = json.path("detail").asString();
        if (detail.isBlank() || detail.chars().anyMatch(Character::isISOControl)) {
            throw new AssertionError("detail of " + problem);
        }
    }
}
