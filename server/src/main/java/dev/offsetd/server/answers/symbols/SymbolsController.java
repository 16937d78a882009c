package dev.offsetd.server.answers.symbols;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.BatchReplies;
import dev.offsetd.server.answers.BatchReplies.Reply;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Symbols by name and by address. */
@RestController
class SymbolsController {

    private static final String PATH = "/v1/symbols";

    private final BuildQueries builds;
    private final SymbolAnswers answers;
    private final BuildKeys keys;
    private final BatchReplies batches;

    SymbolsController(BuildQueries builds, SymbolAnswers answers, BuildKeys keys, BatchReplies batches) {
        this.builds = builds;
        this.answers = answers;
        this.keys = keys;
        this.batches = batches;
    }

    @GetMapping("/v1/symbols/{buildId}")
    ResponseEntity<?> get(@PathVariable String buildId, HttpServletRequest request) {
        return answer(
                builds.request(SymbolBatch.withoutPadding(buildId), Part.SYMBOLS, request),
                SymbolQuery.of(request),
                request);
    }

    @PostMapping(path = "/v1/symbols/{buildId}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<?> post(@PathVariable String buildId, HttpServletRequest request) throws IOException {
        return answer(
                builds.request(SymbolBatch.withoutPadding(buildId), Part.SYMBOLS, request),
                SymbolQuery.ofBody(request),
                request);
    }

    private ResponseEntity<?> answer(BuildRequest build, SymbolQuery query, HttpServletRequest request) {
        Optional<Answer> answer = answer(build, query);
        return answer.isPresent() ? answer.get().response(request) : builds.inProgress(build, query.representation());
    }

    private Optional<Answer> answer(BuildRequest build, SymbolQuery query) {
        return builds.answerStored(build, stored -> answers.answer(stored.build(), stored.file(), query));
    }

    /** Answers addresses in many builds; each build has its own status. */
    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> postBatch(HttpServletRequest request) throws IOException {
        // Refused before the work if the client accepts no representation of the answer.
        var _ = Representation.of(request, Representation.STRUCTURED);
        Wait wait = Wait.of(request);
        SymbolBatch batch = SymbolBatch.of(request);
        Caller caller = Caller.of(request);
        return batches.answer(
                batch.addresses().keySet(), PATH, request, key -> reply(batch, key, wait, caller, request));
    }

    private Reply reply(SymbolBatch batch, String key, Wait wait, Caller caller, HttpServletRequest request) {
        String id = SymbolBatch.isKey(key) ? key : null;
        ResponseEntity<?> response;
        try {
            response = response(batch, key, wait, caller);
        } catch (RuntimeException e) {
            response = batches.problem(id, e, PATH, request);
        }
        return new Reply(id, null, response, null);
    }

    private ResponseEntity<?> response(SymbolBatch batch, String key, Wait wait, Caller caller) {
        SymbolQuery query = batch.query(key);
        if (key.equals(SymbolBatch.NO_BUILD)) {
            throw ProblemException.of(
                    HttpStatus.UNPROCESSABLE_CONTENT,
                    "no_build_id",
                    "No build-id",
                    batch.addresses().getOrDefault(key, List.of()).size()
                            + " addresses have only an instruction pointer; expected a build-id with"
                            + " each: the kernel found none, or the memory was not that of a file");
        }
        BuildId id = keys.resolve(SymbolBatch.withoutPadding(key));
        BuildRequest build = new BuildRequest(id, caller, Part.SYMBOLS, wait, null);
        Optional<Answer> answer = answer(build, query);
        return answer.isPresent()
                ? BatchReplies.answered(answer.get(), null)
                : builds.inProgress(build, Representation.JSON);
    }
}
