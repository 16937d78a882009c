package dev.offsetd.server.sources;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.compute.SingleFlight;
import dev.offsetd.server.operations.telemetry.WorkContext;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;

/**
 * A remote source, queried only for files that are not in the disk cache: once for all concurrent callers, with a limit on the
 * requests to its host, and not while its circuit breaker is open.
 */
final class CachedSource implements DebugFileSource {

    private static final Logger log = LoggerFactory.getLogger(CachedSource.class);

    private final Downloader downloader;
    private final Semaphore requestsToHost;
    private final DiskCache cache;
    private final UpstreamGate gate;
    private final UpstreamMeters meters;
    private final SingleFlight<Shared, CompletableFuture<FetchOutcome>> downloads = new SingleFlight<>();

    /** @param requestsToHost limits concurrent requests to the source's host; shared by all sources on that host */
    CachedSource(
            Downloader downloader,
            Semaphore requestsToHost,
            DiskCache cache,
            UpstreamGate gate,
            UpstreamMeters meters) {
        this.downloader = downloader;
        this.requestsToHost = requestsToHost;
        this.cache = cache;
        this.gate = gate;
        this.meters = meters;
    }

    @Override
    public String name() {
        return downloader.name();
    }

    @Override
    public Origin origin() {
        return downloader.origin();
    }

    @Override
    public List<Duration> missTimes() {
        return downloader.missTimes();
    }

