package dev.offsetd.server.answers.types;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.query.answer.AppliedPins;
import dev.offsetd.query.answer.DiffWriter;
import dev.offsetd.query.answer.NameMapWriter;
import dev.offsetd.query.diff.LayoutDiff;
import dev.offsetd.query.diff.TypeDiff;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.overlay.AppliedPin;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.answers.Answer;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.BuildRequest.Part;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.answers.SpooledBody;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;
import tools.jackson.core.JsonGenerator;

/** Layout changes between two builds. */
@RestController
class DiffController {

    private static final String MAP = "map";

    private final BuildQueries queries;
    private final LayoutComparison layouts;
    private final BuildKeys keys;
    private final TypeSets sets;
    private final ItemResolution resolution;

    DiffController(
            BuildQueries queries, LayoutComparison layouts, BuildKeys keys, TypeSets sets, ItemResolution resolution) {
        this.queries = queries;
        this.layouts = layouts;
        this.keys = keys;
        this.sets = sets;
        this.resolution = resolution;
    }

    @GetMapping("/v1/diff")
    ResponseEntity<?> diff(HttpServletRequest request) {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        QueryParameters parameters = QueryParameters.of(
                request.getQueryString(),
                Set.of(LayoutComparison.FROM, LayoutComparison.TO, QueryParameters.TYPES, QueryParameters.LANG, MAP),
                Set.of(QueryParameters.TYPES));
        Wait wait = Wait.of(request);
        BuildRequest from = side(LayoutComparison.FROM, parameters, wait, Caller.of(request));
        BuildRequest to = side(LayoutComparison.TO, parameters, wait, Caller.of(request));
        List<Item> sent = QueryParameters.parse(parameters.items());
        Language.Family language = parameters.language();
        String map = parameters.one(MAP).orElse(null);
        Expansion expansion = map == null ? sets.expand(sent) : sets.expandMap(sent, map);
        return switch (layouts.open(from, to)) {
            case LayoutComparison.InProgress(BuildRequest missing) -> queries.inProgress(missing, representation);
            case LayoutComparison.ComparedBuilds sides -> {
                Optional<SpooledBody> body = layouts.comparing(
                        sides,
                        expansion.alternatives(),
                        () -> map == null
                                ? body(
                                        representation,
                                        sides,
                                        LayoutDiff.ofItems(
                                                LayoutComparison.items(expansion),
                                                sides.from().types(),
                                                sides.to().types(),
                                                language),
                                        expansion::isOptional)
                                : body(representation, sides, expansion, language));
                yield body.isEmpty()
                        ? queries.inProgress(from, representation)
                        // Either build may change, so caches may keep the answer only for the shorter time.
                        : new Answer(representation, body.get(), false).response(request);
            }
        };
    }

    private BuildRequest side(String name, QueryParameters parameters, Wait wait, Caller caller) {
        String key = parameters
                .one(name)
                .orElseThrow(() -> ProblemException.badRequest(
                        "missing_build", "No build", "parameter " + name + " is missing; expected a build-id"));
        try {
            return new BuildRequest(keys.resolve(key), caller, Part.TYPES, wait, null);
        } catch (ProblemException e) {
            throw LayoutComparison.about(name, null, e);
        }
    }

    private static SpooledBody body(
            Representation representation,
            LayoutComparison.ComparedBuilds sides,
            List<TypeDiff> diffs,
            Predicate<String> optional) {
        return SpooledBody.of(representation, out -> {
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
            out.writeBooleanProperty("same", DiffWriter.isSame(DiffWriter.withoutMissing(diffs, optional)));
            out.writeName("types");
            DiffWriter.writeTypes(out, diffs, sides.from().pinned(), sides.to().pinned());
        });
    }

    private SpooledBody body(
            Representation representation,
            LayoutComparison.ComparedBuilds sides,
            Expansion query,
            Language.@Nullable Family language) {
        List<NameMap.Change> changes =
                values(query, sides.from(), language).changes(values(query, sides.to(), language));
        return SpooledBody.of(representation, out -> {
            out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
            writeSide(out, LayoutComparison.FROM, sides.from(), List.of());
            writeSide(out, LayoutComparison.TO, sides.to(), List.of());
            out.writeBooleanProperty("same", changes.isEmpty());
            out.writeName("names");
            NameMapWriter.writeChanges(out, changes);
        });
    }

    private NameMap.Values values(
            Expansion query, LayoutComparison.ComparedBuild side, Language.@Nullable Family language) {
        return query.answer(
                        side.types(),
                        () -> side.side().access() instanceof BuildAccess.Stored(Build build, StoredFile _)
                                ? resolution.symbols(build)
                                : null,
                        language)
                .map()
                .orElseThrow();
    }

    /** @param marks of the pins that affect this side */
    private static void writeSide(
            JsonGenerator out, String name, LayoutComparison.ComparedBuild side, List<AppliedPin> marks) {
        out.writeObjectPropertyStart(name);
        out.writeStringProperty("buildId", side.id().toString());
        StoredFile file = side.file();
        if (file != null) {
            AnswerParts.writeArchitecture(out, file.architecture());
            out.writeStringProperty("sha256", file.sha256());
            out.writeStringProperty(
                    "extractor", Integer.toString(file.versions().types()));
        }
        if (!marks.isEmpty()) {
            AppliedPins.write(out, "pinned", marks);
            AnswerParts.writeProvenance(out, null, side.pins(), marks);
        }
        out.writeEndObject();
    }
}
