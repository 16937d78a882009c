package dev.offsetd.server.pins;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.bundle.PinnedValueWriter;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.JsonBody;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.util.List;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;
import tools.jackson.databind.JsonNode;

/** Pins over HTTP. */
@RestController
class PinsController {

    private static final String PATH = "/v1/pins";
    private static final int MAX_BODY_BYTES = 256 * 1024;
    private static final String BUILD_ID = "buildId";
    private static final String STATE = "state";
    private static final String AGREEMENT = "agreement";
    private static final String REVIEW = "review";
    private static final String TEXT = "q";
    private static final Pattern ID = Pattern.compile("[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}");

    private final Pins pins;

    PinsController(Pins pins) {
        this.pins = pins;
    }

    @GetMapping(PATH)
    ResponseEntity<byte[]> list(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery query = ListQuery.of(request, Set.of(BUILD_ID, STATE, AGREEMENT, REVIEW, TEXT));
        ListPage<Pin> page = pins.page(filter(query), query);
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok();
        page.link(answer);
        return representation.response(answer, out -> {
            out.writeArrayPropertyStart("pins");
            for (Pin pin : page.rows()) {
                out.writeStartObject();
                PinJson.writeProperties(out, pin);
                out.writeEndObject();
            }
            out.writeEndArray();
            if (page.next() != null) {
                out.writeStringProperty("next", page.next());
            }
        });
    }

    private static PinFilter filter(ListQuery query) {
        return new PinFilter(
                query.parameter(BUILD_ID).map(PinsController::buildId).orElse(null),
                query.parameter(STATE)
                        .map(word -> Word.find(Pin.State.class, word)
                                .orElseThrow(() ->
                                        ListQuery.badValue(STATE, word, "\"active\", \"expired\" or \"retired\"")))
                        .orElse(null),
                query.parameter(AGREEMENT)
                        .map(word -> Word.find(Pin.Agreement.class, word)
                                .orElseThrow(() -> ListQuery.badValue(
                                        AGREEMENT, word, "\"unknown\", \"agrees\" or \"disagrees\"")))
                        .orElse(null),
                query.flag(REVIEW).orElse(null),
                query.parameter(TEXT).filter(text -> !text.isBlank()).orElse(null));
    }

    private static BuildId buildId(String text) {
        try {
            return BuildId.parseKey(text);
        } catch (IllegalArgumentException e) {
            throw ListQuery.badValue(BUILD_ID, text, "a build-id: " + e.getMessage());
        }
    }

