package dev.offsetd.server.admin.overview;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.offsets.BuildCoverage;
import dev.offsetd.server.typesets.TypeSets;
import java.time.Duration;
import java.util.List;
import java.util.stream.Stream;
import org.springframework.stereotype.Component;

/** Coverage of the type sets that concern the builds extracted last. */
@Component
class LatestCoverage {

    private static final int BUILDS = 5;
    private static final int SETS = 20;

    private final BuildStatistics statistics;
    private final Builds builds;
    private final TypeSets sets;
    private final BuildCoverage coverage;
    /** Each entry costs a few reads per set. It expires because sets change. */
    private final Cache<Key, List<OverviewPage.CoverageLine>> lines = Caffeine.newBuilder()
            .maximumSize(10 * BUILDS)
            .expireAfterWrite(Duration.ofMinutes(1))
            .build();

    private record Key(BuildId id, long generation) {}

    LatestCoverage(BuildStatistics statistics, Builds builds, TypeSets sets, BuildCoverage coverage) {
        this.statistics = statistics;
        this.builds = builds;
        this.sets = sets;
        this.coverage = coverage;
    }

    /** Returns a line for each set of which a build has a required item. */
    List<OverviewPage.CoverageLine> lines() {
        return statistics.latestStored(BUILDS).stream()
                .flatMap(id -> builds.find(id).stream())
                .filter(build -> build.file().isPresent())
                .flatMap(build -> lines.get(new Key(build.id(), build.generation()), _ -> lines(build)).stream())
                .toList();
    }

    private List<OverviewPage.CoverageLine> lines(Build build) {
        return sets.after("", SETS).stream()
                .map(set -> set.document().set().name())
                .flatMap(set -> line(build, set))
                .toList();
    }

    private Stream<OverviewPage.CoverageLine> line(Build build, String set) {
        return coverage
                .ofSet(build, set)
                .filter(found -> found.required().found() > 0)
                .map(found -> new OverviewPage.CoverageLine(build.id(), set, found))
                .stream();
    }
}
