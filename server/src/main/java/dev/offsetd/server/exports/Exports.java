package dev.offsetd.server.exports;

import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.health.FatalErrors;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.io.IOException;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * The rendered exports of this server. Callers that ask for the same file share its rendering, which does not depend on any of
 * them: clients that disconnect do not stop it.
 */
@Component
class Exports {

    private static final Logger log = LoggerFactory.getLogger(Exports.class);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    private final ExportFiles files;
    private final ExportProperties.ExportLimits properties;
    private final ExportMeters meters;
    private final Semaphore renderers;
    private final Shares shares;
    private final ConcurrentHashMap<String, CompletableFuture<Void>> inProgress = new ConcurrentHashMap<>();

    Exports(ExportFiles files, ExportProperties properties, ExportMeters meters) {
        this.files = files;
        this.properties = properties.exports();
        this.meters = meters;
        this.renderers = new Semaphore(this.properties.maxConcurrent(), true);
        this.shares = new Shares("exports", this.properties.maxConcurrent() + this.properties.maxWaiting());
    }

    /** Opens the file of a key if it is stored. */
    Optional<ExportFile> find(String key) {
        try {
            return files.find(key);
        } catch (IOException e) {
            throw diskFailed(key, e);
        }
    }

    /**
     * Opens the file of a key, and renders it if it is not stored.
     *
     * @param format its name, for the metrics
     * @throws ProblemException if it takes too long, too many wait, or the caller has its share of them (503), or if it is too
     *     large (422)
     */
    ExportFile get(String key, String format, Caller caller, ExportFiles.Rendering rendering) {
        while (true) {
            Optional<ExportFile> stored = find(key);
            if (stored.isPresent()) {
                return stored.get();
            }
            await(joined(key, format, caller, rendering));
        }
    }

    private CompletableFuture<Void> joined(String key, String format, Caller caller, ExportFiles.Rendering rendering) {
        CompletableFuture<Void> known = inProgress.get(key);
        if (known != null) {
            return known;
        }
        Shares.Place place = shares.take(caller);
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> others = inProgress.putIfAbsent(key, mine);
        if (others != null) {
            place.close();
            return others;
        }
        Thread.ofVirtual().name("export-", 0).start(() -> {
            try (place) {
                render(key, format, rendering, mine);
            }
        });
        return mine;
    }

    private void render(String key, String format, ExportFiles.Rendering rendering, CompletableFuture<Void> result) {
        renderers.acquireUninterruptibly();
        try {
            meters.rendering(format, () -> files.make(key, rendering));
            inProgress.remove(key);
            result.complete(null);
        } catch (Throwable e) {
            inProgress.remove(key);
            result.completeExceptionally(e);
            FatalErrors.haltIfFatal(e);
        } finally {
            renderers.release();
        }
    }

    private void await(CompletableFuture<Void> rendering) {
        try {
            rendering.get(properties.patience().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw busy("the export is being rendered");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy("the server is shutting down");
        } catch (ExecutionException e) {
            Throwable cause = e.getCause();
            // Jackson wraps what the stream throws.
            throw switch (cause instanceof RuntimeException && cause.getCause() instanceof IOException failed
                    ? failed
                    : cause) {
                case ExportTooLargeException large ->
                    new ProblemException(Problem.of(
                            HttpStatus.UNPROCESSABLE_CONTENT,
                            "limit_exceeded",
                            "The export is too large",
                            String.valueOf(large.getMessage())));
                case ExportLimitException limit ->
                    new ProblemException(Problem.of(
                            HttpStatus.UNPROCESSABLE_CONTENT,
                            "limit_exceeded",
                            "The export is too large",
                            String.valueOf(limit.getMessage())));
                case IOException disk -> diskFailed("rendering", disk);
                case RuntimeException known -> known;
                case null, default -> new IllegalStateException("an export cannot be rendered", e);
            };
        }
    }

    private static ProblemException busy(String detail) {
        return new ProblemException(Problem.busy(detail, RETRY_AFTER));
    }

    private static ProblemException diskFailed(String key, IOException e) {
        log.error("export {}: the disk failed", key, e);
        return new ProblemException(Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "disk_failed",
                        "The server's disk failed",
                        "the export cannot be written or read")
                .retryAfter(DISK_RETRY_AFTER));
    }
}
