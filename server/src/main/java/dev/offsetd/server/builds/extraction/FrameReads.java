package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.FrameState;
import dev.offsetd.server.builds.FrameStates;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.storage.FrameTables;
import dev.offsetd.server.storage.NewBlob;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Reads the functions and lines of stored builds when they are requested: once for all callers of this server, and under the lease
 * of the build, so once in the cluster.
 */
@Component
public class FrameReads implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(FrameReads.class);

    /** Most addresses that are read before all others: more would be in most units of a file, which would all be read twice. */
    public static final int MAX_EARLY = 64;

    private static final Duration NONE_RETRY_AFTER = Duration.ofDays(1);

    private final Builds builds;
    private final FrameStates states;
    private final LeaseHolder leases;
    private final FrameFiles files;
    private final DebugFileReader reader;
    private final FrameTables tables;
    private final TransactionTemplate transaction;
    private final ExtractionMeters meters;
    private final LeasedWork<FrameState, Reading> shared;
    private final ExtractionProperties.Renewal renewal;

    FrameReads(
            Builds builds,
            FrameStates states,
            LeaseHolder leases,
            FrameFiles files,
            DebugFileReader reader,
            FrameTables tables,
            PlatformTransactionManager transactions,
            ExtractionProperties properties,
            ExtractionMeters meters) {
        this.builds = builds;
        this.states = states;
        this.leases = leases;
        this.files = files;
        this.reader = reader;
        this.tables = tables;
        this.transaction = new TransactionTemplate(transactions);
        this.meters = meters;
        this.shared = new LeasedWork<>("frames", builds, leases, properties);
        this.renewal = properties.renewal();
    }

    /** Result of a reading, and what its callers wait for. */
    private static final class Reading extends CompletableFuture<FrameState> {

        final EarlyFrames early = new EarlyFrames();

        /** Whether callers wait for it; otherwise stored functions and lines answer in the meantime. */
        final boolean awaited;

        Reading(boolean awaited) {
            this.awaited = awaited;
        }

        /** Returns the result for a caller who waits for these addresses. */
        CompletableFuture<FrameState> at(Set<Long> addresses) {
            return applyToEither(early.add(addresses), state -> state);
        }
    }

    /**
     * Returns the state of a stored build's functions and lines, and begins to read them if they are not stored, or an earlier
     * reader stored them.
     *
     * @param caller of the request; null for the server
     * @param addresses that the caller looks up, in the file, if they are not stored: the result may be {@link FrameState.Early} for
     *     these
     * @return fails with {@link BusyException} or {@link DrainingException} if the server does not read them; cancelling it does not
     *     stop the work
     * @throws dev.offsetd.server.web.ProblemException if the caller has its share of reading: 503
     */
    public CompletableFuture<FrameState> request(BuildId id, @Nullable Caller caller, Supplier<Set<Long>> addresses) {
        Optional<Reading> running = shared.find(id).filter(reading -> reading.awaited);
        if (running.isPresent()) {
            return running.get().at(addresses.get());
        }
        Optional<FrameState> known = states.find(id);
        if (known.isPresent()) {
            // After an upgrade, all are renewable: those that callers wait for go first.
            if (isRenewable(known.get()) && shared.size() < renewal.maxConcurrent()) {
                var _ = begin(id, new Reading(false), null);
            }
            return CompletableFuture.completedFuture(known.get());
        }
        Reading own = new Reading(true);
        Set<Long> first = addresses.get();
        CompletableFuture<FrameState> result = own.at(first);
        return begin(id, own, caller).map(others -> others.at(first)).orElse(result);
    }

    private Optional<Reading> begin(BuildId id, Reading own, @Nullable Caller caller) {
        return shared.joinOrStart(id, own, caller, () -> attempt(id, own.early));
    }

    private static boolean isRenewable(FrameState state) {
        return state instanceof FrameState.Stored stored && stored.renewable();
    }

    /** Reads them, unless another server does. */
    private Optional<FrameState> attempt(BuildId id, EarlyFrames early) throws InterruptedException {
        Optional<Claimed<Build>> claimed = leases.claim(
                id,
                () -> states.find(id).filter(state -> !isRenewable(state)).isPresent()
                        ? Optional.empty()
                        : builds.find(id));
        return claimed.isPresent() ? work(claimed.get(), early) : states.find(id);
    }

    /** Works on the build and ends the lease. Returns empty if it was lost, and another file answers meanwhile. */
    private Optional<FrameState> work(Claimed<Build> claimed, EarlyFrames early) throws InterruptedException {
        Lease lease = claimed.lease();
        Build build = claimed.before();
        try (claimed;
                ExtractionMeters.Metered attempt = meters.beginFrames()) {
            String sha256 = build.symbolsFile()
                    .orElseThrow(() -> new BusyException(LeasedWork.BUSY_RETRY_AFTER))
                    .sha256();
            FrameFiles.FramesResult result = files.read(build, early, leases.startProgress(lease));
            store(lease, lease.id(), sha256, result);
            if (result instanceof FrameFiles.FramesResult.Without(Failure failure, Duration _)) {
                attempt.ended(failure.cause().state());
                log.info("build {}: functions and lines are not read: {}", lease.id(), failure.detail());
                return states.find(lease.id()).or(() -> Optional.of(new FrameState.Without(failure)));
            }
            attempt.ended(BuildState.EXTRACTED);
        } catch (Lease.LeaseLostException e) {
            if (!leases.isClosed()) {
                log.warn("{}", e.getMessage());
            }
        }
        return states.find(lease.id());
    }

    /** @param lease ended in the same transaction; null if the work had none */
    private void store(@Nullable Lease lease, BuildId id, String sha256, FrameFiles.FramesResult result) {
        NewBlob blob = result instanceof FrameFiles.FramesResult.Read(byte[] bytes) ? tables.prepare(bytes) : null;
        transaction.executeWithoutResult(status -> {
            if (lease != null) {
                leases.end(lease);
            }
            builds.addAndLock(id);
            if (result instanceof FrameFiles.FramesResult.Without(Failure failure, Duration retryAfter)) {
                states.failed(id, sha256, failure, untilRenewal(id, retryAfter));
            } else if (blob != null && states.stored(id, sha256)) {
                tables.store(id, blob);
            }
        });
    }

    /** Retries after a failure wait longer while an earlier result answers. */
    private Duration untilRenewal(BuildId id, Duration retryAfter) {
        boolean isStored =
                states.find(id).filter(FrameState.Stored.class::isInstance).isPresent();
        return isStored ? renewal.atLeast(retryAfter) : retryAfter;
    }

    /**
     * Reads and stores the functions and lines of an uploaded file that answers for its build, unless this reader read it before. A
     * failure is logged: the upload has succeeded.
     *
     * @param supplementary the file that it shares types and functions with; null if it is self-contained
     */
    public void takeUpload(
            BuildId id, Path file, @Nullable Path supplementary, String sha256, DebugFileReader.Turn turn)
            throws InterruptedException {
        if (states.find(id).filter(FrameReads::holdsForTheFile).isPresent()) {
            return;
        }
        try {
            FrameFiles.FramesResult result = reader.readFrames(file, supplementary, new EarlyFrames(), turn)
                    .<FrameFiles.FramesResult>map(FrameFiles.FramesResult.Read::new)
                    .orElseGet(() -> new FrameFiles.FramesResult.Without(
                            new Failure(Cause.NO_DEBUGINFO, "the uploaded file has no functions and no lines"),
                            NONE_RETRY_AFTER));
            turn.paused().run();
            store(null, id, sha256, result);
        } catch (IOException | ExtractionException | RuntimeException e) {
            log.warn("build {}: functions and lines of the upload are not stored: {}", id, e.toString());
        }
    }

    /** Returns whether a client asked for functions and lines of a build, and they could not be read from any source. */
    public boolean needFile(BuildId id) {
        return states.needFile(id);
    }

    private static boolean holdsForTheFile(FrameState state) {
        return switch (state) {
            case FrameState.Stored stored -> !stored.isStale();
            case FrameState.Without(Failure failure) -> failure.cause().state() == BuildState.UNUSABLE;
            case FrameState.Early _ -> false;
        };
    }

    /** Forgets stored functions and lines that are damaged, so that the next request reads them again. */
    public void discard(BuildId id, long generation) {
        log.error("build {}: the stored functions and lines are corrupt; reading them again", id);
        transaction.executeWithoutResult(status -> states.discard(id, generation));
    }

    /** Ends all work when the server begins to shut down. {@link Extractions} releases the leases. */
    @Order(1)
    @EventListener
    void drain(AvailabilityChangeEvent<ReadinessState> event) {
        if (event.getState() == ReadinessState.REFUSING_TRAFFIC) {
            shared.end();
        }
    }

    @Override
    public void destroy() throws InterruptedException {
        shared.awaitEnd();
    }
}
