package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Shares;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.operations.compute.SingleFlight;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.telemetry.WorkContext;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Work of a kind on builds, done under their leases, a bounded number at a time. Callers in this server that ask for the same build
 * share its result. The work does not depend on any caller, so clients that disconnect do not stop it.
 *
 * @param <R> its result
 * @param <F> what its callers share
 */
final class LeasedWork<R, F extends CompletableFuture<R>> {

    private static final Logger log = LoggerFactory.getLogger(LeasedWork.class);

    static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(5);
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    private final String kind;
    private final Builds builds;
    private final LeaseHolder leases;
    private final int maxShared;
    private final Shares shares;
    private final Semaphore working;
    private final SingleFlight<BuildId, F> inProgress = new SingleFlight<>();
    private final ExecutorService threads;

    /** @param kind for the names of its threads, for the log and for clients */
    LeasedWork(String kind, Builds builds, LeaseHolder leases, ExtractionProperties properties) {
        this.kind = kind;
        this.builds = builds;
        this.leases = leases;
        this.maxShared = properties.maxConcurrent() + properties.maxWaiting();
        this.shares = new Shares(kind, maxShared);
        this.working = new Semaphore(properties.maxConcurrent(), true);
        this.threads = Executors.newThreadPerTaskExecutor(
                Thread.ofVirtual().name(kind + "-", 0).factory());
    }

    Optional<F> find(BuildId id) {
        return inProgress.find(id);
    }

    int size() {
        return inProgress.size();
    }

    /**
     * Returns the work in progress on a build. Without any, the caller's begins, or fails with {@link BusyException} or
     * {@link DrainingException}.
     *
     * @param caller that has a share of the work until it ends; null for the server
     * @param attempt works on the build, unless another server does, and returns the result of either; empty if there is none yet.
     *     Called again when no server works on the build
     * @throws dev.offsetd.server.web.ProblemException if the caller has its share: 503
     */
    Optional<F> joinOrStart(BuildId id, F own, @Nullable Caller caller, Callable<Optional<R>> attempt) {
        Optional<F> known = inProgress.find(id);
        if (known.isPresent()) {
            return known;
        }
        Shares.Place place = caller == null ? null : shares.take(caller);
        if (place != null) {
            Future<?> _ = own.whenComplete((_, _) -> place.close());
        }
        Optional<F> running = inProgress.join(id, own);
        if (running.isPresent()) {
            // Gives the place back.
            own.cancel(false);
            return running;
        }
        // Counted after the insertion, so that the bound holds under concurrency.
        if (inProgress.size() > maxShared) {
            own.completeExceptionally(new BusyException(BUSY_RETRY_AFTER));
            return Optional.empty();
        }
        try {
            // A known build too: the sweep may have deleted its row since it was read.
            builds.insertIfAbsent(id);
            threads.execute(WorkContext.about(id, () -> run(id, own, attempt)));
        } catch (RejectedExecutionException e) {
            // The server began to shut down in the meantime.
            own.completeExceptionally(new DrainingException());
        } catch (RuntimeException e) {
            own.completeExceptionally(e);
            throw e;
        }
        return Optional.empty();
    }

    private void run(BuildId id, F shared, Callable<Optional<R>> attempt) {
        try {
            shared.complete(runUntilSettled(id, attempt));
        } catch (Throwable e) {
            // Errors too: the waiting callers must be notified.
            if (leases.isClosed()) {
                shared.completeExceptionally(new DrainingException());
            } else {
                log.error("build {}: work ({}) failed", id, kind, e);
                shared.completeExceptionally(e);
            }
            FatalErrors.haltIfFatal(e);
        }
    }

    private R runUntilSettled(BuildId id, Callable<Optional<R>> attempt) throws Exception {
        while (true) {
            working.acquire();
            try {
                Optional<R> result = attempt.call();
                if (result.isPresent()) {
                    return result.get();
                }
            } finally {
                working.release();
            }
            var _ = SingleFlight.await(leases.whenIdle(id).thenApply(_ -> id));
        }
    }

    /** Interrupts all work, and notifies waiting callers at once, so that they do not delay the shutdown. */
    void end() {
        // Interrupted a second time, a worker could not give its lease back.
        if (!threads.isShutdown()) {
            inProgress.all().forEach(shared -> shared.completeExceptionally(new DrainingException()));
            threads.shutdownNow();
        }
    }

    void awaitEnd() throws InterruptedException {
        end();
        if (!threads.awaitTermination(SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)) {
            log.warn("work ({}) did not end within {} s; its leases will expire", kind, SHUTDOWN.toSeconds());
        }
    }
}
