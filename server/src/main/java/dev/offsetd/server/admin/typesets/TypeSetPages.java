package dev.offsetd.server.admin.typesets;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.typeset.MapValue;
import dev.offsetd.query.typeset.NameMap;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.admin.BuildIds;
import dev.offsetd.server.admin.BuildTitles;
import dev.offsetd.server.admin.Format;
import dev.offsetd.server.admin.Htmx;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.typesets.TypeSets;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import jakarta.servlet.http.HttpServletRequest;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.servlet.ModelAndView;
import tools.jackson.databind.json.JsonMapper;

/** The list of type sets, and one set with its coverage in builds. */
@Controller
class TypeSetPages {

    static final String PATH = "/admin/type-sets";

    private static final char LIST = 't';

    /** Most versions listed. */
    private static final int VERSIONS = 50;

    /** Most builds of one page; each costs a few reads of its stored types. */
    private static final int MOST = 50;

    /** Builds shown of those whose stored coverage has the set. */
    private static final int SHOWN = 10;

    /** Builds of a page that are looked at besides, latest first: the coverage of a new set is not stored yet. */
    private static final int LATEST = 20;

    private static final String BUILDS = "builds";
    private static final String BUILD = "build";
    private static final char BUILD_LIST = 'b';

    private final TypeSets sets;
    private final Builds builds;
    private final BuildKeys keys;
    private final BuildStatistics statistics;
    private final Identities identities;
    private final BuildCoverage coverage;
    private final JsonMapper json;
    private final BuildTitles titles;

    TypeSetPages(
            TypeSets sets,
            Builds builds,
            BuildKeys keys,
            BuildStatistics statistics,
            Identities identities,
            BuildCoverage coverage,
            JsonMapper json,
            BuildTitles titles) {
        this.sets = sets;
        this.builds = builds;
        this.keys = keys;
        this.statistics = statistics;
        this.identities = identities;
        this.coverage = coverage;
        this.json = json;
        this.titles = titles;
    }

    /**
     * Coverage of the set by a build.
     *
     * @param machine name of the processor; empty if no types are stored
     * @param coverage null if it is unknown
     * @param note why it is unknown; empty if it is known
     */
    record CoverageLine(
            BuildId id, String machine, @Nullable Coverage coverage, String note) {

        /** Returns whether the build has the runtime that the set is for. */
        boolean isOfRuntime() {
            return coverage != null
                    && (coverage.required().found() > 0
                            || (coverage.required().of() == 0
                                    && coverage.optional().found() > 0));
        }

        public List<MissingLine> missing() {
            return coverage == null
                    ? List.of()
                    : coverage.missing().stream().map(MissingLine::of).toList();
        }
    }

    /**
     * An entry that a build lacks.
     *
     * @param text the item, or the name of the group
     * @param items missing items of the group; empty for a single item
     * @param status of a single item; empty for a group
     */
    record MissingLine(String text, Need need, List<String> items, String status) {

        static MissingLine of(Coverage.MissingEntry missing) {
            return switch (missing) {
                case Coverage.MissingEntry.MissingSingle(Coverage.MissingItem item, Need need) ->
                    new MissingLine(item.text(), need, List.of(), item.status().word());
                case Coverage.MissingEntry.MissingGroup(String name, Need need, List<Coverage.MissingItem> items) ->
                    new MissingLine(
                            name,
                            need,
                            items.stream().map(Coverage.MissingItem::text).toList(),
                            "");
            };
        }
    }

    /** A name map with its values in a build; none if no build is chosen or its types are not stored. */
    record MapTable(NameMap map, List<ValueLine> values) {}

    /**
     * A name of a map.
     *
     * @param value null if it is missing
     * @param missing the missing item and why it has no value; empty if it has one
     */
    record ValueLine(String name, @Nullable String value, String missing) {

        static ValueLine of(NameMap.NamedValue named) {
            if (!(named.value() instanceof MapValue.Missing missing)) {
                return new ValueLine(named.name(), named.value().text(), "");
            }
            String reason = Objects.requireNonNullElse(
                    missing.detail(), Format.words(missing.status().word()));
            return new ValueLine(named.name(), null, missing.item().text() + ": " + reason);
        }
    }

    @GetMapping(PATH)
    String list(HttpServletRequest request, Model model) {
        ListQuery query = ListQuery.of(request, Set.of());
        String after = query.position(LIST).map(TypeSets::nameAt).orElse("");
        model.addAttribute(
                "list",
                ListPage.read(
                        query,
                        LIST,
                        limit -> sets.after(after, true, limit),
                        known -> known.document().set().name().getBytes(StandardCharsets.US_ASCII)));
        return "admin/type-sets/page";
    }

