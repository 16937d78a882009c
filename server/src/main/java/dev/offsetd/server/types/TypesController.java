package dev.offsetd.server.types;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.builds.BuildIdText;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.query.BuildQueries;
import dev.offsetd.server.query.SpooledBody;
import dev.offsetd.server.query.Wait;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.CacheControl;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** List of the types of a build. */
@RestController
class TypesController {

    private static final char LIST = 't';
    private static final String PART = "q";
    private static final int MAX_PART = 200;

    private final BuildQueries builds;
    private final Catalogues catalogues;

    TypesController(BuildQueries builds, Catalogues catalogues) {
        this.builds = builds;
        this.catalogues = catalogues;
    }

    @GetMapping("/v1/builds/{buildId}/types")
    ResponseEntity<?> list(@PathVariable String buildId, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        BuildId id = BuildIdText.parse(buildId);
        ListQuery query = ListQuery.of(request, Set.of(PART));
        String part = query.parameter(PART).orElse("");
        if (part.length() > MAX_PART) {
            throw ListQuery.badValue(PART, part, "at most " + MAX_PART + " characters");
        }
        TypeNamePage.Position after = query.position(LIST)
                .map(place -> TypeNamePage.Position.of(place).orElseThrow(ListQuery::badCursor))
                .orElse(TypeNamePage.Position.START);
        Wait wait = Wait.of(request);
        Optional<TypesPage> page = builds.answer(
                id,
                wait.time(),
                (build, file) ->
                        page(catalogues.open(build.id(), build.generation()), query, part, after, representation));
        if (page.isEmpty()) {
            return builds.inProgress(id, wait, representation);
        }
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .cacheControl(CacheControl.noStore());
        wait.applyTo(answer);
        page.get().next().ifPresent(next -> answer.header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\""));
        return answer.body(page.get().body());
    }

    /** @param next path and query of the next page */
    private record TypesPage(SpooledBody body, Optional<String> next) {}

    private static TypesPage page(
            StoredCatalogue types,
            ListQuery query,
            String part,
            TypeNamePage.Position after,
            Representation representation) {
        TypeNamePage page = TypeNamePage.read(types, after, part, query.limit());
        Optional<String> next = page.next().map(place -> query.next(LIST, place.toBytes()));
        SpooledBody body = SpooledBody.of(representation, out -> {
            out.writeArrayPropertyStart("types");
            page.names().forEach(name -> writeEntry(out, types, name));
            out.writeEndArray();
            next.ifPresent(path -> out.writeStringProperty("next", path));
        });
        return new TypesPage(body, next);
    }

    private static void writeEntry(JsonGenerator out, StoredCatalogue types, String name) {
        StoredCatalogue.Summary summary = types.summary(name);
        out.writeStartObject();
        out.writeStringProperty("name", name);
        out.writeArrayPropertyStart("kinds");
        summary.kinds().forEach(kind -> out.writeString(kind.word()));
        out.writeEndArray();
        summary.byteSize().ifPresent(size -> out.writeNumberProperty("size", size));
        out.writeEndObject();
    }
}
