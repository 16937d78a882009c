package dev.offsetd.server.fetch;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.telemetry.WorkContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** An upstream debuginfod, asked only for what is not in the disk cache. */
final class DebuginfodSource implements DebugFileSource {

    private static final Logger log = LoggerFactory.getLogger(DebuginfodSource.class);

    private final Upstream upstream;
    private final Semaphore requestsToHost;
    private final DiskCache cache;
    private final FileVerification verification;

    /** @param requestsToHost a permit for each request that may be under way to the upstream's host; shared by its upstreams */
    DebuginfodSource(Upstream upstream, Semaphore requestsToHost, DiskCache cache, FileVerification verification) {
        this.upstream = upstream;
        this.requestsToHost = requestsToHost;
        this.cache = cache;
        this.verification = verification;
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
    public FetchOutcome fetch(BuildId id) throws InterruptedException {
        Optional<CachedFile> cached;
        try {
            cached = cache.find(id);
        } catch (DiskException e) {
            return new FetchOutcome.LocalFailure(e.detail());
        }
        if (cached.isPresent()) {
            return new FetchOutcome.Fetched(cached.get());
        }
        Duration patience = upstream.totalTimeout();
        if (!requestsToHost.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            return new FetchOutcome.TimedOut("other requests to this host took all of " + patience.toMillis() + " ms");
        }
        FetchOutcome outcome;
        try {
            outcome = download(id);
        } finally {
            requestsToHost.release();
        }
        log(id, outcome);
        return outcome;
    }

    /**
     * Downloads on a virtual thread of its own: there an interrupt ends a blocking read of a socket, on the caller's
     * thread it might not. Returns only when that thread has cleaned up after itself.
     */
    private FetchOutcome download(BuildId id) throws InterruptedException {
        Future<FetchOutcome> download;
        // close() waits, and hands an interrupt of this thread on to the other.
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            download =
                    thread.submit(WorkContext.carried(new DebuginfodDownload(upstream, cache, verification, id)::run));
        }
        if (download.state() == Future.State.FAILED) {
            Throwable failure = download.exceptionNow();
            if (!(failure instanceof InterruptedException)) {
                throw new IllegalStateException("download of " + id + " from " + name() + " failed", failure);
            }
        } else if (!Thread.currentThread().isInterrupted()) {
            return download.resultNow();
        } else if (download.resultNow() instanceof FetchOutcome.Fetched(CachedFile file)) {
            file.close();
        }
        Thread.interrupted();
        throw new InterruptedException();
    }

    private void log(BuildId id, FetchOutcome outcome) {
        switch (outcome) {
            case FetchOutcome.Fetched(CachedFile file) ->
                log.info("{}: fetched from {}, {} bytes", id, name(), file.bytes());
            case FetchOutcome.NotFound _ -> log.info("{}: not found at {}", id, name());
            case FetchOutcome.Refused(int _, Optional<Duration> _, String detail) ->
                log.warn("{}: refused by {}: {}", id, name(), detail);
            case FetchOutcome.TimedOut(String detail) -> log.warn("{}: timed out at {}: {}", id, name(), detail);
            case FetchOutcome.Broken(String detail) -> log.warn("{}: broken at {}: {}", id, name(), detail);
            case FetchOutcome.TooLarge(long limit, String detail) ->
                log.warn("{}: over the limit of {} bytes at {}: {}", id, limit, name(), detail);
            case FetchOutcome.LocalFailure(String detail) ->
                log.error("{}: our disk failed while fetching from {}: {}", id, name(), detail);
        }
    }
}
