package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.JsonBody;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Offsets of items. {@link AnswerCacheFilter} sends answers that are cached. */
@RestController
class OffsetsController {

    static final String PATH = "/v1/offsets/{buildId}";

    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final String EXPECTED = "a JSON array of strings";

    private final BuildQueries queries;
    private final OffsetsAnswers answers;

    OffsetsController(BuildQueries queries, OffsetsAnswers answers) {
        this.queries = queries;
        this.answers = answers;
    }

    @GetMapping(PATH)
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        return answer(queries.request(buildId, Part.TYPES, request), OffsetsQuery.of(request), request);
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        return answer(queries.request(buildId, Part.TYPES, request), query(request), request);
    }

    private ResponseEntity<?> answer(BuildRequest build, OffsetsQuery query, HttpServletRequest request) {
        Optional<Answer> answer = answers.answer(build, query, ContentCoding.of(request, ContentCoding.COMMON));
        return answer.isPresent() ? answer.get().response(request) : queries.inProgress(build, query.representation());
    }

    /** Parses the body of a request and, for further parameters, its query string. */
    static OffsetsQuery query(HttpServletRequest request) throws IOException {
        return OffsetsQuery.ofItems(items(JsonBody.read(request, MAX_BODY_BYTES, EXPECTED)), request);
    }

    private static List<String> items(JsonNode body) {
        if (!body.isArray()) {
            throw JsonBody.bad("body", body, EXPECTED);
        }
        return JsonBody.object(body).texts(body, "body");
    }
}
