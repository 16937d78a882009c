package dev.offsetd.server.extraction;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.Conflict;
import dev.offsetd.server.builds.Conflicts;
import dev.offsetd.server.builds.Lease;
import dev.offsetd.server.builds.LeaseLostException;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.WorkProgress;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.catalogues.SymbolTables;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.DebugFileSources;
import dev.offsetd.server.health.FatalErrors;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Origin;
import dev.offsetd.server.telemetry.WorkContext;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * One extraction per build, however many ask: callers in this server share a flight, and a flight works only while it
 * holds the build's lease; otherwise it waits for the server that does. A flight belongs to nobody, so a caller that
 * goes away stops nothing.
 */
@Component
public class Extractions implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Extractions.class);
    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(5);
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    private final Builds builds;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final Conflicts conflicts;
    private final TransactionTemplate transaction;
    private final SourceRound round;
    private final UploadRenewal uploads;
    private final Set<String> sources;
    private final int maxConcurrent;
    private final int maxFlights;
    private final Duration renewalRetry;
    private final ExtractionMeters meters;
    private final Semaphore working;
    private final Map<BuildId, Flight> flights = new ConcurrentHashMap<>();
    private final AtomicInteger atWork = new AtomicInteger();
    private volatile boolean draining;
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("extraction-", 0).factory());

    Extractions(
            Builds builds,
            Catalogues catalogues,
            SymbolTables symbolTables,
            PlatformTransactionManager transactions,
            DebugFileSources sources,
            DebugFileReader reader,
            UploadRenewal uploads,
            Conflicts conflicts,
            ExtractionProperties properties,
            MeterRegistry meterRegistry) {
        this.builds = builds;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.conflicts = conflicts;
        this.uploads = uploads;
        this.transaction = new TransactionTemplate(transactions);
        this.sources = sources.inOrder().stream().map(DebugFileSource::name).collect(Collectors.toUnmodifiableSet());
        this.maxConcurrent = Math.min(properties.maxConcurrent(), sources.maxConcurrentPerHost());
        this.maxFlights = properties.maxConcurrent() + properties.maxWaiting();
        this.renewalRetry = properties.renewal().retry();
        this.meters = new ExtractionMeters(meterRegistry, () -> Math.max(0, flights.size() - atWork.get()));
        this.working = new Semaphore(properties.maxConcurrent(), true);
        this.round = new SourceRound(sources.inOrder(), reader, new RetryTimes(properties.retry()));
    }

    /** How many builds this server gets at a time, even if one upstream has them all. */
    public int maxConcurrent() {
        return maxConcurrent;
    }

    /** Where the build stands; begins the work on it if there is any to do. */
    public Standing ask(BuildId id) {
        Flight running = flights.get(id);
        if (running != null && running.awaited()) {
            // Without a look at the database: a thousand callers at once would wait for its few connections.
            meters.coalesced();
            return new Standing.UnderWay(running.result().copy());
        }
        Optional<Build> known = builds.find(id);
        if (known.filter(this::settled).isPresent()) {
            if (!draining && toBeLookedBehind(known.get())) {
                // Nobody waits for it: until a source has the build, the upload answers.
                begin(id, known.get().settledAttempt(), false);
            }
            return new Standing.Settled(enabledOnly(known.get()));
        }
        if (draining) {
            builds.want(id);
            return new Standing.UnderWay(CompletableFuture.failedFuture(new DrainingException()));
        }
        return begin(id, known.map(Build::settledAttempt).orElse(0L), true);
    }

    private Standing begin(BuildId id, long settledBefore, boolean awaited) {
        Flight fresh = new Flight(new CompletableFuture<>(), awaited);
        Flight running = flights.putIfAbsent(id, fresh);
        if (running != null) {
            meters.coalesced();
            return new Standing.UnderWay(running.result().copy());
        }
        // Counted after it was added, so that the bound holds however many come at once.
        if (flights.size() > maxFlights) {
            flights.remove(id, fresh);
            fresh.result().completeExceptionally(new BusyException(BUSY_RETRY_AFTER));
            return new Standing.Busy(BUSY_RETRY_AFTER);
        }
        try {
            builds.want(id);
            threads.execute(WorkContext.about(id, () -> fly(id, settledBefore, fresh)));
        } catch (RejectedExecutionException e) {
            // Told to stop just now.
            flights.remove(id, fresh);
            fresh.result().completeExceptionally(new DrainingException());
        } catch (RuntimeException e) {
            flights.remove(id, fresh);
            fresh.result().completeExceptionally(e);
            throw e;
        }
        return new Standing.UnderWay(fresh.result().copy());
    }

    /**
     * Work in hand.
     *
     * @param awaited whether it began for callers who wait for it; else the build answers in the meantime
     */
    private record Flight(CompletableFuture<Build> result, boolean awaited) {}

    /** Whether there is nothing to do about the build now. */
    private boolean settled(Build build) {
        return switch (build.state()) {
            case WANTED -> false;
            case EXTRACTED -> true;
            case UNUSABLE -> build.extractorVersion() >= OffsetExtractor.VERSION && holds(build);
            case NOT_FOUND, FAILED -> holds(build);
        };
    }

    /** Whether only an upload answers for the build, and it is time to ask the sources whether one has it by now. */
    private boolean toBeLookedBehind(Build build) {
        return build.file().filter(file -> file.origin() == Origin.UPLOAD).isPresent() && !holds(build);
    }

    /** Whether it is too early to try again, and every source that is enabled by now has had its say. */
    private boolean holds(Build build) {
        return build.retryAfter().isPositive()
                && build.checked().stream()
                        .map(SourceOutcome::source)
                        .collect(Collectors.toSet())
                        .containsAll(sources);
    }

    /**
     * Whether there is a result that is newer than this attempt. It counts for everybody who was waiting for it, however
     * soon the next one may start: who waits for a failure shares it.
     */
    private boolean settledSince(Build build, long attempt) {
        return settled(build) || (build.state() != BuildState.WANTED && build.settledAttempt() > attempt);
    }

    /** The build without what sources said that are no longer asked. */
    private Build enabledOnly(Build build) {
        List<SourceOutcome> enabled = build.checked().stream()
                .filter(outcome -> outcome.origin() == Origin.UPLOAD || sources.contains(outcome.source()))
                .toList();
        return build.withChecked(enabled);
    }

    private void fly(BuildId id, long settledBefore, Flight flight) {
        try {
            Build result = bringToAnEnd(id, settledBefore);
            flights.remove(id, flight);
            flight.result().complete(enabledOnly(result));
        } catch (Throwable e) {
            // Errors too: whoever waits must hear of it.
            flights.remove(id, flight);
            if (draining) {
                flight.result().completeExceptionally(new DrainingException());
            } else {
                log.error("build {}: the extraction failed", id, e);
                flight.result().completeExceptionally(e);
            }
            FatalErrors.haltIfFatal(e);
        }
    }

    /** Works, or waits for another server's work, until the build is settled. */
    private Build bringToAnEnd(BuildId id, long settledBefore) throws InterruptedException {
        while (true) {
            boolean done = false;
            working.acquire();
            try {
                Optional<Lease> lease =
                        builds.claim(id, build -> !settledSince(build, settledBefore) || toBeLookedBehind(build));
                if (lease.isPresent()) {
                    done = work(lease.get());
                }
            } finally {
                working.release();
            }
            Build build = builds.find(id).orElseThrow();
            if (done || settledSince(build, settledBefore)) {
                return build;
            }
            await(id);
        }
    }

    private void await(BuildId id) throws InterruptedException {
        try {
            builds.whenIdle(id).get();
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("cannot wait for another server's work on build " + id, e.getCause());
        }
    }

    /** Asks the sources and stores what came of it; false if the lease was lost and nothing was stored. */
    private boolean work(Lease lease) throws InterruptedException {
        boolean ended = false;
        ExtractionMeters.Attempt attempt = meters.begin();
        atWork.incrementAndGet();
        try {
            Build before = builds.find(lease.id()).orElseThrow();
            RoundResult result = result(before, builds.progress(lease));
            Optional<Conflict> conflict = conflict(before, result);
            transaction.executeWithoutResult(status -> store(lease, before, result, conflict));
            ended = true;
            attempt.ended(result);
            logEnd(lease, result);
            return true;
        } catch (LeaseLostException e) {
            // Whoever took the work over has written, or will; what was done here is dropped.
            if (!draining) {
                log.warn("{}", e.getMessage());
            }
            ended = true;
            return false;
        } finally {
            atWork.decrementAndGet();
            attempt.close();
            if (!ended) {
                giveBack(lease);
            }
        }
    }

    private RoundResult result(Build before, WorkProgress progress) throws InterruptedException {
        RoundResult result = round.run(before, progress);
        return result instanceof RoundResult.Without without
                ? uploads.of(before, without.outcomes()).orElse(result)
                : result;
    }

    private void giveBack(Lease lease) {
        // Being interrupted, the thread could not speak to the database.
        boolean interrupted = Thread.interrupted();
        try {
            builds.release(lease);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /**
     * Extracts a stored build anew if an earlier extractor has stored it and nobody is at it. It answers as it is until
     * that is done, and goes on so if no source has its file any more.
     *
     * @return whether there was anything to do
     */
    boolean renew(BuildId id) throws InterruptedException {
        Optional<Lease> lease = builds.claim(id, Extractions::outdated);
        return lease.isPresent() && work(lease.get());
    }

    private static boolean outdated(Build build) {
        return build.file().isPresent()
                && build.extractorVersion() < OffsetExtractor.VERSION
                && !build.retryAfter().isPositive();
    }

    /** The upload that a source's file takes the place of, unless both are one file. */
    private Optional<Conflict> conflict(Build before, RoundResult result) {
        if (!(result instanceof RoundResult.Extracted extracted)) {
            return Optional.empty();
        }
        Optional<StoredFile> other = before.file()
                .filter(file -> file.origin() == Origin.UPLOAD)
                .filter(file -> !file.sha256().equals(extracted.file().sha256()));
        return other.map(file -> Conflict.of(
                file,
                catalogues.layoutsDiffer(before.id(), extracted.catalogue()).orElse(null)));
    }

    private void store(Lease lease, Build before, RoundResult result, Optional<Conflict> conflict) {
        switch (result) {
            case RoundResult.Extracted extracted -> {
                builds.finishExtracted(lease, extracted.file(), extracted.outcomes());
                catalogues.store(lease.id(), extracted.catalogue());
                symbolTables.store(lease.id(), extracted.symbols());
                conflict.ifPresent(upload -> conflicts.record(lease.id(), upload));
            }
            case RoundResult.Without without
            when before.file().isPresent() ->
                builds.finishUnchanged(lease, untilRenewal(before, without.retryAfter()), without.outcomes());
            case RoundResult.Without without -> {
                builds.finishWithout(
                        lease, without.failure(), OffsetExtractor.VERSION, without.retryAfter(), without.outcomes());
                storeSymbols(lease.id(), before.symbolsOnly(), without);
            }
        }
    }

    /**
     * Stores the symbols of a file that cannot serve otherwise. What an earlier attempt has stored stays for as long as
     * what was said of its file counts, in case of failures too: they answer again as soon as the sources do.
     */
    private void storeSymbols(BuildId id, Optional<SymbolsOnly> before, RoundResult.Without result) {
        Optional<RoundResult.Symbols> found = result.symbols()
                .filter(symbols -> before.isEmpty() || symbols.only().replaces(before.get()));
        if (found.isPresent()) {
            builds.keepSymbols(id, found.get().only());
            symbolTables.store(id, found.get().blob());
        } else if (before.isPresent()
                && result.outcomes().stream().noneMatch(outcome -> outcome.means(BuildState.UNUSABLE))) {
            builds.dropSymbols(id);
        }
    }

    /** A failure is no reason to try again within seconds while there is an answer. */
    private Duration untilRenewal(Build before, Duration retryAfter) {
        return before.extractorVersion() < OffsetExtractor.VERSION && retryAfter.compareTo(renewalRetry) < 0
                ? renewalRetry
                : retryAfter;
    }

    private static void logEnd(Lease lease, RoundResult result) {
        switch (result) {
            case RoundResult.Extracted extracted ->
                log.info(
                        "build {}: stored {} bytes, read from {} ({} bytes)",
                        lease.id(),
                        extracted.catalogue().length,
                        extracted.file().upstream(),
                        extracted.file().bytes());
            case RoundResult.Without without ->
                log.atLevel(without.state() == BuildState.FAILED ? Level.WARN : Level.INFO)
                        .log(
                                "build {}: {}: {}",
                                lease.id(),
                                without.failure().cause().code(),
                                without.failure().detail());
        }
    }

    /**
     * Ends the work in hand as soon as the server is told to stop. The leases are given back, so that another server can
     * take over; whoever waits hears so at once, and does not hold the stop up.
     */
    @Order(0)
    @EventListener
    void drain(AvailabilityChangeEvent<ReadinessState> event) {
        if (event.getState() != ReadinessState.REFUSING_TRAFFIC || draining) {
            return;
        }
        draining = true;
        try {
            builds.close();
        } catch (RuntimeException e) {
            log.warn("leases cannot be given back, and will run out: {}", e.toString());
        }
        flights.values().forEach(flight -> flight.result().completeExceptionally(new DrainingException()));
        threads.shutdownNow();
    }

    @Override
    public void destroy() throws InterruptedException {
        threads.shutdownNow();
        if (!threads.awaitTermination(SHUTDOWN.toMillis(), TimeUnit.MILLISECONDS)) {
            log.warn("extractions did not end within {}; their leases will run out", SHUTDOWN);
        }
    }
}
