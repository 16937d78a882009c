package dev.offsetd.server.admin;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.builds.demand.DemandCount;
import dev.offsetd.server.builds.demand.DemandOrder;
import dev.offsetd.server.builds.demand.DemandTable;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.database.DatabaseState;
import dev.offsetd.server.operations.changes.Freshness;
import dev.offsetd.server.pins.Pins;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.DiskCache;
import dev.offsetd.server.sources.UpstreamHealth;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.StoredBytes;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import jakarta.servlet.http.HttpServletRequest;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.stereotype.Controller;
import org.springframework.ui.Model;
import org.springframework.web.bind.annotation.GetMapping;

/** The overview, which refreshes itself. Its content is collected at most once in two seconds, however many browsers show it. */
@Controller
class Overview {

    private static final Duration MAX_AGE = Duration.ofSeconds(2);
    private static final int ROWS = 10;
    private static final int COVERED_BUILDS = 5;

    private final BuildStatistics builds;
    private final StorageFacts storage;
    private final DebugFileSources upstreams;
    private final DemandTable demand;
    private final Identities identities;
    private final Pins pins;
    private final Freshness freshness;
    private final MeterRegistry meters;
    private final BuildTitles titles;
    private final String server = server();
    private final Instant startedAt =
            Instant.ofEpochMilli(ManagementFactory.getRuntimeMXBean().getStartTime());
    private final LoadingCache<Boolean, OverviewPage> page =
            Caffeine.newBuilder().expireAfterWrite(MAX_AGE).build(_ -> gather());

    Overview(
            BuildStatistics builds,
            StorageFacts storage,
            DebugFileSources upstreams,
            DemandTable demand,
            Identities identities,
            Pins pins,
            Freshness freshness,
            MeterRegistry meters,
            BuildTitles titles) {
        this.builds = builds;
        this.storage = storage;
        this.upstreams = upstreams;
        this.demand = demand;
        this.identities = identities;
        this.pins = pins;
        this.freshness = freshness;
        this.meters = meters;
        this.titles = titles;
    }

