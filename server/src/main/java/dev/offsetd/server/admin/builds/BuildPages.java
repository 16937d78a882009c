package dev.offsetd.server.admin.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.store.StoredCatalogue;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.admin.PagePath;
import dev.offsetd.server.answers.consensus.PeerSearch;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.answers.types.RelevantTypes;
import dev.offsetd.server.answers.types.TypeSearch;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ConflictingFiles;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;

/** The page of one build: its status, sources and types. */
@Controller
class BuildPages {

    private static final String VIEW = "admin/builds/build";

    private final Builds builds;
    private final ConflictingFiles conflicts;
    private final BuildTypes types;
    private final Pins pins;
    private final Identities identities;
    private final BuildTitles titles;
    private final BuildKeys keys;
    private final PeerSearch peers;
    private final BuildCoverage coverage;

    BuildPages(
            Builds builds,
            ConflictingFiles conflicts,
            BuildTypes types,
            Pins pins,
            Identities identities,
            BuildTitles titles,
            BuildKeys keys,
            PeerSearch peers,
            BuildCoverage coverage) {
        this.coverage = coverage;
        this.peers = peers;
        this.builds = builds;
        this.conflicts = conflicts;
        this.types = types;
        this.pins = pins;
        this.identities = identities;
        this.titles = titles;
        this.keys = keys;
    }

    /**
     * The types that were searched for.
     *
     * @param definitions number of types of the build
     * @param byName path of the list by name; null if this one has every match
     * @param omitted what was left out of the build's types, as a sentence; null if nothing was
     */
    record TypeList(
            ListPage<TypeLine> page,
            long definitions,
            @Nullable String byName,
            @Nullable String omitted) {}

    /** A type name, with the kinds and the size of its definitions, which is empty if they differ. */
    record TypeLine(String name, String path, String kinds, String size) {}

    @GetMapping(PagePath.BUILDS + "/{buildId}")
    String one(@PathVariable String buildId, HttpServletRequest request, HttpServletResponse response, Model model) {
        Build build = find(buildId);
        BuildId id = build.id();
        ListQuery query = ListQuery.of(request, TypeSearch.PARAMETERS);
        List<SetCoverage> stored = identities.coverage(List.of(id)).getOrDefault(id, List.of());
        List<SetCoverage> covered = build.file() == null ? stored : coverage.current(build, stored);
        BuildId previous = identities.previousVersion(id).orElse(null);
        boolean uploadable = build.file() == null || build.mayBeReplaced();
        model.addAttribute("build", build)
                .addAttribute("polling", BuildListPages.isChanging(build))
                .addAttribute("file", build.symbolsFile().orElse(null))
                .addAttribute("uploadable", uploadable)
                .addAttribute("retryable", uploadable && !build.running())
                .addAttribute("symbols", types.symbolCount(build))
                .addAttribute("identity", identities.find(id).orElse(Identity.UNKNOWN))
                .addAttribute("previous", previous)
                .addAttribute("aliases", keys.of(id))
                .addAttribute(
                        "peers", build.file() != null ? null : peers.find(id).orElse(null))
                .addAttribute("conflicts", conflicts.of(id))
                .addAttribute("pins", pins.activeOf(id))
                .addAttribute("coverage", covered)
                .addAttribute(
                        "types",
                        types.read(build, 0, catalogue -> types(id, catalogue, query, coverage.typesOf(covered)))
                                .orElse(null))
                .addAttribute("kinds", TypeSearch.KINDS)
                .addAttribute("languages", TypeSearch.LANGUAGES);
        titles.addTo(model, Stream.concat(Stream.of(id), Stream.ofNullable(previous)));
        if (Htmx.isFor(request, "types")) {
            return Htmx.view(request, VIEW, "types");
        }
        if (!BuildListPages.isChanging(build)) {
            // The types and forms after the status have changed with it.
            Htmx.reload(response);
        }
        return Htmx.view(request, VIEW, "status");
    }

    private Build find(String buildId) {
        BuildId id = keys.resolve(buildId);
        return builds.find(id)
                .orElseThrow(() -> ProblemException.notFound(
                        "build_not_asked_for",
                        "Unknown build",
                        "build " + id + " is not known here; search for it to query the sources or to pin a field"));
    }

    private static TypeList types(BuildId id, StoredCatalogue stored, ListQuery query, Set<String> ofSets) {
        if (TypeSearch.PARAMETERS.stream().noneMatch(name -> query.filter(name).isPresent())) {
            return new TypeList(
                    RelevantTypes.of(stored, ofSets).page(query).map(name -> line(id, stored, name)),
                    stored.definitionCount(),
                    PagePath.ofBuild(id).with(TypeSearch.SORT, "name").toString(),
                    Omission.summary(stored.omissions()));
        }
        TypeSearch search = TypeSearch.of(query, TypeSearch.Sort.RANK);
        TypeSearch.Found found = search.read(stored);
        PagePath byName = PagePath.ofBuild(id).with(TypeSearch.SORT, "name");
        for (String filter : List.of(TypeSearch.PART, TypeSearch.KIND, TypeSearch.LANG)) {
            byName.with(filter, query.filter(filter).orElse(null));
        }
        return new TypeList(
                found.names().map(name -> line(id, stored, name)),
                stored.definitionCount(),
                search.ranked() && found.more() ? byName.toString() : null,
                Omission.summary(stored.omissions()));
    }

    private static TypeLine line(BuildId id, StoredCatalogue stored, String name) {
        StoredCatalogue.Summary summary = stored.summary(name);
        return new TypeLine(
                name,
                PagePath.ofType(id, name).toString(),
                summary.kinds().stream().map(TypeKind::word).collect(Collectors.joining(", ")),
                summary.byteSize() == TypeShape.UNKNOWN_SIZE ? "" : Format.count(summary.byteSize()));
    }
}