    @Override
    public FetchOutcome fetch(BuildId id, FetchProgress progress) throws InterruptedException {
        FileRequest request = FileRequest.of(id, FileKind.SECTIONS, downloader.maxFileBytes(), ForwardedFor.NONE);
        try {
            return shared(request, () -> cache.findToRead(id), progress);
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    @Override
    public FetchOutcome fetch(FileRequest request) throws InterruptedException {
        CacheQuery lookup =
                () -> cache.findLatelyVerified(request.id(), request.kind().inCache());
        if (request.sourcePath() != null) {
            return permitted(request, FetchProgress.NONE);
        }
        try {
            // Parts are downloaded for this caller, because they are not kept.
            return request.kind() == FileKind.PROGRAM
                    ? cachedOrPermitted(lookup, request, FetchProgress.NONE)
                    : shared(request, lookup, FetchProgress.NONE);
        } catch (DiskException e) {
            return FetchOutcome.diskFailed(e.detail());
        }
    }

    @Override
    public void discard(BuildId id, Set<FileKind> kinds) {
        kinds.forEach(kind -> cache.discard(id, kind));
    }

    /** Returns the file from the disk cache, else downloads it. */
    private FetchOutcome cachedOrPermitted(CacheQuery lookup, FileRequest request, FetchProgress progress)
            throws DiskException, InterruptedException {
        Optional<CachedFile> cached = lookup.find();
        return cached.isPresent() ? new FetchOutcome.Fetched(cached.get()) : permitted(request, progress);
    }

    /** Looks for a file in the disk cache. */
    @FunctionalInterface
    interface CacheQuery {
        Optional<CachedFile> find() throws DiskException, InterruptedException;
    }

    /** Key of a download that concurrent callers share. */
    private record Shared(BuildId id, boolean executable, long maxBytes) implements Comparable<Shared> {

        private static final Comparator<Shared> ORDER = Comparator.comparing(Shared::id)
                .thenComparing(Shared::executable)
                .thenComparingLong(Shared::maxBytes);

        @Override
        public int compareTo(Shared other) {
            return ORDER.compare(this, other);
        }
    }

    /** Returns the file from the disk cache; if it is not there, downloads it, once for all concurrent callers. */
    private FetchOutcome shared(FileRequest request, CacheQuery lookup, FetchProgress progress)
            throws DiskException, InterruptedException {
        Shared key = new Shared(
                request.id(),
                request.kind() == FileKind.EXECUTABLE,
                Math.min(request.maxBytes(), downloader.maxFileBytes()));
        while (true) {
            Optional<CachedFile> cached = lookup.find();
            if (cached.isPresent()) {
                return new FetchOutcome.Fetched(cached.get());
            }
            CompletableFuture<FetchOutcome> fresh = new CompletableFuture<>();
            Optional<CompletableFuture<FetchOutcome>> running = downloads.join(key, fresh);
            if (running.isEmpty()) {
                return download(fresh, lookup, request, progress);
            }
            Optional<FetchOutcome> ended = SingleFlight.await(running.get());
            // The file of another caller is in the disk cache now. A caller that was interrupted has no outcome.
            if (ended.isPresent() && !(ended.get() instanceof FetchOutcome.Fetched)) {
                return ended.get();
            }
        }
    }

    private FetchOutcome download(
            CompletableFuture<FetchOutcome> result, CacheQuery lookup, FileRequest request, FetchProgress progress)
            throws DiskException, InterruptedException {
        try {
            // Another download may have ended since the lookup.
            FetchOutcome outcome = cachedOrPermitted(lookup, request, progress);
            result.complete(outcome);
            return outcome;
        } finally {
            // No effect after an outcome.
            result.cancel(false);
        }
    }

    /** Runs a download when the circuit breaker and the limit of requests permit. */
    private FetchOutcome permitted(FileRequest request, FetchProgress progress) throws InterruptedException {
        // Checked before waiting for a permit, because the requests ahead would fail, too.
        Optional<FetchOutcome.Skipped> closed = gate.closedBecause();
        if (closed.isPresent()) {
            return closed.get();
        }
        Duration totalTimeout = downloader.totalTimeout();
        if (!requestsToHost.tryAcquire(totalTimeout.toNanos(), TimeUnit.NANOSECONDS)) {
            return FetchOutcome.timedOut("other requests to this host took all of " + totalTimeout.toMillis() + " ms");
        }
        try {
            Optional<FetchOutcome.Skipped> closedByNow = gate.enter();
            return closedByNow.isPresent() ? closedByNow.get() : attempt(request, progress);
        } finally {
            requestsToHost.release();
        }
    }

    private FetchOutcome attempt(FileRequest request, FetchProgress progress) throws InterruptedException {
        long start = System.nanoTime();
        Downloader.Downloaded download;
        boolean ended = false;
        try {
            download = run(request, progress);
            ended = true;
        } finally {
            if (!ended) {
                gate.leaveWithoutResult();
            }
        }
        Duration took = Duration.ofNanos(System.nanoTime() - start);
        gate.leave(download.outcome(), download.transportFailed(), took);
        meters.count(download.outcome(), download.wireBytes(), took);
        log(request, download.outcome());
        return download.outcome();
    }

    /**
     * Downloads on a separate virtual thread, where an interrupt ends a blocking read from a socket; on a platform thread it
     * would not. Returns after that thread has cleaned up.
     */
    private Downloader.Downloaded run(FileRequest request, FetchProgress progress) throws InterruptedException {
        Future<Downloader.Downloaded> running;
        // close() waits for the thread, and passes an interrupt on to it.
        try (ExecutorService thread = Executors.newVirtualThreadPerTaskExecutor()) {
            running = thread.submit(WorkContext.carried(() -> downloader.download(request, progress)));
        }
        if (running.state() == Future.State.FAILED) {
            Throwable failure = running.exceptionNow();
            if (!(failure instanceof InterruptedException)) {
                throw new IllegalStateException("download of " + request + " from " + name() + " failed", failure);
            }
        } else if (!Thread.currentThread().isInterrupted()) {
            return running.resultNow();
        } else if (running.resultNow().outcome() instanceof FetchOutcome.Fetched(CachedFile file)) {
            file.close();
        }
        Thread.interrupted();
        throw new InterruptedException();
    }

    private void log(FileRequest what, FetchOutcome outcome) {
        switch (outcome) {
            case FetchOutcome.Fetched(CachedFile file) ->
                log.info("{}: fetched from {}, {} bytes", what, name(), file.bytes());
            case FetchOutcome.Skipped _ -> log.debug("{}: {} was skipped", what, name());
            case FetchOutcome.NotFound _ -> log.info("{}: not found at {}", what, name());
            case FetchOutcome.Refused(int _, Duration _, String detail) ->
                log.warn("{}: refused by {}: {}", what, name(), detail);
            case FetchOutcome.Failed(Cause cause, String detail) ->
                log.atLevel(cause == Cause.DISK_FAILED ? Level.ERROR : Level.WARN)
                        .log("{}: fetch from {} failed: {}: {}", what, name(), cause.code(), detail);
        }
    }
}