    /**
     * Content of the overview.
     *
     * @param machines number of builds by processor
     * @param storage facts by name
     */
    record OverviewPage(
            ThisServer server,
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
                            Stream.concat(failures.stream(), results.stream()).map(BuildStatistics.LatestResult::id),
                            coverage.stream().map(CoverageLine::id),
                            work.stream().map(BuildStatistics.WorkInProgress::id),
                            demand.stream().map(DemandCount::id))
                    .flatMap(Function.identity());
        }
    }

    /**
     * The server that answers, which upstreams and some facts are of.
     *
     * @param name host and process
     * @param stale whether it cannot see the changes of others
     */
    record ThisServer(String name, Instant startedAt, boolean stale) {}

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

    /** Returns the type sets of which the builds extracted last have a required item. */
    private List<CoverageLine> coverage() {
        List<BuildId> latest = builds.latestStored(COVERED_BUILDS);
        Map<BuildId, List<SetCoverage>> coverage = identities.coverage(latest);
        return latest.stream()
                .flatMap(id -> coverage.getOrDefault(id, List.of()).stream().map(set -> new CoverageLine(id, set)))
                .toList();
    }

    private static String server() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "this host";
        }
        return host + ", process " + ProcessHandle.current().pid();
    }

    @GetMapping("/admin")
    String show(HttpServletRequest request, Model model) {
        OverviewPage shown = page.get(true);
        model.addAttribute("page", shown);
        titles.addTo(model, shown.builds());
        return Htmx.view(request, "admin/overview/page", "refreshed");
    }

    private OverviewPage gather() {
        BuildStatistics.Counts counts = builds.counts();
        List<BuildStatistics.WorkInProgress> work = builds.inProgress(ROWS);
        return new OverviewPage(
                new ThisServer(server, startedAt, freshness.mayBeStale()),
                stats(counts, work.size()),
                counts.byState().entrySet().stream()
                        .map(state -> new StateCount(state.getKey(), number(counts, state.getValue())))
                        .toList(),
                machines(counts),
                builds.latestFailures(ROWS),
                builds.latest(ROWS),
                work,
                upstreams(),
                demand.page(DemandOrder.COUNT, null, null, ROWS),
                coverage(),
                storage.read());
    }

    private List<Stat> stats(BuildStatistics.Counts counts, int work) {
        return List.of(
                new Stat("builds", number(counts, counts.total()), null, "/admin/builds"),
                ofState(counts, BuildState.EXTRACTED, "/admin/builds?state=extracted"),
                new Stat(
                        "in progress",
                        work == ROWS ? ROWS + " or more" : Integer.toString(work),
                        "on all servers",
                        null),
                ofState(counts, BuildState.FAILED, "/admin/builds?state=failed"),
                ofState(counts, BuildState.NOT_FOUND, "/admin/builds?state=not_found"),
                new Stat("answers", Format.count(answers()), "by this server", null),
                pins());
    }

    private static Stat ofState(BuildStatistics.Counts counts, BuildState state, String link) {
        String number = number(counts, counts.byState().getOrDefault(state, 0L));
        return new Stat(Format.words(state.word()), number, null, link);
    }

    private Stat pins() {
        long active = pins.countActive();
        long toReview = pins.countToReview();
        return new Stat(
                active == 1 ? "active pin" : "active pins",
                Format.count(active),
                toReview == 0 ? null : Format.count(toReview) + " to review",
                toReview == 0 ? "/admin/pins?state=active" : "/admin/pins?state=active&review=true");
    }

    private static Map<String, String> machines(BuildStatistics.Counts counts) {
        Map<String, String> machines = new LinkedHashMap<>();
        counts.byMachine().entrySet().stream()
                .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                .forEach(machine -> machines.put(machine.getKey(), number(counts, machine.getValue())));
        return machines;
    }

    private static String number(BuildStatistics.Counts counts, long number) {
        return switch (counts.precision()) {
            case EXACT -> Format.count(number);
            case ABOUT -> "about " + Format.count(number);
            case AT_LEAST -> "over " + Format.count(number);
        };
    }

    /** Counts the successful requests for offsets since the server started. */
    private long answers() {
        return meters.find("http.server.requests").timers().stream()
                .filter(timer -> String.valueOf(timer.getId().getTag("uri")).startsWith("/v1/offsets")
                        && "SUCCESS".equals(timer.getId().getTag("outcome")))
                .mapToLong(io.micrometer.core.instrument.Timer::count)
                .sum();
    }

    private List<UpstreamLine> upstreams() {
        Map<String, BuildStatistics.SourceMisses> misses =
                builds.misses().stream().collect(Collectors.toMap(BuildStatistics.SourceMisses::source, each -> each));
        return upstreams.health().stream()
                .map(health -> new UpstreamLine(health, median(health.latest()), number(misses.get(health.name()))))
                .sorted(Comparator.comparing(UpstreamLine::median, Comparator.nullsLast(Comparator.reverseOrder())))
                .toList();
    }

    private static String number(BuildStatistics.@Nullable SourceMisses misses) {
        return misses == null ? "0" : Format.count(misses.builds()) + (misses.more() ? " or more" : "");
    }

    /** Returns the median duration of the requests; null if there are none. */
    private static @Nullable Duration median(List<UpstreamHealth.Request> requests) {
        return requests.isEmpty()
                ? null
                : requests.stream()
                        .map(UpstreamHealth.Request::took)
                        .sorted()
                        .toList()
                        .get((requests.size() - 1) / 2);
    }

    /** The facts that the overview shows of the database and the disk of this server. */
    @Component
    record StorageFacts(StoredBytes stored, DatabaseState database, DiskCache cache, MeterRegistry meters) {

        Map<String, String> read() {
            DatabaseState.Snapshot state = database.look();
            DiskCache.Use use = cache.use();
            Map<String, String> facts = new LinkedHashMap<>();
            facts.put("PostgreSQL", state.version());
            StoredBytes.Sizes sizes = stored.sizes();
            facts.put("Database", Format.bytes(state.bytes()));
            facts.put("Types", Format.bytes(sizes.catalogues()));
            facts.put("Symbols", Format.bytes(sizes.symbols()));
            facts.put("Functions and lines", Format.bytes(sizes.frames()));
            facts.put(
                    "Connections",
                    Format.count(state.connections()) + " of all servers; this server has "
                            + Format.count(gauge("hikaricp.connections.active")) + " in use and "
                            + Format.count(gauge("hikaricp.connections.pending")) + " waiting");
            facts.put(
                    "Debug files",
                    Format.count(use.files(), "file") + ", " + Format.bytes(use.bytes()) + " of at most "
                            + Format.bytes(use.maxBytes()));
            facts.put("Free disk", Format.bytes(gauge("disk.free")) + " of " + Format.bytes(gauge("disk.total")));
            return facts;
        }

        private long gauge(String name) {
            return Math.round(meters.find(name).gauges().stream()
                    .mapToDouble(Gauge::value)
                    .sum());
        }
    }
}
