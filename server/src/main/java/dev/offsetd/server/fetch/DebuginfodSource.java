package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Origin;
import dev.offsetd.server.telemetry.WorkContext;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/** An upstream debuginfod, queried only for files that are not in the disk cache. */
final class DebuginfodSource implements DebugFileSource {

    private static final Logger log = LoggerFactory.getLogger(DebuginfodSource.class);

    private final Upstream upstream;
    private final Semaphore requestsToHost;
    private final DiskCache cache;
    private final FileVerification verification;
    private final UpstreamGate gate;
    private final UpstreamMeters meters;

    /** @param requestsToHost limits concurrent requests to the upstream's host; shared by all upstreams on that host */
    DebuginfodSource(
            Upstream upstream,
            Semaphore requestsToHost,
            DiskCache cache,
            FileVerification verification,
            UpstreamGate gate,
            UpstreamMeters meters) {
        this.upstream = upstream;
        this.requestsToHost = requestsToHost;
        this.cache = cache;
        this.verification = verification;
        this.gate = gate;
        this.meters = meters;
    }

    @Override
    public String name() {
        return upstream.name();
    }

    @Override
    public Origin origin() {
        return Origin.DEBUGINFOD;
    }

    @Override
    public List<Duration> missTimes() {
        return upstream.policy().missTimes();
    }

    @Override
    public FetchOutcome fetch(BuildId id) throws InterruptedException {
        return fetch(id, FetchProgress.NONE);
    }

    @Override
    public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        Optional<CachedFile> cached;
        try {
            cached = cache.find(id);
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
        if (cached.isPresent()) {
            return new FetchOutcome.Fetched(cached.get());
        }
        return permitted(new DebuginfodDownload(upstream, cache, verification, id, progress));
    }

    @Override
    public FetchOutcome fetchExecutable(BuildId id, long maxBytes) throws InterruptedException {
        return permitted(DebuginfodDownload.ofExecutable(upstream, cache, verification, id, maxBytes));
    }

    /** Runs a download when the circuit breaker and the limit of requests permit. */
    private FetchOutcome permitted(DebuginfodDownload download) throws InterruptedException {
        // Checked before waiting for a permit, because the requests ahead would fail, too.
        Optional<FetchOutcome.Skipped> closed = gate.closedBecause();
        if (closed.isPresent()) {
            return closed.get();
        }
        Duration patience = upstream.policy().timeouts().total();
        if (!requestsToHost.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return FetchOutcome.timedOut("other requests to this host took all of " + patience.toMillis() + " ms");
        }
        try {
            Optional<FetchOutcome.Skipped> closedByNow = gate.enter();
            return closedByNow.isPresent() ? closedByNow.get() : attempt(download);
        } finally {
            requestsToHost.release();
        }
    }

    private FetchOutcome attempt(DebuginfodDownload download) throws InterruptedException {
        long start = System.nanoTime();
        DownloadAttempt attempt;
        boolean ended = false;
        try {
            attempt = run(download);
            ended = true;
        } finally {
            if (!ended) {
                gate.leaveWithoutResult();
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        gate.leave(attempt, took);
        meters.count(attempt, took);
        log(download, attempt.outcome());
        return attempt.outcome();
    }

    /**
     * Downloads on a separate virtual thread, where an interrupt ends a blocking read from a socket; on a platform thread it
     * would not. Returns after that thread has cleaned up.
     */
    private DownloadAttempt run(DebuginfodDownload download) throws InterruptedException {
        Future<DownloadAttempt> running;
        // close() waits for the thread, and passes an interrupt on to it.
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            running = thread.submit(WorkContext.carried(download::run));
        }
        if (running.state() == Future.State.FAILED) {
            Throwable failure = running.exceptionNow();
            if (!(failure instanceof InterruptedException)) {
                throw new IllegalStateException("download of " + download + " from " + name() + " failed", failure);
            }
        } else if (!Thread.currentThread().isInterrupted()) {
            return running.resultNow();
        } else if (running.resultNow().outcome() instanceof FetchOutcome.Fetched(CachedFile file)) {
            file.close();
        }
        Thread.interrupted();
        throw new InterruptedException();
    }

    private void log(DebuginfodDownload what, FetchOutcome outcome) {
        switch (outcome) {
            case FetchOutcome.Fetched(CachedFile file) ->
                log.info("{}: fetched from {}, {} bytes", what, name(), file.bytes());
            case FetchOutcome.Skipped _ -> log.debug("{}: {} was skipped", what, name());
            case FetchOutcome.NotFound _ -> log.info("{}: not found at {}", what, name());
            case FetchOutcome.Refused(int _, Optional<Duration> _, String detail) ->
                log.warn("{}: refused by {}: {}", what, name(), detail);
            case FetchOutcome.Failed(Cause cause, String detail) ->
                log.atLevel(cause == Cause.DISK_FAILED ? Level.ERROR : Level.WARN)
                        .log("{}: fetch from {} failed: {}: {}", what, name(), cause.code(), detail);
        }
    }
}
