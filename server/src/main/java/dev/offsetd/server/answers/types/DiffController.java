package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.RenderedAnswer;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.answers.Wait;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.web.Representation;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** Layout changes between two builds. */
@RestController
class DiffController {

    private static final String TYPES = "types";
    private static final String LANG = "lang";

    private final BuildQueries builds;
    private final LayoutComparison layouts;
    private final BuildKeys keys;

    DiffController(BuildQueries builds, LayoutComparison layouts, BuildKeys keys) {
        this.builds = builds;
        this.layouts = layouts;
        this.keys = keys;
    }

    /** One of the builds, with the name of its parameter. */
    private record NamedBuild(String name, BuildId id) {}

    private record Query(
            NamedBuild from,
            NamedBuild to,
            List<Item> items,
            Optional<Language.Family> language,
            Representation representation) {}

    @GetMapping("/v1/diff")
    ResponseEntity<?> diff(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        Query query = query(request.getQueryString(), representation);
        Wait wait = Wait.of(request);
        BuildId from = query.from().id();
        BuildId to = query.to().id();
        List<Item> items = layouts.items(query.items());
        Optional<BuildId> missing = layouts.inProgress(from, to, wait.time());
        Optional<SpooledBody> body = missing.isPresent()
                ? Optional.empty()
                : layouts.read(
                        from,
                        to,
                        items.size(),
                        sides -> body(
                                query,
                                sides,
                                LayoutDiff.ofItems(
                                        items,
                                        sides.from().types(),
                                        sides.to().types(),
                                        query.language().orElse(null))));
        if (body.isEmpty()) {
            // Not extracted yet, or corrupt and extracted again.
            return builds.inProgress(missing.orElse(from), wait, representation);
        }
        // Either build may change, so caches may keep the answer only for the shorter time.
        return new RenderedAnswer(representation, body.get(), false).forCaches(wait);
    }

    private Query query(@Nullable String query, Representation representation) {
        QueryParameters parameters = QueryParameters.of(
                query, Set.of(LayoutComparison.FROM, LayoutComparison.TO, TYPES, LANG), Set.of(TYPES), TYPES::equals);
        NamedBuild from = side(LayoutComparison.FROM, parameters);
        NamedBuild to = side(LayoutComparison.TO, parameters);
        List<String> types = parameters.all(TYPES);
        if (types.isEmpty()) {
            throw QueryParameters.badRequest(
                    "missing_types", "No items", "parameter types is missing; expected types=ITEM,...");
        }
        try {
            return new Query(from, to, ItemParser.parseList(types), parameters.language(), representation);
        } catch (ItemSyntaxException e) {
            throw QueryParameters.badItem(e);
        }
    }

    private NamedBuild side(String name, QueryParameters parameters) {
        String id = parameters
                .one(name)
                .orElseThrow(() -> QueryParameters.badRequest(
                        "missing_build", "No build", "parameter " + name + " is missing; expected a build-id"));
        return new NamedBuild(name, LayoutComparison.about(name, null, () -> keys.resolve(id)));
    }

    private static SpooledBody body(Query query, LayoutComparison.ComparedBuilds sides, List<TypeDiff> diffs) {
        return SpooledBody.of(query.representation(), out -> {
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            writeSide(
                    out,
                    LayoutComparison.FROM,
                    sides.from(),
                    DiffWriter.pinsFrom(diffs, sides.from().pinned()));
            writeSide(
                    out,
                    LayoutComparison.TO,
                    sides.to(),
                    DiffWriter.pinsTo(diffs, sides.to().pinned()));
            out.writeBooleanProperty("same", DiffWriter.isSame(diffs));
            out.writeName("types");
            DiffWriter.writeTypes(out, diffs, sides.from().pinned(), sides.to().pinned());
        });
    }

    /** @param marks of the pins that affect this side */
    private static void writeSide(
            JsonGenerator out, String name, LayoutComparison.ComparedBuild side, List<AppliedPin> marks) {
        out.writeObjectPropertyStart(name);
        out.writeStringProperty("buildId", side.id().toString());
        side.file().ifPresent(file -> {
            AnswerParts.writeArchitecture(out, file.architecture());
            out.writeStringProperty("sha256", file.sha256());
            out.writeStringProperty(
                    "extractor", Integer.toString(file.versions().types()));
        });
        if (!marks.isEmpty()) {
            AppliedPins.write(out, "pinned", marks);
            AnswerParts.writeProvenance(out, Optional.empty(), side.pins(), marks);
        }
        out.writeEndObject();
    }
}
