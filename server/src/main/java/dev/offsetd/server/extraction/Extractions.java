package dev.offsetd.server.extraction;

import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.Lease;
import dev.offsetd.server.builds.LeaseLostException;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.catalogues.Catalogues;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.DebugFileSources;
import dev.offsetd.server.telemetry.WorkContext;
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
import java.util.stream.Collectors;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.event.ContextClosedEvent;
import org.springframework.context.event.EventListener;
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
    private static final Duration SHUTDOWN = Duration.ofSeconds(10);

    private final Builds builds;
    private final Catalogues catalogues;
    private final TransactionTemplate transaction;
    private final SourceRound round;
    private final Set<String> sources;
    private final int maxFlights;
    private final Semaphore working;
    private final Map<BuildId, CompletableFuture<Build>> flights = new ConcurrentHashMap<>();
    private final ExecutorService threads = Executors.newThreadPerTaskExecutor(
            Thread.ofVirtual().name("extraction-", 0).factory());

    Extractions(
            Builds builds,
            Catalogues catalogues,
            PlatformTransactionManager transactions,
            DebugFileSources sources,
            ExtractionProperties properties) {
        this.builds = builds;
        this.catalogues = catalogues;
        this.transaction = new TransactionTemplate(transactions);
        this.sources = sources.inOrder().stream().map(DebugFileSource::name).collect(Collectors.toUnmodifiableSet());
        this.maxFlights = properties.maxConcurrent() + properties.maxWaiting();
        this.working = new Semaphore(properties.maxConcurrent(), true);
        this.round = new SourceRound(
                sources.inOrder(),
                new OffsetExtractor(Limits.DEFAULT, properties.threads()),
                new Semaphore(properties.maxParsing(), true),
                new RetryTimes(properties.retry()));
    }

    /** Where the build stands; begins the work on it if there is any to do. */
    public Standing ask(BuildId id) {
        Optional<Build> known = builds.find(id).filter(this::settled);
        if (known.isPresent()) {
            return new Standing.Settled(enabledOnly(known.get()));
        }
        CompletableFuture<Build> fresh = new CompletableFuture<>();
        CompletableFuture<Build> running = flights.putIfAbsent(id, fresh);
        if (running != null) {
            return new Standing.UnderWay(running.copy());
        }
        // Counted after it was added, so that the bound holds however many come at once.
        if (flights.size() > maxFlights) {
            flights.remove(id, fresh);
            fresh.completeExceptionally(new BusyException(BUSY_RETRY_AFTER));
            return new Standing.Busy(BUSY_RETRY_AFTER);
        }
        try {
            builds.want(id);
            threads.execute(WorkContext.about(id, () -> fly(id, fresh)));
        } catch (RejectedExecutionException e) {
            flights.remove(id, fresh);
            fresh.completeExceptionally(new BusyException(BUSY_RETRY_AFTER));
            return new Standing.Busy(BUSY_RETRY_AFTER);
        } catch (RuntimeException e) {
            flights.remove(id, fresh);
            fresh.completeExceptionally(e);
            throw e;
        }
        return new Standing.UnderWay(fresh.copy());
    }

    /** Whether there is nothing to do about the build now. */
    private boolean settled(Build build) {
        return switch (build.state()) {
            case WANTED -> false;
            case EXTRACTED -> true;
            case UNUSABLE -> build.extractorVersion() == OffsetExtractor.VERSION && holds(build);
            case NOT_FOUND, FAILED -> holds(build);
        };
    }

    /** Whether it is too early to try again, and every source that is enabled by now has had its say. */
    private boolean holds(Build build) {
        return build.retryAfter().isPositive()
                && build.checked().stream()
                        .map(SourceOutcome::source)
                        .collect(Collectors.toSet())
                        .containsAll(sources);
    }

    /** The build without what sources said that are no longer asked. */
    private Build enabledOnly(Build build) {
        List<SourceOutcome> enabled = build.checked().stream()
                .filter(outcome -> sources.contains(outcome.source()))
                .toList();
        return new Build(
                build.id(),
                build.state(),
                build.running(),
                build.generation(),
                build.file(),
                build.problem(),
                build.extractorVersion(),
                build.retryAfter(),
                enabled);
    }

    private void fly(BuildId id, CompletableFuture<Build> flight) {
        try {
            Build result = bringToAnEnd(id);
            flights.remove(id, flight);
            flight.complete(enabledOnly(result));
        } catch (Throwable e) {
            // Errors too: whoever waits must hear of it.
            flights.remove(id, flight);
            if (e instanceof InterruptedException || threads.isShutdown()) {
                flight.completeExceptionally(new BusyException(BUSY_RETRY_AFTER));
            } else {
                log.error("build {}: the extraction failed", id, e);
                flight.completeExceptionally(e);
            }
        }
    }

    /** Works, or waits for another server's work, until the build is settled. */
    private Build bringToAnEnd(BuildId id) throws InterruptedException {
        while (true) {
            boolean done = false;
            working.acquire();
            try {
                Optional<Lease> lease = builds.claim(id, build -> !settled(build));
                if (lease.isPresent()) {
                    done = work(lease.get());
                }
            } finally {
                working.release();
            }
            Build build = builds.find(id).orElseThrow();
            if (done || settled(build)) {
                return build;
            }
            await(id);
        }
    }

    private void await(BuildId id) throws InterruptedException {
        try {
            builds.whenIdle(id).get();
        } catch (ExecutionException e) {
            throw new IllegalStateException("cannot wait for another server's work on build " + id, e.getCause());
        }
    }

    /** Asks the sources and stores what came of it; false if the lease was lost and nothing was stored. */
    private boolean work(Lease lease) throws InterruptedException {
        boolean ended = false;
        try {
            RoundResult result = round.run(builds.find(lease.id()).orElseThrow());
            transaction.executeWithoutResult(status -> store(lease, result));
            ended = true;
            logEnd(lease, result);
            return true;
        } catch (LeaseLostException e) {
            // Whoever took the work over has written, or will; what was done here is dropped.
            log.warn("{}", e.getMessage());
            ended = true;
            return false;
        } finally {
            if (!ended) {
                builds.release(lease);
            }
        }
    }

    private void store(Lease lease, RoundResult result) {
        switch (result) {
            case RoundResult.Extracted extracted -> {
                builds.finishExtracted(lease, extracted.file(), extracted.outcomes());
                catalogues.store(lease.id(), extracted.catalogue());
            }
            case RoundResult.Without without ->
                builds.finishWithout(
                        lease,
                        without.state(),
                        without.problem(),
                        OffsetExtractor.VERSION,
                        without.retryAfter(),
                        without.outcomes());
        }
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
                                without.problem().code(),
                                without.problem().detail());
        }
    }

    /**
     * Ends the work in hand as soon as the server is told to stop: whoever waits for it hears so at once, and does not
     * hold the stop up. The leases are given back, so that another server can take over.
     */
    @EventListener(ContextClosedEvent.class)
    void stop() {
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
