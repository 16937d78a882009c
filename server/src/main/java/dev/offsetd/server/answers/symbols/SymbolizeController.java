package dev.offsetd.server.answers.symbols;

import dev.offsetd.query.answer.FrameStatus;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BatchReplies.Reply;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.databind.JsonNode;

/** Functions and lines at addresses, of one build or of many. */
@RestController
class SymbolizeController {

    static final String PATH = "/v1/symbolize";

    /** Limit of builds in one request: more than a process has libraries. */
    static final int MAX_QUERIES = 200;

    private final BuildQueries builds;
    private final BuildKeys keys;
    private final FrameAnswers answers;
    private final BatchReplies replies;

    SymbolizeController(BuildQueries builds, BuildKeys keys, FrameAnswers answers, BatchReplies replies) {
        this.builds = builds;
        this.keys = keys;
        this.answers = answers;
        this.replies = replies;
    }

    @GetMapping(PATH + "/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        BuildRequest build = builds.request(SymbolBatch.withoutPadding(buildId), Part.SYMBOLS, request);
        FrameQuery query = FrameQuery.of(request);
        Optional<Answer> answer = answers.answer(build, query);
        return answer.isPresent() ? answer.get().response(request) : builds.inProgress(build, query.representation());
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> post(HttpServletRequest request) throws IOException {
        Wait wait = Wait.of(request);
        List<JsonNode> queries = BatchReplies.queries(request, MAX_QUERIES);
        FrameQuery.requireFew(queries);
        Caller caller = Caller.of(request);
        return replies.answer(queries, PATH, request, query -> reply(query, wait, caller, request));
    }

    private Reply reply(JsonNode json, Wait wait, Caller caller, HttpServletRequest request) {
        FrameQuery.@Nullable Entry entry = null;
        try {
            entry = FrameQuery.Entry.of(json);
            BuildRequest build = new BuildRequest(keys.resolve(entry.id()), caller, Part.SYMBOLS, wait, entry.name());
            Optional<Answer> answer = answers.answer(build, entry.query());
            return answer.isPresent()
                    ? new Reply(json, ResponseEntity.ok().body(answer.get().body()))
                    : new Reply(
                            json,
                            builds.inProgress(build, Representation.JSON),
                            FrameAnswers.answerOfAll(build.id(), entry.query(), FrameStatus.IN_PROGRESS));
        } catch (RuntimeException e) {
            ResponseEntity<byte[]> problem =
                    replies.problem(BatchReplies.buildId(json).orElse(null), e, PATH, request);
            return new Reply(
                    json,
                    problem,
                    entry == null
                            ? null
                            : interim(entry, e, problem.getStatusCode().value()));
        }
    }

    /** Returns the answer beside a problem, so that a client may read the status of each address whatever happened. */
    private static SpooledBody interim(FrameQuery.Entry entry, RuntimeException e, int status) {
        String code = e instanceof ProblemException known ? known.problem().code() : "";
        return FrameAnswers.answerOfAll(entry.id(), entry.query(), status(status, code));
    }

    /** Returns the status of all addresses of a build that a problem of this status and code answers. */
    private static FrameStatus status(int httpStatus, String code) {
        if (httpStatus == 404) {
            return FrameStatus.UNKNOWN_BUILD;
        }
        return code.equals(Cause.NO_DEBUGINFO.code()) ? FrameStatus.NO_DEBUGINFO : FrameStatus.FAILED;
    }
}
