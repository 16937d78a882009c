package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent.Wanted;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.operations.compute.SharedReads;
import dev.offsetd.server.operations.health.ProcessEndsEvent;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.outcome.BuildState;
import java.time.Duration;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Future;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/**
 * Single-flight extractions: all callers in this server share one extraction per build. It works only while it holds the lease of
 * the build; otherwise it waits for the server that does. It does not depend on any caller, so clients that disconnect do not
 * stop it.
 */
@Component
public class Extractions implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Extractions.class);

    private final Builds builds;
    private final BuildStates states;
    private final LeaseHolder leases;
    private final ExtractionWorker worker;
    private final Set<String> sources;
    private final Duration unusable;
    private final int maxConcurrent;
    private final ExtractionMeters meters;
    private final LeasedWork<Build, SharedExtraction> shared;
    private final SharedReads<BuildId, Optional<Build>> reads = new SharedReads<>();

    Extractions(
            Builds builds,
            BuildStates states,
            LeaseHolder leases,
            ExtractionWorker worker,
            DebugFileSources sources,
            ExtractionProperties properties,
            ExtractionMeters meters) {
        this.builds = builds;
        this.states = states;
        this.leases = leases;
        this.worker = worker;
        this.sources = sources.inOrder().stream().map(DebugFileSource::name).collect(Collectors.toUnmodifiableSet());
        this.unusable = properties.retry().unusable();
        this.maxConcurrent = Math.min(properties.maxConcurrent(), sources.maxConcurrentPerHost());
        this.shared = new LeasedWork<>("extraction", builds, leases, properties);
        this.meters = meters;
        meters.countWaitingOf(shared::size);
    }

    /** Returns how many builds this server extracts at a time, even if one upstream has them all. */
    public int maxConcurrent() {
        return maxConcurrent;
    }

    /** Returns the status of the build for a part of the server, and starts the extraction if it is due. */
    public BuildStatus request(BuildId id) {
        return request(id, Wanted.NONE, null);
    }

    /**
     * Returns the status of the build, and starts the extraction if it is due.
     *
     * @param wanted what the caller waits for: an extraction that this call starts reads it first
     * @param caller of the request; null for the server
     * @throws dev.offsetd.server.web.ProblemException if the caller has its share of extractions: 503
     */
    public BuildStatus request(BuildId id, Wanted wanted, @Nullable Caller caller) {
        Optional<SharedExtraction> running = shared.find(id).filter(extraction -> extraction.awaited);
        if (running.isPresent()) {
            // Without a database query: a thousand concurrent callers would queue for the few connections.
            meters.coalesced();
            return running.get().status();
        }
        Optional<Build> known = reads.read(id, () -> find(id));
        if (known.filter(this::settled).isPresent()) {
            if (!leases.isClosed() && shouldRecheckSources(known.get())) {
                // In the background: the upload answers until a source has the build.
                begin(id, known.get().settledAttempt(), Wanted.NONE, new SharedExtraction(false), null);
            }
            return new BuildStatus.Settled(known.get());
        }
        if (leases.isClosed()) {
            builds.insertIfAbsent(id);
            SharedExtraction refused = new SharedExtraction(true);
            refused.completeExceptionally(new DrainingException());
            return refused.status();
        }
        return begin(id, known.map(Build::settledAttempt).orElse(0L), wanted, new SharedExtraction(true), caller);
    }

    private BuildStatus begin(
            BuildId id, long lastAttempt, Wanted wanted, SharedExtraction fresh, @Nullable Caller caller) {
        EarlyConsumer<EarlyBuild> early = new EarlyConsumer<>(wanted, fresh::take);
        Optional<SharedExtraction> running =
                shared.joinOrStart(id, fresh, caller, () -> attempt(id, lastAttempt, early));
        if (running.isPresent()) {
            meters.coalesced();
        }
        return running.orElse(fresh).status();
    }

    /** A single-flight extraction: all callers share its result, and content that answers before it. */
    private static final class SharedExtraction extends CompletableFuture<Build> {

        /** Whether callers wait for it; otherwise the build is answered in the meantime. */
        private final boolean awaited;

        private final CompletableFuture<Optional<EarlyBuild>> first = new CompletableFuture<>();
        private final CompletableFuture<Optional<EarlyBuild>> allTypes = new CompletableFuture<>();

        private SharedExtraction(boolean awaited) {
            this.awaited = awaited;
            Future<?> _ = whenComplete((_, _) -> {
                first.complete(Optional.empty());
                allTypes.complete(Optional.empty());
            });
        }

        private void take(EarlyBuild build) {
            first.complete(Optional.of(build));
            if (build.content().areAllTypes()) {
                allTypes.complete(Optional.of(build));
            }
        }

        private BuildStatus status() {
            return new BuildStatus.InProgress(copy(), first.copy(), allTypes.copy());
        }
    }

    /** Returns whether the last result still holds. */
    private boolean settled(Build build) {
        return switch (build.state()) {
            case WANTED -> false;
            case EXTRACTED -> true;
            case UNUSABLE -> !build.versions().areBehind(PartVersions.CURRENT) && holds(build);
            case NOT_FOUND, FAILED -> holds(build);
        };
    }

    /** Returns whether a source may have a better file than the one that answers, and the sources are due for another query. */
    private boolean shouldRecheckSources(Build build) {
        return build.mayBeReplaced() && !holds(build);
    }

    /** Returns whether it is too early to try again and every enabled source has an outcome. */
    private boolean holds(Build build) {
        return build.retryAfter().isPositive() && (endedProcess(build) || allSourcesChecked(build));
    }

    private boolean allSourcesChecked(Build build) {
        return build.checked().stream()
                .map(SourceOutcome::source)
                .collect(Collectors.toSet())
                .containsAll(build.id().isGnu() ? sources : Set.of());
    }

    /** Returns whether the last attempt ended with its process, so that the answers of the sources are unknown. */
    private static boolean endedProcess(Build build) {
        return build.state() != BuildState.NOT_FOUND
                && build.checked().stream().allMatch(outcome -> outcome.origin().isUpload());
    }

    /**
     * Returns whether there is a result newer than this attempt. All callers that waited for it get it, even a failure after which
     * the next attempt may start at once.
     */
    private boolean settledSince(Build build, long attempt) {
        return settled(build) || (build.state() != BuildState.WANTED && build.settledAttempt() > attempt);
    }

    /** Finds a build, without the outcomes of sources that are no longer enabled. */
    private Optional<Build> find(BuildId id) {
        return builds.find(id, outcome -> outcome.origin().isUpload() || sources.contains(outcome.source()));
    }

    /** Works on the build, unless another server does. Returns the build if it is settled. */
    private Optional<Build> attempt(BuildId id, long lastAttempt, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        Optional<Claimed<Build>> claimed = leases.claim(
                id, () -> find(id).filter(build -> !settledSince(build, lastAttempt) || shouldRecheckSources(build)));
        boolean done = claimed.isPresent() && work(claimed.get(), early);
        // A query may have discarded the stored types, because they are corrupt, after the work decided to keep them.
        return Optional.of(find(id).orElseThrow())
                .filter(build -> settledSince(build, lastAttempt) || (done && build.state() != BuildState.WANTED));
    }

    /** Works on the build. Returns false if the lease was lost and nothing was stored. */
    private boolean work(Claimed<Build> claimed, EarlyConsumer<EarlyBuild> early) throws InterruptedException {
        try {
            worker.work(claimed, early);
            return true;
        } catch (Lease.LeaseLostException e) {
            if (!leases.isClosed()) {
                log.warn("{}", e.getMessage());
            }
            return false;
        }
    }

    /**
     * Extracts a stored build again if an earlier extractor has stored it and no server works on it. The stored types answer in the
     * meantime, and stay if no source has the file any more.
     *
     * @return whether there was anything to do
     */
    boolean renew(BuildId id) throws InterruptedException {
        Optional<Claimed<Build>> claimed = leases.claim(id, () -> find(id).filter(Extractions::outdated));
        return claimed.isPresent() && work(claimed.get(), EarlyConsumer.none());
    }

    private static boolean outdated(Build build) {
        return build.file() != null
                && build.versions().areBehind(PartVersions.CURRENT)
                && !build.retryAfter().isPositive();
    }

    /**
     * Ends all work when the server begins to shut down. It releases the leases, so that another server can take over, and
     * notifies waiting callers at once, so that they do not delay the shutdown.
     */
    @Order(0)
    @EventListener
    void drain(AvailabilityChangeEvent<ReadinessState> event) throws InterruptedException {
        if (event.getState() != ReadinessState.REFUSING_TRAFFIC || leases.isClosed()) {
            return;
        }
        try {
            leases.close();
        } catch (RuntimeException e) {
            log.warn("leases cannot be released and will expire: {}", e.toString());
        }
        shared.end();
    }

    /** Counts a failed attempt for the builds that may be why the process ends. */
    @EventListener
    void recordProcessEnd(ProcessEndsEvent event) {
        log.error("builds that are being read, and count a failed attempt: {}", states.recordProcessEnd(unusable));
    }

    @Override
    public void destroy() throws InterruptedException {
        shared.awaitEnd();
    }
}
