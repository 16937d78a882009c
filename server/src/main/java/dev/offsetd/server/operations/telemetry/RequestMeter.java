package dev.offsetd.server.operations.telemetry;

import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.binder.http.Outcome;
import java.time.Duration;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Counts and times requests by method, route and status. The labels come from fixed lists, so clients cannot create
 * time series: unknown methods are {@code OTHER}, unknown routes {@code other}.
 */
final class RequestMeter {

    private static final String NAME = "http.server.requests";
    private static final String OTHER_METHOD = "OTHER";
    private static final String OTHER_ROUTE = "other";

    /** Error dispatch of the container, which is not a route of the contract. */
    private static final String ERROR_ROUTE = "/error";

    private static final Set<String> METHODS = Set.of("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS");

    /** Bounds for cached answers, database queries, small extractions and waits for large ones. */
    private static final Duration[] BUCKETS = {
        Duration.ofMillis(1),
        Duration.ofMillis(5),
        Duration.ofMillis(25),
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofSeconds(30),
        Duration.ofSeconds(60)
    };

    private final MeterRegistry registry;
    private final Map<Series, Timer> timers = new ConcurrentHashMap<>();

    private record Series(String method, String route, int status) {}

    RequestMeter(MeterRegistry registry) {
        this.registry = registry;
    }

    /**
     * Records a request.
     *
     * @param method null if the request had none
     * @param route template of the route; null if none matched
     */
    void record(@Nullable String method, @Nullable String route, int status, long nanos) {
        Series series = new Series(
                method != null && METHODS.contains(method) ? method : OTHER_METHOD,
                route == null || route.equals(ERROR_ROUTE) ? OTHER_ROUTE : route,
                status);
        timers.computeIfAbsent(series, this::timer).record(nanos, TimeUnit.NANOSECONDS);
    }

    private Timer timer(Series series) {
        return Timer.builder(NAME)
                .description("Requests, by route and status")
                .tag("method", series.method())
                .tag("uri", series.route())
                .tag("status", Integer.toString(series.status()))
                .tag("outcome", Outcome.forStatus(series.status()).name())
                .serviceLevelObjectives(BUCKETS)
                .register(registry);
    }
}
