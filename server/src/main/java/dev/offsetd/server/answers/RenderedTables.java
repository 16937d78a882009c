package dev.offsetd.server.answers;

import com.github.benmanes.caffeine.cache.Cache;
import com.github.benmanes.caffeine.cache.Caffeine;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;

/**
 * Tables over many builds. Each reads the catalogues of all of them, so a server renders one at a time, and keeps it for as
 * long as clients may.
 *
 * @param <K> what tables differ by
 * @param <T> a rendered table
 */
public final class RenderedTables<K, T> {

    private static final int CACHED = 16;
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    /** Clients that wait for their table. */
    private static final int PLACES = 16;

    private final Semaphore rendering = new Semaphore(1, true);
    private final Shares shares = new Shares("tables", PLACES);
    private final Cache<K, T> tables;

    private RenderedTables(Duration lifetime) {
        tables = Caffeine.newBuilder()
                .maximumSize(CACHED)
                .expireAfterWrite(lifetime)
                .build();
    }

    /** For tables with {@link Answer#LASTING}. */
    public static <K, T> RenderedTables<K, T> lasting() {
        return new RenderedTables<>(Duration.ofMinutes(1));
    }

    /** For tables with {@link Answer#SHORT_LIVED}. */
    public static <K, T> RenderedTables<K, T> shortLived() {
        return new RenderedTables<>(Duration.ofSeconds(10));
    }

    /**
     * Returns a table, rendered now if none is kept.
     *
     * @throws ProblemException if others are being rendered for too long, or the caller has its share of those that wait: 503
     */
    public T get(K key, Caller caller, Supplier<T> renderer) {
        T known = tables.getIfPresent(key);
        if (known != null) {
            return known;
        }
        try (Shares.Place _ = shares.take(caller)) {
            if (!acquired()) {
                throw new ProblemException(Problem.busy("other tables are being rendered", MAX_WAIT));
            }
            try {
                return tables.get(key, _ -> renderer.get());
            } finally {
                rendering.release();
            }
        }
    }

    private boolean acquired() {
        try {
            return rendering.tryAcquire(MAX_WAIT.toMillis(), TimeUnit.MILLISECONDS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return false;
        }
    }
}
