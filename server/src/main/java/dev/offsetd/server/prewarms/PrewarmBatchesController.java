package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Set;
import java.util.function.Consumer;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** Prewarm batches. */
@RestController
class PrewarmBatchesController {

    private static final String PATH = "/v1/prewarms";

    /** Fits the largest batch of the longest build-ids and usual paths, and a list of types as long as a query may have. */
    private static final int MAX_BODY_BYTES = 1024 * 1024;

    private final Prewarms prewarms;
    private final ComputePool threads;

    PrewarmBatchesController(Prewarms prewarms, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.prewarms = prewarms;
        this.threads = threads;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<SpooledBody> create(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Prewarm prewarm = prewarms.create(draft(request), Actor.of(request));
        return send(
                ResponseEntity.accepted()
                        .header(
                                HttpHeaders.LOCATION,
                                PATH + '/' + prewarm.summary().id()),
                representation,
                prewarm);
    }

    static PrewarmDraft draft(HttpServletRequest request) throws IOException {
        return PrewarmJson.draft(JsonBody.read(request, MAX_BODY_BYTES, "a JSON object"));
    }

    @GetMapping(PATH)
    ResponseEntity<SpooledBody> list(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery query = ListQuery.of(request, Set.of());
        ListPage<PrewarmSummary> page = prewarms.page(query);
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
        page.link(answer);
        return send(answer, representation, out -> page.write(out, "prewarms", PrewarmJson::writeProperties));
    }

    @GetMapping(PATH + "/{id}")
    ResponseEntity<SpooledBody> get(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Prewarm prewarm = Ids.uuid(id).flatMap(prewarms::find).orElseThrow(() -> unknown(id));
        return send(ResponseEntity.ok(), representation, prewarm);
    }

    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<SpooledBody> cancel(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Prewarm prewarm = Ids.uuid(id)
                .flatMap(known -> prewarms.cancel(known, Actor.of(request)))
                .orElseThrow(() -> unknown(id));
        return send(ResponseEntity.ok(), representation, prewarm);
    }

    private static ProblemException unknown(String id) {
        return ProblemException.notFound(
                "prewarm_not_found", "No such prewarm", "no prewarm has the id " + HostileText.quote(id));
    }

    private ResponseEntity<SpooledBody> send(
            ResponseEntity.BodyBuilder answer, Representation representation, Prewarm prewarm) {
        return send(answer, representation, out -> PrewarmJson.writeProperties(out, prewarm));
    }

    /** Answers with an object, of which a batch of a thousand builds without most of the types may have 64 Mi characters. */
    private ResponseEntity<SpooledBody> send(
            ResponseEntity.BodyBuilder answer, Representation representation, Consumer<JsonGenerator> properties) {
        return representation.head(answer).body(threads.answer(() -> SpooledBody.of(representation, properties)));
    }
}
