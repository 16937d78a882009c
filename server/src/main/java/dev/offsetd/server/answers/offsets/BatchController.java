package dev.offsetd.server.answers.offsets;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BatchReplies.Reply;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
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

    private final OffsetsAnswers answers;
    private final BuildQueries queries;
    private final BuildKeys keys;
    private final BatchReplies replies;

    BatchController(OffsetsAnswers answers, BuildQueries queries, BuildKeys keys, BatchReplies replies) {
        this.answers = answers;
        this.queries = queries;
        this.keys = keys;
        this.replies = replies;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> post(HttpServletRequest request) throws IOException {
        Wait wait = Wait.of(request);
        Caller caller = Caller.of(request);
        return replies.answer(queries(request), PATH, request, query -> reply(query, wait, caller, request));
    }

    /** Returns the queries in the body of a request, unparsed. */
    static List<JsonNode> queries(HttpServletRequest request) throws IOException {
        return BatchReplies.queries(request, MAX_QUERIES);
    }

    private Reply reply(JsonNode query, Wait wait, Caller caller, HttpServletRequest request) {
        try {
            return new Reply(query, response(BatchEntry.of(query), wait, caller));
        } catch (RuntimeException e) {
            return new Reply(query, replies.problem(BatchReplies.buildId(query).orElse(null), e, PATH, request));
        }
    }

    private ResponseEntity<?> response(BatchEntry entry, Wait wait, Caller caller) {
        BuildRequest build = new BuildRequest(keys.resolve(entry.id()), caller, Part.TYPES, wait, entry.claimedName());
        Optional<Answer> answer = answers.answer(build, entry.query(), ContentCoding.IDENTITY);
        if (answer.isEmpty()) {
            return queries.inProgress(build, Representation.JSON);
        }
        return BatchReplies.answered(answer.get(), entry.ifNoneMatch());
    }
}
