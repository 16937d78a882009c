package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.Optional;
import org.springframework.beans.factory.annotation.Qualifier;
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

    private final BuildQueries queries;
    private final Catalogues catalogues;
    private final ComputePool threads;

    TypesController(BuildQueries queries, Catalogues catalogues, @Qualifier(ComputePool.ANSWERS) ComputePool threads) {
        this.threads = threads;
        this.queries = queries;
        this.catalogues = catalogues;
    }

    @GetMapping("/v1/builds/{buildId}/types")
    ResponseEntity<?> list(@PathVariable String buildId, HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        BuildRequest build = queries.request(buildId, Part.TYPES, request);
        TypeSearch search = TypeSearch.of(ListQuery.of(request, TypeSearch.PARAMETERS), TypeSearch.Sort.NAME);
        Optional<TypesPage> page = queries.answerStored(build, stored -> page(stored.build(), search, representation));
        if (page.isEmpty()) {
            return queries.inProgress(build, representation);
        }
        ResponseEntity.BodyBuilder answer = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .cacheControl(CacheControl.noStore());
        build.waiting().applyTo(answer);
        page.get().names().link(answer);
        return answer.body(page.get().body());
    }

    private record TypesPage(SpooledBody body, ListPage<String> names) {}

    private TypesPage page(Build build, TypeSearch search, Representation representation) {
        StoredCatalogue types = catalogues.open(build.id(), build.generation());
        return threads.answer(() -> page(types, search, representation));
    }

    private static TypesPage page(StoredCatalogue types, TypeSearch search, Representation representation) {
        TypeSearch.Found found = search.read(types);
        String next = found.names().next();
        SpooledBody body = SpooledBody.of(representation, out -> {
            Representation.write(out, "types", found.names().rows(), (each, name) -> writeEntry(each, types, name));
            if (search.ranked()) {
                out.writeBooleanProperty("more", found.more());
            }
            if (next != null) {
                out.writeStringProperty("next", next);
            }
        });
        return new TypesPage(body, found.names());
    }

    private static void writeEntry(JsonGenerator out, StoredCatalogue types, String name) {
        StoredCatalogue.Summary summary = types.summary(name);
        out.writeStringProperty("name", name);
        Representation.write(
                out, "kinds", summary.kinds().stream().map(TypeKind::word).toList());
        if (summary.byteSize() != TypeShape.UNKNOWN_SIZE) {
            out.writeNumberProperty("size", summary.byteSize());
        }
    }
}
