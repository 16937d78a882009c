package dev.offsetd.server.admin.typesets;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.query.item.Need;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.offsets.BuildCoverage;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** What builds have of a set, for people. */
@Component
class BuildsOfSet {

    /** Most builds that are looked at for one page; each costs a few reads of its stored types. */
    static final int MOST = 50;

    /** Builds that are looked at when nobody says which. */
    private static final int USUAL = 10;

    private final Builds builds;
    private final BuildStatistics statistics;
    private final BuildCoverage coverage;

    BuildsOfSet(Builds builds, BuildStatistics statistics, BuildCoverage coverage) {
        this.builds = builds;
        this.statistics = statistics;
        this.coverage = coverage;
    }

    /** The builds whose types were stored last. */
    List<TypeSetPage.Build> latest(String set) {
        return of(set, statistics.latestStored(USUAL));
    }

    /** These builds, in their order. Nothing is fetched: of a build that is not stored it is said that it is not. */
    List<TypeSetPage.Build> of(String set, Collection<BuildId> ids) {
        return ids.stream().map(id -> one(set, id)).toList();
    }

    private TypeSetPage.Build one(String set, BuildId id) {
        Build build = builds.find(id).filter(found -> found.file().isPresent()).orElse(null);
        if (build == null) {
            return without(id, "", "its types are not stored here");
        }
        String machine = build.file().orElseThrow().architecture().machine();
        Optional<Coverage> found = coverage.ofSet(build, set);
        return found.map(share -> with(id, machine, share))
                .orElseGet(() -> without(id, machine, "another version of the server has stored it"));
    }

    private static TypeSetPage.Build without(BuildId id, String machine, @Nullable String told) {
        return new TypeSetPage.Build(id.toString(), told, machine, "", "", false, List.of());
    }

    private static TypeSetPage.Build with(BuildId id, String machine, Coverage coverage) {
        return new TypeSetPage.Build(
                id.toString(),
                null,
                machine,
                share(coverage.required()),
                share(coverage.optional()),
                coverage.isComplete(),
                coverage.missing().stream().map(BuildsOfSet::missing).toList());
    }

    private static String share(Coverage.Share share) {
        return share.found() + " of " + share.of();
    }

    private static TypeSetPage.Missing missing(Coverage.Missing missing) {
        boolean required = missing.need() == Need.REQUIRED;
        return switch (missing) {
            case Coverage.Missing.One one ->
                new TypeSetPage.Missing(
                        one.item().text(),
                        required,
                        List.of(),
                        one.item().status().word().replace('_', ' '));
            case Coverage.Missing.Group group ->
                new TypeSetPage.Missing(
                        group.name(),
                        required,
                        group.items().stream().map(Coverage.MissingItem::text).toList(),
                        "");
        };
    }
}
