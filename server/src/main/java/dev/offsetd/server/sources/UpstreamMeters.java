package dev.offsetd.server.sources;

import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.List;

/** Metrics of one upstream. Label values are its configured URL and constants, never text of an upstream. */
final class UpstreamMeters {

    private static final String UPSTREAM = "upstream";

    private static final List<String> OUTCOMES =
            List.of("fetched", "not_found", "refused", "timed_out", "broken", "too_large", "local_failure");

    private final MeterRegistry registry;
    private final String upstream;
    private final Counter bytes;

    UpstreamMeters(MeterRegistry registry, String upstream, UpstreamGate gate) {
        this.registry = registry;
        this.upstream = upstream;
        this.bytes = Counter.builder("offsetd.upstream.bytes")
                .description("Bytes of bodies that an upstream sent, before decompression")
                .baseUnit("bytes")
                .tag(UPSTREAM, upstream)
                .register(registry);
        for (UpstreamHealth.BreakerState state : UpstreamHealth.BreakerState.values()) {
            Gauge.builder("offsetd.upstream.breaker", gate, g -> g.health().breaker() == state ? 1 : 0)
                    .description("1 for the state that the upstream's breaker is in")
                    .tag(UPSTREAM, upstream)
                    .tag("state", state.word())
                    .register(registry);
        }
        // Registered at zero: a rate over a series that starts at 1 misses its first event.
        OUTCOMES.forEach(this::fetches);
    }

    void count(FetchOutcome outcome, long wireBytes, Duration took) {
        bytes.increment((double) wireBytes);
        fetches(outcome.word()).record(took);
    }

    private Timer fetches(String outcome) {
        return Timer.builder("offsetd.upstream.fetches")
                .description("Attempts to fetch a file from an upstream")
                .tag(UPSTREAM, upstream)
                .tag("outcome", outcome)
                .register(registry);
    }
}
