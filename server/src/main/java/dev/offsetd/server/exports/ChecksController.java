package dev.offsetd.server.exports;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.answer.CheckReport;
import dev.offsetd.query.check.Check;
import dev.offsetd.query.check.ExpansionCheck;
import dev.offsetd.query.check.ProgramCheck;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.query.typeset.Expansion;
import dev.offsetd.server.answers.AnswerParts;
import dev.offsetd.server.answers.BuildAccess;
import dev.offsetd.server.answers.BuildQueries;
import dev.offsetd.server.answers.BuildRequest;
import dev.offsetd.server.answers.ItemResolution;
import dev.offsetd.server.answers.QueryParameters;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.identity.BuildFilter;
import dev.offsetd.server.builds.identity.FilteredBuilds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;
import org.springframework.http.HttpHeaders;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.RestController;

/** Checks whether a BPF program, a type set or a name map works with the stored builds that a search finds. */
@RestController
class ChecksController {

    /** Marks the cursors of checks. */
    private static final char LIST = 'k';

    private static final String MAP = "map";
    private static final String REFERENCE = "reference";
    private static final String STRICT = "strict";
    private static final String MACHINE = "machine";

    private static final Set<Representation> OFFERED =
            EnumSet.of(Representation.JSON, Representation.CBOR, Representation.TEXT, Representation.XML);

    private final BpfObjects objects;
    private final TypeSets sets;
    private final FilteredBuilds builds;
    private final Identities identities;
    private final ItemResolution items;
    private final BuildQueries queries;
    private final BuildKeys keys;

    ChecksController(
            BpfObjects objects,
            TypeSets sets,
            FilteredBuilds builds,
            Identities identities,
            ItemResolution items,
            BuildQueries queries,
            BuildKeys keys) {
        this.objects = objects;
        this.sets = sets;
        this.builds = builds;
        this.identities = identities;
        this.items = items;
        this.queries = queries;
        this.keys = keys;
    }

    @PostMapping("/v1/checks")
    ResponseEntity<?> check(HttpServletRequest request) throws IOException {
        Representation representation = Representation.of(request, OFFERED);
        ListQuery list = ListQuery.of(request, Set.of("q", MACHINE, QueryParameters.TYPES, MAP, REFERENCE, STRICT));
        BuildFilter filter = BuildFilter.of(
                        BuildState.EXTRACTED.name().toLowerCase(Locale.ROOT),
                        null,
                        list.filter(MACHINE).orElse(null),
                        list.filter("q").orElse(""),
                        _ -> Optional.empty())
                .orElseThrow(() -> ListQuery.badValue("q", list.parameter("q").orElse(""), "words of a build's name"));
        boolean strict = list.flag(STRICT).orElse(false);
        BuildId after = list.position(LIST).map(BuildId::of).orElse(null);
        Check check =
                list.parameter(QueryParameters.TYPES).isPresent() ? ofSet(list, request) : ofProgram(list, request);
        if (check == null) {
            return queries.inProgress(reference(list, request), Representation.JSON);
        }
        List<Build> found = builds.page(filter, after, list.limit() + 1);
        List<Build> page = found.subList(0, Math.min(list.limit(), found.size()));
        CheckReport report =
                new CheckReport(page.stream().map(build -> row(build, check)).toList(), strict);
        String next =
                found.size() > page.size() ? list.next(LIST, page.getLast().id().toBytes()) : null;
        ResponseEntity.BodyBuilder response = ResponseEntity.ok()
                .header(HttpHeaders.CONTENT_TYPE, representation.contentType())
                .header(HttpHeaders.CACHE_CONTROL, "no-store")
                .header("X-Offsetd-Passes", Boolean.toString(report.passes()));
        if (next != null) {
            response.header("X-Offsetd-Next", next);
        }
        return response.body(body(representation, report, next));
    }

    private ProgramCheck ofProgram(ListQuery list, HttpServletRequest request) throws IOException {
        for (String name : List.of(MAP, REFERENCE)) {
            list.parameter(name).ifPresent(value -> {
                throw ListQuery.badValue(name, value, "none without types=@SET");
            });
        }
        return new ProgramCheck(objects.relocations(request));
    }

    /** Returns the check of a type set or name map; null if the reference build is not extracted yet. */
    private @Nullable Check ofSet(ListQuery list, HttpServletRequest request) {
        List<Item> sent = QueryParameters.parse(
                List.of(list.parameter(QueryParameters.TYPES).orElseThrow()));
        String map = list.parameter(MAP).orElse(null);
        Expansion expansion = map == null ? sets.expand(sent) : sets.expandMap(sent, map);
        ExpansionCheck check = new ExpansionCheck(expansion);
        if (list.parameter(REFERENCE).isEmpty()) {
            return check;
        }
        Optional<BuildAccess.Stored> stored = queries.stored(reference(list, request));
        return stored.isEmpty() ? null : reading(stored.get().build(), check, check::against);
    }

    private BuildRequest reference(ListQuery list, HttpServletRequest request) {
        return new BuildRequest(
                keys.resolve(list.parameter(REFERENCE).orElseThrow()), BuildRequest.Part.TYPES, Wait.of(request), null);
    }

    private CheckReport.Row row(Build build, Check check) {
        String title = identities.find(build.id()).orElse(Identity.UNKNOWN).title();
        try {
            return new CheckReport.Row(build.id().toString(), title, reading(build, check, check::findings), null);
        } catch (CorruptBlobException e) {
            return new CheckReport.Row(
                    build.id().toString(), title, List.of(), "another version of the server has stored it");
        }
    }

    private <T> T reading(Build build, Check check, Function<BuildContents, T> work) {
        StoredCatalogue types = items.open(build);
        return items.reading(types, check.items(), () -> {
            Optional<TypeIndex> pinned =
                    items.pinsInEffect(build).over(Optional.of(types)).index();
            boolean symbols = check.items().stream().anyMatch(Item::needsSymbols);
            return work.apply(new BuildContents(pinned.orElse(types), symbols ? items.symbols(build) : null));
        });
    }

    private static byte[] body(Representation representation, CheckReport report, @Nullable String next) {
        return switch (representation) {
            case TEXT -> (String.join("\n", report.lines()) + "\n").getBytes(StandardCharsets.UTF_8);
            case XML -> report.junit().getBytes(StandardCharsets.UTF_8);
            default ->
                representation.object(out -> {
                    out.writeNumberProperty("schemaVersion", AnswerParts.SCHEMA_VERSION);
                    report.write(out);
                    if (next != null) {
                        out.writeStringProperty("next", next);
                    }
                });
        };
    }
}
