package dev.offsetd.server.exports;

import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.query.export.ExportLimitException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.operations.compute.Computation;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.web.ContentCoding;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.io.IOException;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/**
 * The rendered exports of this server. Callers that ask for the same file share its rendering. It is cancelled once none of them has
 * waited for some time, in which those that were told to retry can return.
 */
@Component
class Exports {

    private static final Logger log = LoggerFactory.getLogger(Exports.class);

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final Duration DISK_RETRY_AFTER = Duration.ofSeconds(30);

    /** Time in which a client that was told to retry returns. */
    private static final Duration RETURN = RETRY_AFTER.multipliedBy(3);

    /** Time to render a file, as long as the reading of one. */
    private static final Duration LIMIT = Limits.DEFAULT.maxDuration();

    private final ExportFiles files;
    private final ExportRenderings renderings;
    private final ExportProperties.ExportLimits properties;
    private final Shares shares;
    private final ComputePool threads;
    private final MeterRegistry meters;

    /**
     * Guarded by itself. A {@code SingleFlight} ends with its future; here each caller extends the time for which the work is kept,
     * and a place of the first caller ends with it.
     */
    private final Map<String, Running> inProgress = new HashMap<>();

    Exports(
            ExportFiles files,
            ExportRenderings renderings,
            ExportProperties properties,
            @Qualifier(ComputePool.EXPORTS) ComputePool threads,
            MeterRegistry meters) {
        this.files = files;
        this.renderings = renderings;
        this.properties = properties.exports();
        this.shares = new Shares("exports", this.properties.maxConcurrent() + this.properties.maxWaiting());
        this.threads = threads;
        this.meters = meters;
        Gauge.builder("offsetd.exports.size", files, ExportFiles::bytes)
                .description("Bytes of rendered exports on the disk")
                .baseUnit("bytes")
                .register(meters);
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
     * Opens the file of an export, and renders it if it is not stored.
     *
     * @throws ProblemException if it takes too long, too many wait, or the caller has its share of them (503), or if it is too
     *     large (422)
     */
    ExportFile get(ResolvedExport export, ContentCoding coding, Caller caller) {
        String key = export.export().key(coding);
        while (true) {
            Optional<ExportFile> stored = find(key);
            if (stored.isPresent()) {
                return stored.get();
            }
            await(joined(key, export, coding, caller));
        }
    }

    private Computation<?> joined(String key, ResolvedExport export, ContentCoding coding, Caller caller) {
        Duration wanted = properties.waitTimeout().plus(RETURN);
        synchronized (inProgress) {
            inProgress.values().removeIf(Running::hasEnded);
            Running others = inProgress.get(key);
            if (others != null) {
                others.work.keepFor(wanted);
                return others.work;
            }
            Shares.Place place = shares.take(caller);
            Computation<?> mine = threads.submit(() -> render(key, export, coding), LIMIT);
            mine.keepFor(wanted);
            inProgress.put(key, new Running(mine, place));
            return mine;
        }
    }

    /** Renders an export into its file, and records the time. */
    private String render(String key, ResolvedExport export, ContentCoding coding) throws IOException {
        Timer.Sample start = Timer.start(meters);
        String outcome = "failed";
        try {
            files.make(key, out -> renderings.render(export, coding, out));
            outcome = "rendered";
        } finally {
            start.stop(Timer.builder("offsetd.exports.rendering")
                    .description("Time to render an export")
                    .tag("format", export.query().format().word())
                    .tag("outcome", outcome)
                    .register(meters));
        }
        return key;
    }

    /** An export in progress and the place of its first caller. */
    private record Running(Computation<?> work, Shares.Place place) {

        /** Gives the place back if the work has ended or was cancelled. */
        boolean hasEnded() {
            if (work.isDone()) {
                place.close();
            }
            return work.isDone();
        }
    }

    private void await(Computation<?> rendering) {
        try {
            rendering.get(properties.waitTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw busy("the export is being rendered");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy("the server is shutting down");
        } catch (CancellationException e) {
            throw tooLarge("its rendering took longer than " + LIMIT.toMinutes() + " minutes and was given up");
        } catch (ExecutionException e) {
            FatalErrors.haltIfFatal(e);
            Throwable cause = e.getCause();
            // Jackson wraps what the stream throws.
            throw switch (cause instanceof RuntimeException && cause.getCause() instanceof IOException failed
                    ? failed
                    : cause) {
                case ExportFiles.TooLargeException large -> tooLarge(large.getMessage());
                case ExportLimitException limit -> tooLarge(limit.getMessage());
                case DeadlineExceededException late -> tooLarge(late.getMessage());
                case IOException disk -> diskFailed("rendering", disk);
                case RuntimeException known -> known;
                case null, default -> new IllegalStateException("an export cannot be rendered", e);
            };
        }
    }

    private static ProblemException tooLarge(@Nullable String detail) {
        return new ProblemException(Problem.limitExceeded("The export is too large", detail));
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
