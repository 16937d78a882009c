package dev.offsetd.server.admin.typesets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.admin.shell.BuildIds;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.Builds;
import java.util.List;
import org.springframework.stereotype.Component;

/** Coverage of type sets in stored builds. */
@Component
class BuildsOfSet {

    /** Most builds of one page; each costs a few reads of its stored types. */
    private static final int MOST = 50;

    /** Builds shown if none are named. */
    private static final int LATEST = 10;

    private final Builds builds;
    private final BuildStatistics statistics;
    private final BuildCoverage coverage;

    BuildsOfSet(Builds builds, BuildStatistics statistics, BuildCoverage coverage) {
        this.builds = builds;
        this.statistics = statistics;
        this.coverage = coverage;
    }

    /** Looks up the coverage in these builds, or in the latest ones if the text is empty. Fetches nothing. */
    TypeSetPage.CoverageTable of(String set, String typed) {
        List<BuildId> ids;
        try {
            ids = BuildIds.parse(typed, MOST);
        } catch (IllegalArgumentException e) {
            return new TypeSetPage.CoverageTable(typed, e.getMessage(), MOST, List.of());
        }
        return new TypeSetPage.CoverageTable(
                typed,
                null,
                MOST,
                (ids.isEmpty() ? statistics.latestStored(LATEST) : ids)
                        .stream().map(id -> one(set, id)).toList());
    }

    private TypeSetPage.CoverageLine one(String set, BuildId id) {
        Build build = builds.find(id).filter(found -> found.file().isPresent()).orElse(null);
        if (build == null) {
            return new TypeSetPage.CoverageLine(id, "", null, "its types are not stored here", List.of());
        }
        String machine = build.file().orElseThrow().architecture().machine();
        return coverage.ofSet(build, set)
                .map(found -> new TypeSetPage.CoverageLine(
                        id,
                        machine,
                        found,
                        "",
                        found.missing().stream().map(BuildsOfSet::missing).toList()))
                .orElseGet(() -> new TypeSetPage.CoverageLine(
                        id, machine, null, "stored by another version of the server", List.of()));
    }

    private static TypeSetPage.MissingEntryLine missing(Coverage.MissingEntry missing) {
        return switch (missing) {
            case Coverage.MissingEntry.MissingSingle one ->
                new TypeSetPage.MissingEntryLine(
                        one.item().text(),
                        one.need(),
                        List.of(),
                        one.item().status().word());
            case Coverage.MissingEntry.MissingGroup group ->
                new TypeSetPage.MissingEntryLine(
                        group.name(),
                        group.need(),
                        group.items().stream().map(Coverage.MissingItem::text).toList(),
                        "");
        };
    }
}
