package dev.offsetd.server.admin.overview;

import com.github.benmanes.caffeine.cache.Caffeine;
import com.github.benmanes.caffeine.cache.LoadingCache;
import dev.offsetd.server.admin.shell.Figures;
import dev.offsetd.server.admin.shell.Moment;
import dev.offsetd.server.builds.BuildStatistics;
import dev.offsetd.server.catalogues.StoredBytes;
import dev.offsetd.server.changes.Freshness;
import dev.offsetd.server.database.DatabaseState;
import dev.offsetd.server.demand.Demand;
import dev.offsetd.server.demand.DemandOrder;
import dev.offsetd.server.fetch.DebugFileCache;
import dev.offsetd.server.fetch.UpstreamHealth;
import dev.offsetd.server.fetch.Upstreams;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.pins.Pin;
import dev.offsetd.server.pins.Pins;
import io.micrometer.core.instrument.MeterRegistry;
import java.lang.management.ManagementFactory;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Gathers what the overview shows. Whoever looks within two seconds sees the same, so that many windows cost no more than one. */
@Component
class Overview {

    private static final Duration SHOWN_FOR = Duration.ofSeconds(2);
    private static final int ROWS = 10;

    private final BuildStatistics builds;
    private final StoredBytes stored;
    private final DatabaseState database;
    private final DebugFileCache cache;
    private final Upstreams upstreams;
    private final Demand demand;
    private final Pins pins;
    private final Freshness freshness;
    private final MeterRegistry meters;
    private final OverviewPage.Server server = server();
    private final LoadingCache<Boolean, OverviewPage> page =
            Caffeine.newBuilder().expireAfterWrite(SHOWN_FOR).build(_ -> gather());

    Overview(
            BuildStatistics builds,
            StoredBytes stored,
            DatabaseState database,
            DebugFileCache cache,
            Upstreams upstreams,
            Demand demand,
            Pins pins,
            Freshness freshness,
            MeterRegistry meters) {
        this.builds = builds;
        this.stored = stored;
        this.database = database;
        this.cache = cache;
        this.upstreams = upstreams;
        this.demand = demand;
        this.pins = pins;
        this.freshness = freshness;
        this.meters = meters;
    }

