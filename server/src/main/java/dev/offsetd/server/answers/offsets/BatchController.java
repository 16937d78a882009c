package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.RateLimits;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BatchReplies.Reply;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.ParallelTasks;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.function.Supplier;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Queries about many builds in one request; each has its own status. */
@RestController
class BatchController {

    private static final String PATH = "/v1/offsets";
    private static final int MAX_QUERIES = 50;
    private static final int MAX_BODY_BYTES = 1024 * 1024;
    private static final String EXPECTED = "a JSON array of queries, or {\"queries\": [...]}";

    private final OffsetsAnswers answers;
    private final BuildQueries builds;
    private final BuildKeys keys;
    private final BatchReplies batches;
    private final RateLimits limits;

    BatchController(
            OffsetsAnswers answers, BuildQueries builds, BuildKeys keys, BatchReplies batches, RateLimits limits) {
        this.answers = answers;
        this.builds = builds;
        this.keys = keys;
        this.batches = batches;
        this.limits = limits;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> post(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Wait wait = Wait.of(request);
        List<JsonNode> queries = queries(request);
        // The request itself is counted already. A batch must cost a caller without a token as much as single requests.
        limits.charge(Caller.of(request), queries.size() - 1);
        List<Reply> replies = ParallelTasks.all(queries.stream()
                .<Supplier<Reply>>map(query -> () -> reply(query, wait, request))
                .toList());
        return batches.response(replies, representation, request);
    }

    /** Returns the queries in the body of a request, unparsed. */
    static List<JsonNode> queries(HttpServletRequest request) throws IOException {
        JsonNode body = JsonBody.read(request, MAX_BODY_BYTES, EXPECTED);
        JsonNode list = body.isObject() && body.size() == 1 ? body.path("queries") : body;
        if (!list.isArray()) {
            throw JsonBody.bad("the body has no array of queries", EXPECTED);
        }
        if (list.isEmpty()) {
            throw JsonBody.bad("the array is empty", EXPECTED);
        }
        if (list.size() > MAX_QUERIES) {
            throw JsonBody.tooLarge("the array has " + list.size() + " queries", MAX_QUERIES);
        }
        return list.valueStream().toList();
    }

    private Reply reply(JsonNode query, Wait wait, HttpServletRequest request) {
        String id = BatchEntry.buildId(query).orElse(null);
        ResponseEntity<?> response;
        try {
            response = response(BatchEntry.of(query), wait);
        } catch (RuntimeException e) {
            response = batches.failed(e, id, PATH, request);
        }
        return new Reply(id, BatchEntry.clientId(query).orElse(null), response);
    }

    private ResponseEntity<?> response(BatchEntry entry, Wait wait) {
        BuildRequest build = new BuildRequest(keys.resolve(entry.id()), Part.TYPES, wait, entry.claimedName());
        Optional<Answer> answer = answers.answer(build, entry.query(), ContentCoding.IDENTITY);
        if (answer.isEmpty()) {
            return builds.inProgress(build, Representation.JSON);
        }
        return BatchReplies.answered(answer.get(), entry.ifNoneMatch());
    }
}
