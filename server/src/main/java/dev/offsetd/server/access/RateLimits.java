package dev.offsetd.server.access;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import io.github.bucket4j.Bucket;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Counts what each caller asks of this server: by token if it has one, else by address. The callers that ask most are
 * remembered, up to a fixed number.
 */
public final class RateLimits {

    /** More callers than this within a quarter of an hour are a flood, and then nobody gains by being forgotten. */
    private static final int MAX_CALLERS = 100_000;

    private static final Duration FORGOTTEN_AFTER = Duration.ofMinutes(15);

    private final @Nullable Kind byToken;
    private final @Nullable Kind byAddress;

    /**
     * @param tokenRequests a second; 0 for no limit
     * @param addressRequests a second; 0 for no limit
     */
    RateLimits(long tokenRequests, long tokenBurst, long addressRequests, long addressBurst, MeterRegistry meters) {
        this.byToken = tokenRequests == 0 ? null : new Kind("token", tokenRequests, tokenBurst, meters);
        this.byAddress = addressRequests == 0 ? null : new Kind("address", addressRequests, addressBurst, meters);
    }

    /**
     * Counts one request.
     *
     * @return empty if it may go on; else the time until one may
     */
    public Optional<Duration> take(Caller caller) {
        Kind kind = kind(caller);
        return kind == null ? Optional.empty() : kind.take(key(caller));
    }

    /**
     * Counts more work of a request that was let in already. It is not refused half-way: what the caller lacks, its next
     * requests wait for.
     *
     * @param requests how many requests the work counts as, beside its own
     */
    public void charge(Caller caller, long requests) {
        Kind kind = kind(caller);
        if (kind != null && requests > 0) {
            kind.charge(key(caller), requests);
        }
    }

    /** How much the caller has left; empty if nothing limits it. */
    Optional<State> state(Caller caller) {
        Kind kind = kind(caller);
        return kind == null ? Optional.empty() : Optional.of(kind.state(key(caller)));
    }

    private @Nullable Kind kind(Caller caller) {
        return caller.token() != null ? byToken : byAddress;
    }

    private static Object key(Caller caller) {
        return caller.token() != null ? caller.token() : ClientAddress.network(caller.address());
    }

    /**
     * What a caller has left.
     *
     * @param by {@code token} or {@code address}
     * @param requestsPerSecond that are granted anew
     * @param burst that are granted at most at once
     * @param remaining that are granted now
     */
    record State(String by, long requestsPerSecond, long burst, long remaining) {}

    /** One limit, for everybody of one kind. */
    private static final class Kind {

        private final String by;
        private final long requests;
        private final long burst;
        private final Counter limited;
        private final Cache<Object, Bucket> callers = Caffeine.newBuilder()
                .maximumSize(MAX_CALLERS)
                .expireAfterAccess(FORGOTTEN_AFTER)
                .build();

        Kind(String by, long requests, long burst, MeterRegistry meters) {
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

        State state(Object key) {
            return new State(by, requests, burst, Math.max(0, bucket(key).getAvailableTokens()));
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
