package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.FileNames;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.server.answers.offsets.BuildCoverage;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DrainingException;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.operations.work.Backoff;
import dev.offsetd.server.operations.work.SharedWork;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
import dev.offsetd.server.web.ExceptionProblems;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import io.github.bucket4j.Bucket;
import io.github.bucket4j.ConsumptionProbe;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.function.BooleanSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.TransactionException;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Runs one attempt at an item: requests the build as a client does, resolves the types and stores the result. An
 * attempt may run twice, even on two servers at once: an item with a result is left alone. It holds no database
 * connection while it waits.
 */
@Component
class ItemAttempts implements SharedWork {

    private static final Logger log = LoggerFactory.getLogger(ItemAttempts.class);

    /** Source of the fields of an identity. */
    private static final String PREWARM_PATH = "prewarm path";

    private static final Duration LONGEST_BACKOFF = Duration.ofHours(1);

    private final PrewarmTable table;
    private final Builds builds;
    private final Identities identities;
    private final Extractions extractions;
    private final BuildCoverage coverage;
    private final PrewarmMeters meters;
    private final ExceptionProblems problems;
    private final StartRate startRate;
    private final Backoff backoff;
    private final int maxConcurrent;
    private final int maxAttempts;
    private final TransactionTemplate transaction;

    ItemAttempts(
            PrewarmTable table,
            Builds builds,
            Identities identities,
            Extractions extractions,
            BuildCoverage coverage,
            PrewarmMeters meters,
            ExceptionProblems problems,
            PrewarmProperties properties,
            PlatformTransactionManager transactions) {
        this.table = table;
        this.builds = builds;
        this.identities = identities;
        this.extractions = extractions;
        this.coverage = coverage;
        this.meters = meters;
        this.problems = problems;
        this.backoff = new Backoff(properties.backoff(), LONGEST_BACKOFF);
        this.maxConcurrent = Math.min(properties.maxConcurrent(), Math.max(1, extractions.maxConcurrent() - 1));
        this.startRate = new StartRate(properties.perMinute(), maxConcurrent);
        this.maxAttempts = properties.maxAttempts();
        this.transaction = new TransactionTemplate(transactions);
    }

    @Override
    public String name() {
        return "prewarm-item";
    }

    @Override
    public String table() {
        return "scheduled_tasks";
    }

    @Override
    public int maxConcurrent() {
        return maxConcurrent;
    }

    @Override
    public void stop() {
        startRate.stop();
    }

    @Override
    public Optional<Duration> attempt(String piece) {
        PrewarmItem.Key item = PrewarmItem.Key.parse(piece);
        meters.started();
        try {
            Optional<PrewarmTable.Waiting> waiting = table.findWaiting(item);
            return waiting.isEmpty() ? Optional.empty() : attempt(item, waiting.get());
        } catch (DrainingException e) {
            return Optional.of(Duration.ZERO);
        } catch (InterruptedException e) {
            // Also at shutdown. The interrupt is not restored, because the thread must still return the item to the
            // database.
            return Optional.of(Duration.ZERO);
        } finally {
            meters.stopped();
        }
    }

    private Optional<Duration> attempt(PrewarmItem.Key item, PrewarmTable.Waiting waiting) throws InterruptedException {
        Optional<Build> known = builds.find(item.build());
        if (known.map(Build::file).isPresent()) {
            return settle(item, waiting, new AttemptOutcome.Stored(known.get()));
        }
        if (known.filter(Build::running).isEmpty()) {
            if (waiting.cancelled()) {
                table.cancelled(item);
                return Optional.empty();
            }
            if (!startRate.await()) {
                return Optional.of(Duration.ZERO);
            }
            // It may have been cancelled in the meantime.
            if (table.findWaiting(item).isEmpty()) {
                return Optional.empty();
            }
        }
        return settle(item, waiting, outcome(item));
    }