    @PostMapping(path = PATH, consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> create(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        PinDraft draft = PinJson.draft(body(request), null);
        Pin pin = pins.create(draft, Actor.of(request));
        DraftCheck check = pins.check(draft, pin.id());
        return representation.response(
                ResponseEntity.status(HttpStatus.CREATED)
                        .header(HttpHeaders.LOCATION, PATH + '/' + pin.id())
                        .eTag(etag(pin)),
                out -> {
                    PinJson.writeProperties(out, pin);
                    write(out, "warnings", check.warnings());
                });
    }

    @PostMapping(path = PATH + "/check", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> check(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        DraftCheck check = pins.check(PinJson.draft(body(request), null), null);
        return representation.response(ResponseEntity.ok(), out -> {
            write(out, "errors", check.errors());
            write(out, "warnings", check.warnings());
            if (check.extracted() != null) {
                out.writeName("extracted");
                PinnedValueWriter.write(out, check.extracted());
            }
        });
    }

    private static void write(JsonGenerator out, String name, List<DraftCheck.Diagnostic> diagnostics) {
        out.writeArrayPropertyStart(name);
        for (DraftCheck.Diagnostic diagnostic : diagnostics) {
            out.writeStartObject();
            out.writeStringProperty("place", diagnostic.place());
            out.writeStringProperty("message", diagnostic.message());
            out.writeEndObject();
        }
        out.writeEndArray();
    }

    @PostMapping(path = PATH + "/copy", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> copy(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        PinJson.Copy wanted = PinJson.copy(body(request));
        CopyResult copied = pins.copy(wanted.from(), wanted.to(), Actor.of(request));
        return representation.response(ResponseEntity.ok(), out -> {
            out.writeArrayPropertyStart("copied");
            for (Pin pin : copied.copied()) {
                out.writeStartObject();
                PinJson.writeProperties(out, pin);
                out.writeEndObject();
            }
            out.writeEndArray();
            out.writeArrayPropertyStart("leftOut");
            for (CopyResult.SkippedPin left : copied.leftOut()) {
                out.writeStartObject();
                out.writeStringProperty("pin", left.pin().id().toString());
                out.writeStringProperty("item", left.pin().draft().item());
                out.writeStringProperty("code", left.code());
                out.writeStringProperty("detail", left.reason());
                out.writeEndObject();
            }
            out.writeEndArray();
        });
    }

    @GetMapping(PATH + "/{id}")
    ResponseEntity<byte[]> get(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Pin pin = pins.find(id(id)).orElseThrow(() -> notFound(id));
        List<Pin.Revision> history = pins.history(pin.id());
        return representation.response(ResponseEntity.ok().eTag(etag(pin)), out -> {
            PinJson.writeProperties(out, pin);
            out.writeArrayPropertyStart("history");
            history.forEach(revision -> PinJson.write(out, revision));
            out.writeEndArray();
        });
    }

    @PutMapping(path = PATH + "/{id}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> put(@PathVariable String id, HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Precondition precondition = Precondition.of(request);
        JsonNode body = body(request);
        Pin before = pins.find(id(id)).orElseThrow(() -> notFound(id));
        precondition.requireMatch();
        precondition.check("pin", Set.of(etag(before)));
        PinDraft draft = PinJson.draft(body, before.draft().buildId());
        return send(
                ResponseEntity.ok(),
                representation,
                pins.edit(before.id(), before.revision(), draft, Actor.of(request)));
    }

    @DeleteMapping(PATH + "/{id}")
    ResponseEntity<byte[]> retire(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Integer revision = seenRevision(id, request);
        return send(ResponseEntity.ok(), representation, pins.retire(id(id), revision, Actor.of(request)));
    }

    @PostMapping(PATH + "/{id}/restore")
    ResponseEntity<byte[]> restore(@PathVariable String id, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Integer revision = seenRevision(id, request);
        return send(ResponseEntity.ok(), representation, pins.restore(id(id), revision, Actor.of(request)));
    }

    @PostMapping(path = PATH + "/{id}/acknowledge", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> acknowledge(@PathVariable String id, HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Pin.Acknowledgement acknowledgement = PinJson.acknowledgement(body(request));
        Integer revision = seenRevision(id, request);
        return send(
                ResponseEntity.ok(),
                representation,
                pins.acknowledge(id(id), revision, acknowledgement, Actor.of(request)));
    }

    /** Returns the revision that {@code If-Match} names; null without the header, which allows any. */
    private @Nullable Integer seenRevision(String id, HttpServletRequest request) {
        Precondition precondition = Precondition.of(request);
        if (precondition.match().isEmpty()) {
            return null;
        }
        Pin pin = pins.find(id(id)).orElseThrow(() -> notFound(id));
        precondition.check("pin", Set.of(etag(pin)));
        return pin.revision();
    }

    static JsonNode body(HttpServletRequest request) throws IOException {
        return JsonBody.read(request, MAX_BODY_BYTES, "a JSON object");
    }

    private static UUID id(String text) {
        if (!ID.matcher(text).matches()) {
            throw notFound(text);
        }
        return UUID.fromString(text);
    }

    private static ProblemException notFound(String id) {
        return PinProblems.notFound(HostileText.quote(id));
    }

    /** Returns an entity tag of the pin's revision. The agreement with the debug information is not part of it. */
    private static String etag(Pin pin) {
        return "\"" + pin.revision() + '"';
    }

    private static ResponseEntity<byte[]> send(
            ResponseEntity.BodyBuilder answer, Representation representation, Pin pin) {
        return representation.response(answer.eTag(etag(pin)), out -> PinJson.writeProperties(out, pin));
    }
}