    private static OverviewPage.Server server() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "this host";
        }
        return new OverviewPage.Server(
                host + ", process " + ProcessHandle.current().pid(),
                Moment.of(Instant.ofEpochMilli(
                        ManagementFactory.getRuntimeMXBean().getStartTime())));
    }

    /** What there is to show. */
    OverviewPage page() {
        return page.get(true);
    }

    private OverviewPage gather() {
        BuildStatistics.Counts counts = builds.counts();
        StoredBytes.Sizes sizes = stored.sizes();
        List<BuildStatistics.Work> underWay = builds.underWay(ROWS);
        return new OverviewPage(
                server,
                warnings(),
                List.of(
                        new OverviewPage.Stat(number(counts, counts.total()), "builds", null, "/admin/builds"),
                        new OverviewPage.Stat(
                                number(counts, counts.byState().getOrDefault(BuildState.EXTRACTED, 0L)),
                                "with types",
                                null,
                                "/admin/builds?state=extracted"),
                        new OverviewPage.Stat(
                                underWay.size() == ROWS ? ROWS + " or more" : Integer.toString(underWay.size()),
                                "under way",
                                "on all servers",
                                null),
                        new OverviewPage.Stat(Figures.bytes(sizes.catalogues()), "of types", "in the database", null),
                        new OverviewPage.Stat(Figures.bytes(sizes.symbols()), "of symbols", "in the database", null),
                        new OverviewPage.Stat(Figures.count(answers()), "questions answered", "by this server", null),
                        pins()),
                counts.byState().entrySet().stream()
                        .map(entry -> new OverviewPage.Part(
                                told(entry.getKey()), badge(entry.getKey()), number(counts, entry.getValue())))
                        .toList(),
                counts.byMachine().entrySet().stream()
                        .sorted(Map.Entry.<String, Long>comparingByValue().reversed())
                        .map(entry ->
                                new OverviewPage.Part(entry.getKey(), "badge-quiet", number(counts, entry.getValue())))
                        .toList(),
                builds.latest(ROWS).stream().map(Overview::result).toList(),
                underWay.stream()
                        .map(work -> new OverviewPage.Work(
                                work.id().toString(),
                                work.here() ? "this server" : "another server",
                                Moment.of(work.seenAt()),
                                work.stored()))
                        .toList(),
                upstreams(),
                demand.page(DemandOrder.COUNT, Optional.empty(), Optional.empty(), ROWS).stream()
                        .map(count -> new OverviewPage.Demand(
                                count.id().toString(),
                                Figures.count(count.asked()),
                                Moment.of(count.lastAsked()),
                                count.cause()))
                        .toList(),
                stores());
    }

    private OverviewPage.Stat pins() {
        Map<Pin.Agreement, Long> counts = pins.countActive();
        long wrong = counts.getOrDefault(Pin.Agreement.DISAGREES, 0L);
        long active = counts.values().stream().mapToLong(Long::longValue).sum();
        return new OverviewPage.Stat(
                Figures.count(active),
                active == 1 ? "active pin" : "active pins",
                wrong == 0 ? null : Figures.count(wrong) + (wrong == 1 ? " disagrees" : " disagree") + " with the file",
                wrong == 0 ? "/admin/pins?state=active" : "/admin/pins?state=active&agreement=disagrees");
    }

    private List<String> warnings() {
        return freshness.blind()
                ? List.of(
                        "This server cannot see what other servers change: answers in its memory go out marked as stale"
                                + " until the database answers again.")
                : List.of();
    }

    private static String number(BuildStatistics.Counts counts, long number) {
        return switch (counts.precision()) {
            case EXACT -> Figures.count(number);
            case ABOUT -> "about " + Figures.count(number);
            case AT_LEAST -> "over " + Figures.count(number);
        };
    }

    /** Answers to all questions about builds that this server has given since it started. */
    private long answers() {
        return meters.find("http.server.requests").timers().stream()
                .filter(timer -> String.valueOf(timer.getId().getTag("uri")).startsWith("/v1/offsets")
                        && "SUCCESS".equals(timer.getId().getTag("outcome")))
                .mapToLong(io.micrometer.core.instrument.Timer::count)
                .sum();
    }

    private static String told(BuildState state) {
        return switch (state) {
            case WANTED -> "wanted";
            case EXTRACTED -> "extracted";
            case NOT_FOUND -> "not found";
            case UNUSABLE -> "unusable";
            case FAILED -> "failed";
        };
    }

    private static String badge(BuildState state) {
        return switch (state) {
            case WANTED -> "badge-info";
            case EXTRACTED -> "badge-ok";
            case NOT_FOUND -> "badge-quiet";
            case UNUSABLE -> "badge-warn";
            case FAILED -> "badge-bad";
        };
    }

    private static OverviewPage.Result result(BuildStatistics.Result result) {
        return new OverviewPage.Result(
                result.id().toString(),
                Moment.of(result.at()),
                told(result.state()),
                badge(result.state()),
                result.state() == BuildState.EXTRACTED
                        ? result.machine() + ", from " + result.source()
                        : result.detail() == null ? "" : result.detail());
    }

    private List<OverviewPage.Upstream> upstreams() {
        Map<String, BuildStatistics.Misses> misses =
                builds.misses().stream().collect(Collectors.toMap(BuildStatistics.Misses::source, each -> each));
        List<OverviewPage.Upstream> shown = new ArrayList<>();
        for (UpstreamHealth health : upstreams.health()) {
            shown.add(new OverviewPage.Upstream(
                    health.name(),
                    health.enabled() ? told(health.breaker()) : "not asked",
                    health.enabled() ? badge(health.breaker()) : "badge-quiet",
                    health.retryAfter().isPositive() ? Figures.time(health.retryAfter()) : null,
                    Figures.count(health.requests()),
                    Figures.count(health.failures()),
                    latency(health.latest()),
                    moment(health.lastAskedAt()),
                    moment(health.lastFailureAt()),
                    health.lastFailure(),
                    health.latest().stream().map(Overview::asked).toList(),
                    told(misses.get(health.name()))));
        }
        return shown;
    }

    private static @Nullable Moment moment(@Nullable Instant time) {
        return time == null ? null : Moment.of(time);
    }

    private static String told(BuildStatistics.@Nullable Misses misses) {
        if (misses == null) {
            return "0";
        }
        return Figures.count(misses.builds()) + (misses.more() ? " or more" : "");
    }

    /** What half of the last requests took at most; null if there were none. */
    private static @Nullable String latency(List<UpstreamHealth.Asked> latest) {
        return latest.isEmpty()
                ? null
                : Figures.time(latest.stream()
                        .map(UpstreamHealth.Asked::took)
                        .sorted()
                        .toList()
                        .get((latest.size() - 1) / 2));
    }

    private static String told(UpstreamHealth.Breaker breaker) {
        return switch (breaker) {
            case CLOSED -> "works";
            case OPEN -> "left in peace";
            case HALF_OPEN -> "being tried";
        };
    }

    private static String badge(UpstreamHealth.Breaker breaker) {
        return switch (breaker) {
            case CLOSED -> "badge-ok";
            case OPEN -> "badge-bad";
            case HALF_OPEN -> "badge-warn";
        };
    }

    private static OverviewPage.Asked asked(UpstreamHealth.Asked asked) {
        String told = asked.outcome().replace('_', ' ') + " after " + Figures.time(asked.took()) + ", "
                + Moment.of(asked.at()).text();
        return switch (asked.outcome()) {
            case "fetched" -> new OverviewPage.Asked("✓", "badge-ok", told);
            case "not_found" -> new OverviewPage.Asked("–", "badge-quiet", told);
            case "too_large", "local_failure", "not_asked" -> new OverviewPage.Asked("?", "badge-warn", told);
            default -> new OverviewPage.Asked("!", "badge-bad", told);
        };
    }

    private List<OverviewPage.Fact> stores() {
        DatabaseState.State state = database.look();
        DebugFileCache.Use use = cache.use();
        return List.of(
                new OverviewPage.Fact("PostgreSQL", state.version()),
                new OverviewPage.Fact("Database", Figures.bytes(state.bytes())),
                new OverviewPage.Fact(
                        "Connections",
                        state.connections() + " of all servers; of this one "
                                + gauge("hikaricp.connections.active") + " in use, "
                                + gauge("hikaricp.connections.pending") + " waited for"),
                new OverviewPage.Fact(
                        "Debug files on disk",
                        Figures.count(use.files()) + ", " + Figures.bytes(use.bytes()) + " of at most "
                                + Figures.bytes(use.maxBytes())),
                new OverviewPage.Fact(
                        "Free on that disk",
                        Figures.bytes(gauge("disk.free")) + " of " + Figures.bytes(gauge("disk.total"))));
    }

    private long gauge(String name) {
        return Math.round(meters.find(name).gauges().stream()
                .mapToDouble(io.micrometer.core.instrument.Gauge::value)
                .sum());
    }
}