    private AttemptOutcome outcome(PrewarmItem.Key item) throws InterruptedException {
        try {
            return switch (extractions.request(item.build())) {
                case BuildStatus.Settled(Build build) -> AttemptOutcome.of(build);
                case BuildStatus.InProgress running ->
                    AttemptOutcome.of(running.result().get());
            };
        } catch (ExecutionException e) {
            return switch (e.getCause()) {
                case DrainingException draining -> throw draining;
                case BusyException busy -> AttemptOutcome.busy(busy.retryAfter());
                case null -> failed(item, e);
                case Throwable failure -> failed(item, failure);
            };
        } catch (DataAccessException | TransactionException e) {
            return failed(item, e);
        }
    }

    /** Returns the outcome of a failure of this server. */
    private AttemptOutcome failed(PrewarmItem.Key item, Throwable failure) {
        log.warn("build {} cannot be prewarmed now: {}", item.build(), failure.toString());
        Optional<Problem> problem = failure instanceof Exception e ? problems.known(e) : Optional.empty();
        return new AttemptOutcome.Passing(
                problem.map(known -> new PrewarmItem.Cause(known.code(), known.detail()))
                        .orElseGet(() -> new PrewarmItem.Cause("internal", "internal error; see the server's log")),
                Duration.ZERO);
    }

    private Optional<Duration> settle(PrewarmItem.Key item, PrewarmTable.Waiting waiting, AttemptOutcome outcome) {
        return switch (outcome) {
            case AttemptOutcome.Stored(Build build) -> settleStored(item, waiting, build);
            case AttemptOutcome.Definite(PrewarmItem.Cause cause) -> fail(item, waiting, cause, outcome);
            case AttemptOutcome.Passing(PrewarmItem.Cause cause, Duration pause) -> {
                if (table.findWaiting(item)
                        .filter(PrewarmTable.Waiting::cancelled)
                        .isPresent()) {
                    table.cancelled(item);
                    yield Optional.empty();
                }
                int attempts = waiting.attempts() + 1;
                if (attempts >= maxAttempts) {
                    yield fail(item, waiting, cause, new AttemptOutcome.Definite(cause));
                }
                Duration time = backoff.after(attempts, pause);
                if (table.waitAfter(item, cause, time)) {
                    meters.ended(outcome);
                }
                yield Optional.of(time);
            }
        };
    }

    private Optional<Duration> fail(
            PrewarmItem.Key item, PrewarmTable.Waiting waiting, PrewarmItem.Cause cause, AttemptOutcome outcome) {
        Boolean byConsensus = byConsensus(item, waiting.types()).orElse(null);
        if (inTransaction(() -> {
            claimName(item.build(), waiting.name());
            return table.failed(item, cause, byConsensus);
        })) {
            meters.ended(outcome);
        }
        return Optional.empty();
    }

    /** Returns whether similar builds answer for a build without types; empty if none are requested, or if it fails. */
    private Optional<Boolean> byConsensus(PrewarmItem.Key item, List<String> types) {
        if (types.isEmpty()) {
            return Optional.empty();
        }
        try {
            return builds.find(item.build()).map(build -> coverage.isByConsensus(build, types));
        } catch (ProblemException | StoreUnreachableException e) {
            log.warn("build {}: no similar builds can be asked: {}", item.build(), e.toString());
            return Optional.empty();
        }
    }

    private Optional<Duration> settleStored(PrewarmItem.Key item, PrewarmTable.Waiting waiting, Build build) {
        PrewarmItem.Result result;
        try {
            result = result(build, waiting.types());
        } catch (ProblemException e) {
            // A type set may have changed since the batch was created.
            return settle(
                    item,
                    waiting,
                    new AttemptOutcome.Definite(new PrewarmItem.Cause(
                            e.problem().code(), e.problem().detail())));
        } catch (CorruptBlobException e) {
            return settle(item, waiting, unreadable(build, e));
        } catch (StoreUnreachableException e) {
            return settle(item, waiting, failed(item, e));
        }
        if (inTransaction(() -> {
            addName(build, waiting.name());
            return table.done(item, result);
        })) {
            meters.ended(new AttemptOutcome.Stored(build));
        }
        return Optional.empty();
    }

