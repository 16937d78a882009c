package dev.offsetd.server.prewarms;

import com.google.re2j.Pattern;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.Set;
import java.util.UUID;
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

    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

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
        CreationPosition after = query.creationPosition(PrewarmSummary.LIST).orElse(null);
        ListPage<PrewarmSummary> page = ListPage.read(
                query,
                PrewarmSummary.LIST,
                limit -> prewarms.page(after, limit),
                batch -> batch.position().toBytes());
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
        page.link(answer);
        return representation.response(answer, out -> {
            out.writeArrayPropertyStart("prewarms");
            for (PrewarmSummary prewarm : page.rows()) {
                out.writeStartObject();
                PrewarmJson.writeProperties(out, prewarm);
                out.writeEndObject();
            }
            out.writeEndArray();
            if (page.next() != null) {
                out.writeStringProperty("next", page.next());
            }
        });
    }

    @GetMapping(PATH + "/{id}")
    ResponseEntity<byte[]> get(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        return send(
                ResponseEntity.ok(),
                representation,
                prewarms.find(id(id)).orElseThrow(() -> PrewarmProblems.notFound(id)));
    }

    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<byte[]> cancel(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        return send(
                ResponseEntity.ok(),
                representation,
                prewarms.cancel(id(id), Actor.of(request)).orElseThrow(() -> PrewarmProblems.notFound(id)));
    }

    private static UUID id(String text) {
        if (!ID.matcher(text).matches()) {
            throw PrewarmProblems.notFound(text);
        }
        return UUID.fromString(text);
    }

    private static ResponseEntity<byte[]> send(
            ResponseEntity.BodyBuilder answer, Representation representation, Prewarm prewarm) {
        return representation.response(answer, out -> PrewarmJson.writeProperties(out, prewarm));
    }
}