    /**
     * Shows a set.
     *
     * <p>Parameters: the build-ids to list, none for the latest builds of the runtime; and the build whose values of name maps
     * are shown, none for the first of the list.
     */
    @GetMapping(PATH + "/{name}")
    String one(@PathVariable String name, HttpServletRequest request, Model model) {
        TypeSets.CurrentSet known = sets.require(name);
        ListQuery query = ListQuery.of(request, Set.of(BUILDS, BUILD), LATEST, LATEST);
        String typed = query.parameter(BUILDS).orElse("");
        String build = query.parameter(BUILD).orElse("");
        List<CoverageLine> rows = List.of();
        try {
            List<BuildId> ids = BuildIds.resolve(typed, MOST, keys);
            if (ids.isEmpty()) {
                BuildId after = query.buildPosition(BUILD_LIST).orElse(null);
                ListPage<BuildId> latest = ListPage.read(
                        query, BUILD_LIST, limit -> statistics.latestStored(after, limit), BuildId::toBytes);
                model.addAttribute("latest", latest);
                rows = ofRuntime(name, after == null ? identities.latestWith(name, SHOWN) : List.of(), latest.rows());
            } else {
                rows = ids.stream().map(id -> covered(name, id)).toList();
            }
        } catch (IllegalArgumentException e) {
            model.addAttribute("error", e.getMessage());
        }
        BuildId chosen = null;
        String unusable = "Choose a build whose types are stored to see its values.";
        if (build.isBlank()) {
            chosen = rows.stream()
                    .filter(CoverageLine::isOfRuntime)
                    .map(CoverageLine::id)
                    .findFirst()
                    .orElse(null);
        } else {
            try {
                chosen = BuildIds.resolve(build.strip(), keys);
                unusable = "The types of build " + chosen + " are not stored here.";
            } catch (IllegalArgumentException e) {
                unusable = String.valueOf(e.getMessage());
            }
        }
        model.addAttribute("known", known);
        model.addAttribute("json", indented(json, known.document().text()));
        List<TypeSets.SetVersion> versions = sets.versions(name, VERSIONS + 1);
        model.addAttribute("versions", versions.subList(0, Math.min(versions.size(), VERSIONS)));
        model.addAttribute("olderVersions", versions.size() > VERSIONS);
        model.addAttribute("typed", typed);
        model.addAttribute("most", MOST);
        model.addAttribute("covered", rows);
        model.addAttribute("chosen", chosen == null ? build : chosen.toString());
        model.addAttribute("unusable", chosen != null && stored(chosen).isPresent() ? "" : unusable);
        model.addAttribute("maps", maps(known.document().set(), chosen));
        titles.addTo(model, Stream.concat(rows.stream().map(CoverageLine::id), Stream.ofNullable(chosen)));
        return Htmx.view(request, "admin/type-sets/one", "coverage");
    }

    /** Returns the builds of two lists that have something of the set. Fetches nothing. */
    private List<CoverageLine> ofRuntime(String set, List<BuildId> known, List<BuildId> latest) {
        return Stream.concat(known.stream(), latest.stream())
                .distinct()
                .map(id -> covered(set, id))
                .filter(CoverageLine::isOfRuntime)
                .toList();
    }

    private Optional<Build> stored(BuildId id) {
        return builds.find(id).filter(found -> found.file() != null);
    }

    private CoverageLine covered(String set, BuildId id) {
        Build build = builds.find(id).orElse(null);
        if (build == null || build.file() == null) {
            return new CoverageLine(id, "", null, "its types are not stored here");
        }
        return new CoverageLine(
                id,
                build.file().architecture().machine(),
                coverage.ofSet(build, set).orElse(null),
                "stored by another version of the server");
    }

    private List<MapTable> maps(TypeSet set, @Nullable BuildId chosen) {
        Optional<Build> build = set.maps().isEmpty() || chosen == null ? Optional.empty() : stored(chosen);
        return set.maps().stream()
                .map(map -> new MapTable(
                        map,
                        build
                                .flatMap(one -> coverage.ofMap(one, set.name(), map.name()))
                                .map(NameMap.Values::values)
                                .orElse(List.of())
                                .stream()
                                .map(ValueLine::of)
                                .toList()))
                .toList();
    }

    @PostMapping(PATH + "/{name}/retire")
    ModelAndView retire(@PathVariable String name, HttpServletRequest request) {
        sets.retire(name, true, Actor.of(request));
        return Htmx.done(
                PATH + "/" + name, "Retired @" + name + ". Lists leave it out; clients that ask for it are answered.");
    }

    @PostMapping(PATH + "/{name}/restore")
    ModelAndView restore(@PathVariable String name, HttpServletRequest request) {
        sets.retire(name, false, Actor.of(request));
        return Htmx.done(PATH + "/" + name, "Restored @" + name + ".");
    }

    static String indented(JsonMapper json, String text) {
        return json.writerWithDefaultPrettyPrinter().writeValueAsString(json.readTree(text));
    }
}
