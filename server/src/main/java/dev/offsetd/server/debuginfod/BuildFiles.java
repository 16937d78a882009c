package dev.offsetd.server.debuginfod;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.builds.extraction.KeptUploads;
import dev.offsetd.server.operations.compute.SingleFlight;
import dev.offsetd.server.operations.telemetry.WorkContext;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.DiskCache;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.FileLookup;
import dev.offsetd.server.sources.FileLookup.Result;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.web.ProblemException;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Predicate;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Finds the files of builds: in local folders, in the disk cache, among kept uploads, and at the upstreams. All callers share one
 * fetch of a file, which does not depend on any of them.
 */
@Component
class BuildFiles implements DisposableBean {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);
    private static final long NO_LIMIT = Long.MAX_VALUE;

    private final List<DebugFileSource> folders;
    private final DiskCache cache;
    private final Builds builds;
    private final KeptUploads uploads;
    private final FileLookup sources;
    private final FileContents contents;
    private final NegativeCache misses;
    private final Demand demand;
    private final DebuginfodProperties properties;
    private final Shares shares;

    private final SingleFlight<Shared, CompletableFuture<Result>> running = new SingleFlight<>();
    private final AtomicLong unshared = new AtomicLong();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("file-", 0).factory());

    BuildFiles(
            DebugFileSources all,
            DiskCache cache,
            Builds builds,
            KeptUploads uploads,
            FileLookup sources,
            FileContents contents,
            NegativeCache misses,
            Demand demand,
            DebuginfodProperties properties) {
        this.folders = all.inOrder().stream()
                .filter(source -> !source.origin().isRemote())
                .toList();
        this.cache = cache;
        this.builds = builds;
        this.uploads = uploads;
        this.sources = sources;
        this.contents = contents;
        this.misses = misses;
        this.demand = demand;
        this.properties = properties;
        this.shares = new Shares("files of upstreams", properties.maxConcurrent());
    }

    /**
     * A request of a client.
     *
     * @param maxBytes {@code X-DEBUGINFOD-MAXSIZE}; a negative number without it
     */
    record ClientRequest(BuildId id, long maxBytes, ForwardedFor forwardedFor, Caller caller) {

        long limit() {
            return maxBytes < 0 ? NO_LIMIT : maxBytes;
        }

        void requireAtMost(long bytes) {
            if (bytes > limit()) {
                throw new ProblemException(DebuginfodProblems.largerThan(maxBytes));
            }
        }
    }

    /**
     * Returns the debug file or executable of a build.
     *
     * @throws ProblemException if there is none, or it does not arrive in time
     */
    CachedFile find(ClientRequest request, FileKind kind) throws InterruptedException {
        Optional<CachedFile> here = onThisServer(request.id(), kind);
        if (here.isEmpty()) {
            fetch(request, kind);
            here = onThisServer(request.id(), kind);
        }
        CachedFile file = here.orElseThrow(() -> new ProblemException(DebuginfodProblems.busy(RETRY_AFTER)));
        if (file.bytes() > request.limit()) {
            file.close();
            throw new ProblemException(DebuginfodProblems.largerThan(request.maxBytes()));
        }
        return file;
    }

    /** Returns a file that has the contents of this section, if one is on this server. */
    Optional<CachedFile> withSection(BuildId id, String section) throws InterruptedException {
        Predicate<CachedFile> fits = file -> contents.section(file, section).isPresent();
        for (FileKind kind : List.of(FileKind.DEBUGINFO, FileKind.SECTIONS, FileKind.EXECUTABLE)) {
            Optional<CachedFile> found = onDisk(id, kind, fits);
            if (found.isPresent()) {
                return found;
            }
        }
        return upload(id, fits);
    }

    /** Fetches a source file from an upstream. */
    CachedFile source(ClientRequest request, String path) throws InterruptedException {
        if (request.forwardedFor().mustNotForward()) {
            throw new ProblemException(DebuginfodProblems.notPassedOn());
        }
        long maxBytes = Math.min(request.limit(), properties.maxSourceSize().toBytes());
        CompletableFuture<Result> result = new CompletableFuture<>();
        var _ = running.join(new Shared(request.id(), FileKind.SECTIONS, maxBytes, unshared.incrementAndGet()), result);
        start(
                result,
                request,
                () -> sources.find(FileRequest.ofSource(request.id(), path, maxBytes, request.forwardedFor())));
        try {
            return switch (await(result)) {
                case Result.Found(CachedFile file) -> file;
                case Result.Missing _ ->
                    throw new ProblemException(
                            DebuginfodProblems.notFound("no upstream has this source file", Duration.ZERO));
                case Result.Without without -> throw failed(without, request);
            };
        } catch (ProblemException | InterruptedException e) {
            Future<?> _ = result.thenAccept(late -> {
                if (late instanceof Result.Found(CachedFile file)) {
                    file.close();
                }
            });
            throw e;
        }
    }

    private Optional<CachedFile> onThisServer(BuildId id, FileKind kind) throws InterruptedException {
        Predicate<CachedFile> fits = file -> contents.isComplete(file, kind);
        Optional<CachedFile> onDisk = onDisk(id, kind, fits);
        return onDisk.isPresent() ? onDisk : upload(id, fits);
    }

    private Optional<CachedFile> onDisk(BuildId id, FileKind kind, Predicate<CachedFile> fits)
            throws InterruptedException {
        if (kind != FileKind.SECTIONS) {
            FileRequest request = FileRequest.of(id, kind, NO_LIMIT, ForwardedFor.NONE);
            for (DebugFileSource folder : folders) {
                if (folder.fetch(request) instanceof FetchOutcome.Fetched(CachedFile file)) {
                    Optional<CachedFile> found = ifFits(file, fits);
                    if (found.isPresent()) {
                        return found;
                    }
                }
            }
        }
        try {
            Optional<CachedFile> cached = cache.findLatelyVerified(id, kind);
            return cached.isPresent() ? ifFits(cached.get(), fits) : Optional.empty();
        } catch (DiskException e) {
            throw diskFailed(e);
        }
    }

    private Optional<CachedFile> upload(BuildId id, Predicate<CachedFile> fits) throws InterruptedException {
        try {
            Optional<CachedFile> kept = Optional.empty();
            var build = builds.find(id);
            if (build.isPresent()) {
                kept = uploads.find(build.get());
            }
            return kept.isPresent() ? ifFits(kept.get(), fits) : Optional.empty();
        } catch (DiskException e) {
            throw diskFailed(e);
        }
    }

    private static Optional<CachedFile> ifFits(CachedFile file, Predicate<CachedFile> fits) {
        boolean kept = false;
        try {
            kept = fits.test(file);
            return kept ? Optional.of(file) : Optional.empty();
        } finally {
            if (!kept) {
                file.close();
            }
        }
    }

    private static ProblemException diskFailed(DiskException e) {
        return new ProblemException(DebuginfodProblems.of(new Failure(Cause.DISK_FAILED, e.detail()), RETRY_AFTER));
    }

    /** Fetches the file into the disk cache, or waits for another request that does. */
    private void fetch(ClientRequest request, FileKind kind) throws InterruptedException {
        Optional<Duration> missed = misses.remaining(request.id(), kind);
        if (missed.isPresent()) {
            throw notFound(request.id(), kind, missed.get());
        }
        if (request.forwardedFor().mustNotForward()) {
            throw new ProblemException(DebuginfodProblems.notPassedOn());
        }
        FileRequest wanted = FileRequest.of(request.id(), kind, request.limit(), request.forwardedFor());
        CompletableFuture<Result> own = new CompletableFuture<>();
        Optional<CompletableFuture<Result>> others =
                running.join(new Shared(request.id(), kind, request.limit(), 0), own);
        if (others.isEmpty()) {
            start(own, request, () -> {
                Result result = sources.find(wanted);
                if (result instanceof Result.Found(CachedFile file)) {
                    // Each caller takes it from the disk cache.
                    file.close();
                }
                return result;
            });
        }
        switch (await(others.orElse(own))) {
            case Result.Found _ -> {
                // On this server now.
            }
            case Result.Missing(FetchOutcome.Finality finality) ->
                throw notFound(request.id(), kind, misses.add(request.id(), kind, finality));
            case Result.Without without -> throw failed(without, request);
        }
    }

    /**
     * Key of a fetch that concurrent requests share.
     *
     * @param number differs for each fetch that callers do not share; 0 for others
     */
    private record Shared(BuildId id, FileKind kind, long maxBytes, long number) implements Comparable<Shared> {

        private static final Comparator<Shared> ORDER = Comparator.comparing(Shared::id)
                .thenComparing(Shared::kind)
                .thenComparingLong(Shared::maxBytes)
                .thenComparingLong(Shared::number);

        @Override
        public int compareTo(Shared other) {
            return ORDER.compare(this, other);
        }
    }

    private ProblemException notFound(BuildId id, FileKind kind, Duration retryAfter) {
        if (kind == FileKind.DEBUGINFO) {
            demand.missed(id, Cause.NOT_FOUND);
        }
        return new ProblemException(DebuginfodProblems.notFound("no source has the " + kind.word(), retryAfter));
    }

    private static ProblemException failed(Result.Without without, ClientRequest request) {
        return new ProblemException(
                without.failure().cause() == Cause.TOO_LARGE && request.maxBytes() >= 0
                        ? DebuginfodProblems.largerThan(request.maxBytes())
                        : DebuginfodProblems.of(without.failure(), without.retryAfter()));
    }

    /**
     * Runs work on a new thread: it continues when its callers disconnect.
     *
     * @throws ProblemException if there is no place for it: 503
     */
    private void start(CompletableFuture<Result> result, ClientRequest request, Callable<Result> work) {
        Shares.Place place;
        try {
            place = shares.take(request.caller());
        } catch (ProblemException e) {
            result.cancel(false);
            throw e;
        }
        try {
            threads.execute(WorkContext.about(request.id(), () -> {
                try (place) {
                    Result ended = work.call();
                    if (!result.complete(ended) && ended instanceof Result.Found(CachedFile file)) {
                        file.close();
                    }
                } catch (Exception e) {
                    result.completeExceptionally(e);
                } finally {
                    // No effect after a result.
                    result.cancel(false);
                }
            }));
        } catch (RejectedExecutionException e) {
            // The server began to shut down in the meantime.
            place.close();
            result.cancel(false);
        }
    }

    private Result await(CompletableFuture<Result> result) throws InterruptedException {
        try {
            return result.get(properties.waitTimeout().toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new ProblemException(DebuginfodProblems.takesLonger(properties.waitTimeout(), RETRY_AFTER));
        } catch (CancellationException e) {
            throw new ProblemException(DebuginfodProblems.busy(RETRY_AFTER));
        } catch (ExecutionException e) {
            throw e.getCause() instanceof InterruptedException
                    ? new ProblemException(DebuginfodProblems.busy(RETRY_AFTER))
                    : new IllegalStateException("a file cannot be fetched", e.getCause());
        }
    }

    /** Ends all work when the server begins to shut down, so that waiting clients do not delay it. */
    @Order(0)
    @EventListener
    void drain(AvailabilityChangeEvent<ReadinessState> event) {
        if (event.getState() == ReadinessState.REFUSING_TRAFFIC) {
            threads.shutdownNow();
            running.all().forEach(work -> work.cancel(false));
        }
    }

    @Override
    public void destroy() {
        threads.shutdownNow();
    }
}
