package dev.offsetd.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Rate limits per caller: by token if it has one, else by address. Memory is bounded by forgetting idle callers. */
public final class RateLimits {

    /** More callers than this within 15 minutes are a flood, in which forgetting a caller helps none of them. */
    private static final int MAX_CALLERS = 100_000;

    /** Items of a query that count as a request; the largest known type set has about 60. */
    private static final int ITEMS = 128;

    /** Characters of a query that count as a request. */
    private static final int CHARACTERS = 4_096;

    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(15);

    private final @Nullable CallerLimit byToken;
    private final @Nullable CallerLimit byAddress;

    /**
     * @param tokenRequests a second; 0 for no limit
     * @param addressRequests a second; 0 for no limit
     */
    RateLimits(long tokenRequests, long tokenBurst, long addressRequests, long addressBurst, MeterRegistry meters) {
        this.byToken = tokenRequests == 0 ? null : new CallerLimit("token", tokenRequests, tokenBurst, meters);
        this.byAddress =
                addressRequests == 0 ? null : new CallerLimit("address", addressRequests, addressBurst, meters);
    }

    /**
     * Counts one request.
     *
     * @return empty if it is admitted, else the time until the next one is
     */
    public Optional<Duration> take(Caller caller) {
        CallerLimit kind = kind(caller);
        return kind == null ? Optional.empty() : kind.take(key(caller));
    }

    /**
     * Counts further work of an admitted request. The request goes on; the caller's next requests pay for it.
     *
     * @param requests how many more requests the work counts as
     */
    public void charge(Caller caller, long requests) {
        CallerLimit kind = kind(caller);
        if (kind != null && requests > 0) {
            kind.charge(key(caller), requests);
        }
    }

    /** Counts the contents of an admitted request as {@link #charge(Caller, long)} does. */
    void chargeContents(Caller caller, long items, long characters) {
        charge(caller, items / ITEMS + characters / CHARACTERS);
    }

    /** Returns what the caller has left; empty if it has no limit. */
    Optional<Allowance> state(Caller caller) {
        CallerLimit kind = kind(caller);
        return kind == null ? Optional.empty() : Optional.of(kind.state(key(caller)));
    }

    private @Nullable CallerLimit kind(Caller caller) {
        return caller.token() != null ? byToken : byAddress;
    }

    private static Object key(Caller caller) {
        return caller.token() != null ? caller.token() : ClientAddress.network(caller.address());
    }

    /** @param by {@code token} or {@code address} */
    record Allowance(String by, long requestsPerSecond, long burst, long remaining) {}

    /** The limit of all callers with a token, or of all without. */
    private static final class CallerLimit {

        private final String by;
        private final long requests;
        private final long burst;
        private final Counter limited;
        private final Cache<Object, Bucket> callers = Caffeine.newBuilder()
                .maximumSize(MAX_CALLERS)
                .expireAfterAccess(FORGOTTEN_AFTER)
                .build();

        CallerLimit(String by, long requests, long burst, MeterRegistry meters) {
            this.by = by;
            this.requests = requests;
            this.burst = Math.max(burst, 1);
            this.limited = Counter.builder("offsetd.rate.limited")
                    .description("Requests answered 429")
                    .tag("by", by)
                    .register(meters);
        }

        Optional<Duration> take(Object key) {
            Bucket bucket = bucket(key);
            if (bucket.tryConsume(1)) {
                return Optional.empty();
            }
            limited.increment();
            return Optional.of(
                    Duration.ofNanos(bucket.estimateAbilityToConsume(1).getNanosToWaitForRefill()));
        }

        void charge(Object key, long more) {
            bucket(key).consumeIgnoringRateLimits(more);
        }

        Allowance state(Object key) {
            return new Allowance(by, requests, burst, Math.max(0, bucket(key).getAvailableTokens()));
        }

        private Bucket bucket(Object key) {
            return callers.get(
                    key,
                    _ -> Bucket.builder()
                            .addLimit(limit -> limit.capacity(burst).refillGreedy(requests, Duration.ofSeconds(1)))
                            .build());
        }
    }
}
