package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.web.Ids;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Prewarm batches. */
@RestController
class PrewarmBatchesController {

    private static final String PATH = "/v1/prewarms";

    /** Fits the largest batch of the longest build-ids and usual paths, and a list of types as long as a query may have. */
    private static final int MAX_BODY_BYTES = 1024 * 1024;

    private final Prewarms prewarms;

    PrewarmBatchesController(Prewarms prewarms) {
        this.prewarms = prewarms;
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> create(HttpServletRequest request) throws IOException {
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
    ResponseEntity<byte[]> list(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery query = ListQuery.of(request, Set.of());
        return prewarms.page(query).response(representation, "prewarms", PrewarmJson::writeProperties);
    }

    @GetMapping(PATH + "/{id}")
    ResponseEntity<byte[]> get(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Prewarm prewarm = Ids.uuid(id).flatMap(prewarms::find).orElseThrow(() -> unknown(id));
        return send(ResponseEntity.ok(), representation, prewarm);
    }

    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<byte[]> cancel(@PathVariable String id, HttpServletRequest request) {
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

    private static ResponseEntity<byte[]> send(
            ResponseEntity.BodyBuilder answer, Representation representation, Prewarm prewarm) {
        return representation.response(answer, out -> PrewarmJson.writeProperties(out, prewarm));
    }
}
