package dev.offsetd.server.admin.overview;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.sources.UpstreamHealth;
import dev.offsetd.server.sources.outcome.BuildState;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Content of the overview.
 *
 * @param server host and process; upstreams and some facts are those of this server
 * @param stale whether the server cannot see the changes of other servers
 * @param machines number of builds by processor
 * @param storage facts by name
 */
record OverviewPage(
        String server,
        Instant startedAt,
        boolean stale,
        List<Stat> stats,
        List<StateCount> states,
        Map<String, String> machines,
        List<BuildStatistics.LatestResult> failures,
        List<BuildStatistics.LatestResult> results,
        List<BuildStatistics.WorkInProgress> work,
        List<UpstreamLine> upstreams,
        List<DemandCount> demand,
        List<CoverageLine> coverage,
        Map<String, String> storage) {

    /** Returns the builds that the page names. */
    Stream<BuildId> builds() {
        return Stream.of(
                        failures.stream().map(BuildStatistics.LatestResult::id),
                        results.stream().map(BuildStatistics.LatestResult::id),
                        coverage.stream().map(CoverageLine::id),
                        work.stream().map(BuildStatistics.WorkInProgress::id),
                        demand.stream().map(DemandCount::id))
                .flatMap(Function.identity());
    }

    /** A figure, with the page that lists what it counts. */
    record Stat(
            String label,
            String value,
            @Nullable String note,
            @Nullable String link) {}

    /** Coverage of a type set by a build. */
    record CoverageLine(BuildId id, SetCoverage coverage) {}

    /** Number of builds in a state. */
    record StateCount(BuildState state, String builds) {}

    /**
     * An upstream.
     *
     * @param median duration of recent requests; null if there are none
     * @param misses number of builds that it is known to lack
     */
    record UpstreamLine(UpstreamHealth health, @Nullable Duration median, String misses) {}
}
