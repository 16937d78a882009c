package dev.offsetd.server.typesets;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.query.typeset.TypeSetParser;
import dev.offsetd.query.typeset.TypeSetSyntaxException;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.api.model.TypeSetEntry;
import dev.offsetd.server.api.model.TypeSetList;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Precondition;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.MediaType;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RestController;

/** Type sets over HTTP. */
@RestController
class TypeSetsController {

    private static final String PATH = "/v1/type-sets/";
    private static final char LIST = 's';
    private static final String RETIRED = "retired";
    private static final int MAX_BODY_BYTES = 256 * 1024;

    private final TypeSets sets;

    TypeSetsController(TypeSets sets) {
        this.sets = sets;
    }

    @GetMapping(
            path = "/v1/type-sets",
            produces = {MediaType.APPLICATION_JSON_VALUE, MediaType.APPLICATION_CBOR_VALUE})
    ResponseEntity<TypeSetList> list(HttpServletRequest request) {
        ListQuery query = ListQuery.of(request, Set.of(RETIRED));
        String after = query.position(LIST).map(TypeSets::nameAt).orElse("");
        boolean withRetired = query.flag(RETIRED).orElse(false);
        ListPage<TypeSets.CurrentSet> page = ListPage.read(
                query,
                LIST,
                limit -> sets.after(after, withRetired, limit),
                known -> known.document().set().name().getBytes(StandardCharsets.US_ASCII));
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok().cacheControl(CacheControl.noStore());
        page.link(answer);
        return answer.body(new TypeSetList(page.map(TypeSetsController::entry).rows()).next(page.next()));
    }

    private static TypeSetEntry entry(TypeSets.CurrentSet known) {
        TypeSet set = known.document().set();
        return new TypeSetEntry(
                        set.name(),
                        set.version(),
                        set.title(),
                        known.builtIn(),
                        known.document().retired(),
                        set.count(Need.REQUIRED),
                        set.count(Need.OPTIONAL),
                        set.items().size())
                .versions(set.versions().isEmpty() ? null : set.versions());
    }

    @GetMapping("/v1/type-sets/{name}")
    ResponseEntity<byte[]> get(@PathVariable String name, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        return answer(
                ResponseEntity.ok().cacheControl(CacheControl.noCache()),
                sets.require(name).document(),
                representation);
    }

    @PutMapping(path = "/v1/type-sets/{name}", consumes = MediaType.APPLICATION_JSON_VALUE)
    ResponseEntity<byte[]> put(@PathVariable String name, HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        if (!TypeSets.NAME.matcher(name).matches()) {
            throw ProblemException.badRequest(
                    "bad_type_set_name",
                    "Not a name for a type set",
                    "name " + HostileText.quote(name) + "; expected " + TypeSetParser.NAME);
        }
        Precondition precondition = Precondition.of(request);
        byte[] body = request.getInputStream().readNBytes(MAX_BODY_BYTES + 1);
        sets.requireOwn(name);
        TypeSets.StoredSet stored = sets.put(parse(name, body), precondition, Actor.of(request));
        ResponseEntity.BodyBuilder answer = stored.created()
                ? ResponseEntity.status(HttpStatus.CREATED).header(HttpHeaders.LOCATION, PATH + name)
                : ResponseEntity.ok();
        return answer(answer.cacheControl(CacheControl.noStore()), stored.document(), representation);
    }

    private static TypeSet parse(String name, byte[] body) {
        if (body.length > MAX_BODY_BYTES) {
            throw ProblemException.of(
                            HttpStatus.CONTENT_TOO_LARGE,
                            "too_large",
                            "The type set is too large",
                            "the body has more than " + MAX_BODY_BYTES + " bytes; the limit is " + MAX_BODY_BYTES)
                    .with("limit", MAX_BODY_BYTES);
        }
        try {
            return TypeSetParser.parseNew(name, body);
        } catch (TypeSetSyntaxException e) {
            throw ProblemException.badRequest(
                            "bad_type_set", "The type set cannot be read", String.valueOf(e.getMessage()))
                    .with("place", e.place());
        }
    }

    private static ResponseEntity<byte[]> answer(
            ResponseEntity.BodyBuilder answer, TypeSetDocument document, Representation representation) {
        return answer.eTag(document.etag(representation))
                .header(HttpHeaders.VARY, HttpHeaders.ACCEPT)
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .body(document.bytes(representation));
    }
}