    /** Shows whose debug file is missing. */
    private void claimName(BuildId build, @Nullable String path) {
        if (path != null) {
            ClaimedName.of(path, ClaimedName.By.PREWARM)
                    .ifPresent(name -> builds.storeClaimedNames(Map.of(build, name)));
        }
    }

    /** Adds what the path of a file says of the build, after everything that is known of it. */
    private void addName(Build build, @Nullable String path) {
        if (path == null) {
            return;
        }
        Identity named = FileNames.ofPath(path, PREWARM_PATH);
        builds.addAndLock(build.id());
        Identity known = identities.find(build.id()).orElse(Identity.UNKNOWN);
        if (!known.merge(named).equals(known)) {
            if (build.file() != null) {
                identities.add(build.id(), build.file().architecture(), named);
            }
        }
    }

    private PrewarmItem.Result result(Build build, List<String> types) {
        if (types.isEmpty()) {
            return new PrewarmItem.Result(true, Map.of(), List.of());
        }
        BuildCoverage.ItemCoverage found = coverage.of(build, types);
        Map<String, PrewarmItem.Result.SetShare> sets = new LinkedHashMap<>();
        found.sets().forEach((set, share) -> sets.put(set, PrewarmItem.Result.SetShare.of(share)));
        return new PrewarmItem.Result(found.complete(), sets, found.missing());
    }

    /**
     * Returns the outcome for corrupt types. The build is extracted again, unless another version of the server stored
     * it.
     */
    private AttemptOutcome unreadable(Build build, CorruptBlobException e) {
        if (!build.versions().areBehind(PartVersions.CURRENT) && !PartVersions.CURRENT.areBehind(build.versions())) {
            log.error("build {}: the stored types are corrupt; extracting again", build.id(), e);
            builds.discard(build.id(), build.generation());
        }
        return new AttemptOutcome.Passing(
                new PrewarmItem.Cause("unreadable", "this version of the server cannot read the stored build"),
                Duration.ZERO);
    }

    private boolean inTransaction(BooleanSupplier change) {
        return Boolean.TRUE.equals(transaction.execute(status -> change.getAsBoolean()));
    }

    @Override
    public Optional<Duration> abandoned(String piece) {
        PrewarmItem.Key item = PrewarmItem.Key.parse(piece);
        Optional<PrewarmTable.Waiting> waiting = table.findWaiting(item);
        if (waiting.isEmpty()) {
            return Optional.empty();
        }
        // Counted as a failed attempt, so that an item that crashes servers fails in the end.
        return settle(
                item,
                waiting.get(),
                new AttemptOutcome.Passing(
                        new PrewarmItem.Cause("server_lost", "the server that worked on it stopped renewing its lease"),
                        Duration.ZERO));
    }

    /** Limits how many builds this server starts per minute, spread over the minute. */
    static final class StartRate {

        private final Bucket bucket;
        private final CountDownLatch stopped = new CountDownLatch(1);

        /** @param atOnce builds that may start together after a pause */
        StartRate(int perMinute, int atOnce) {
            bucket = Bucket.builder()
                    .addLimit(limit ->
                            limit.capacity(Math.min(perMinute, atOnce)).refillGreedy(perMinute, Duration.ofMinutes(1)))
                    .build();
        }

        /** Waits until another build may start; returns false if the server shuts down. */
        boolean await() throws InterruptedException {
            while (stopped.getCount() > 0) {
                ConsumptionProbe turn = bucket.tryConsumeAndReturnRemaining(1);
                if (turn.isConsumed()) {
                    return true;
                }
                if (stopped.await(turn.getNanosToWaitForRefill(), TimeUnit.NANOSECONDS)) {
                    return false;
                }
            }
            return false;
        }

        /** Ends all current and future waits. */
        void stop() {
            stopped.countDown();
        }
    }
}
