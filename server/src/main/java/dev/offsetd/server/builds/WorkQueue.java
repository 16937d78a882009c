package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Predicate;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Work on builds, at most one worker per build in the whole cluster. A worker claims the lease of a build, works, and ends
 * the lease in the transaction that stores the result. If the lease was taken over in the meantime, {@link LeaseLostException}
 * rolls that transaction back: a worker that was suspended for longer than its lease writes nothing.
 */
@Component
public class WorkQueue {

    /** Longer than a claim waits for a connection. */
    private static final Duration PATIENCE = Duration.ofSeconds(4);

    private final TransactionTemplate transaction;
    private final Builds builds;
    private final BuildStates states;
    private final Leases leases;
    private final Heartbeat heartbeat;
    private final ProgressWriter progress;
    private final IdleBuilds idle;
    private final ServerIdentity identity;
    private final ReservedConnections connections;
    private volatile boolean closed;

    /** Read-locked by each claim in progress. */
    private final ReadWriteLock claims = new ReentrantReadWriteLock();

    WorkQueue(
            PlatformTransactionManager transactions,
            Builds builds,
            BuildStates states,
            Leases leases,
            Heartbeat heartbeat,
            ProgressWriter progress,
            IdleBuilds idle,
            ServerIdentity identity,
            ReservedConnections connections) {
        this.connections = connections;
        this.transaction = new TransactionTemplate(transactions);
        this.builds = builds;
        this.states = states;
        this.leases = leases;
        this.heartbeat = heartbeat;
        this.progress = progress;
        this.idle = idle;
        this.identity = identity;
    }

    /**
     * Claims the lease of a known build, unless another server holds it or there is nothing to do. The server renews the lease
     * until it is released or the work is finished.
     *
     * @param due whether there is something to do; evaluated under the lease, because its previous holder may have finished the
     *     work just before
     */
    public Optional<Lease> claim(BuildId id, Predicate<Build> due) {
        claims.readLock().lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            Optional<Lease> claimed = transaction.execute(status -> {
                Optional<Lease> lease = leases.claim(id, identity.name());
                if (lease.isPresent() && !due.test(builds.find(id).orElseThrow())) {
                    leases.release(lease.get());
                    return Optional.empty();
                }
                return lease;
            });
            if (closed) {
                claimed.ifPresent(leases::release);
                return Optional.empty();
            }
            claimed.ifPresent(heartbeat::start);
            return claimed;
        } finally {
            claims.readLock().unlock();
        }
    }

    /**
     * Releases all leases of this server and claims no more, so that other servers can take over at once. It waits for claims in
     * progress: the caller interrupts their threads next, and an interrupted commit may take effect in the database all the same.
     */
    public void close() throws InterruptedException {
        closed = true;
        if (claims.writeLock().tryLock(PATIENCE.toMillis(), TimeUnit.MILLISECONDS)) {
            claims.writeLock().unlock();
        }
        heartbeat.stopAll();
        leases.releaseAll(identity.name());
    }

    /**
     * Counts a failed attempt for each build whose file is being read, because the process ends itself: one build must not end one
     * server after the other.
     *
     * @param unusable time until a build is tried again that did so repeatedly
     * @return the builds
     */
    public List<BuildId> recordProcessEnd(Duration unusable) {
        List<Leases.EndedAttempt> ended = connections.transaction().execute(status -> {
            List<Leases.EndedAttempt> attempts = leases.endComputing(connections.jdbc(), identity.name());
            states.processEnded(connections.jdbc(), attempts, unusable);
            return attempts;
        });
        return ended.stream().map(Leases.EndedAttempt::id).toList();
    }

    /** Returns the object to which the worker reports its progress. */
    public WorkProgress progress(Lease lease) {
        return progress.start(lease);
    }

    /** Releases the lease without a result. */
    public void release(Lease lease) {
        heartbeat.stop(lease);
        progress.stop(lease);
        leases.release(lease);
    }

    /** Returns the builds in progress on all servers. */
    public Map<BuildId, StoredProgress> inProgress() {
        return leases.inProgress();
    }

    /** Completes when no server works on the build any more: the work is finished, or its lease has expired. */
    public CompletableFuture<Void> whenIdle(BuildId id) {
        return idle.whenIdle(id);
    }

    /**
     * Finishes the work on a build whose types and identity, or symbols alone, the caller stores in the same transaction.
     *
     * @throws LeaseLostException if another server holds the lease now; the caller rolls back
     */
    public void finishExtracted(Lease lease, StoredFile file, List<SourceOutcome> outcomes) {
        end(lease);
        states.extracted(lease, file, outcomes);
    }

    /**
     * Finishes the work on an upload of which only symbols are usable; the caller stores them in the same transaction. The
     * sources are queried next.
     *
     * @param outcome why the file is unusable otherwise
     * @throws LeaseLostException if another server holds the lease now; the caller rolls back
     */
    public void finishWithSymbols(Lease lease, SymbolsOnly symbols, SourceOutcome outcome) {
        end(lease);
        states.symbolsOnly(lease, symbols, outcome);
    }

    /**
     * Finishes the work on a build whose stored types stay.
     *
     * @param retryAfter time until the sources should be queried again
     * @throws LeaseLostException if another server holds the lease now; the caller rolls back
     */
    public void finishUnchanged(Lease lease, Duration retryAfter, List<SourceOutcome> outcomes) {
        end(lease);
        states.unchanged(lease, retryAfter, outcomes);
    }

    /**
     * Finishes the work on a build that could not be extracted.
     *
     * @param retryAfter time until the next attempt may start
     * @throws LeaseLostException if another server holds the lease now; the caller rolls back
     */
    public void finishWithout(
            Lease lease, Failure failure, int extractorVersion, Duration retryAfter, List<SourceOutcome> outcomes) {
        end(lease);
        states.failed(lease, failure, extractorVersion, retryAfter, outcomes);
    }

    /** Records that symbols without types are stored; part of the transaction that finishes the work. */
    public void storeSymbols(BuildId id, SymbolsOnly symbols) {
        states.storeSymbols(id, symbols);
    }

    /** Records that no source has the file of the stored symbols any more; part of the transaction that finishes the work. */
    public void deleteSymbols(BuildId id) {
        states.deleteSymbols(id);
    }

    private void end(Lease lease) {
        heartbeat.stop(lease);
        progress.stop(lease);
        if (!leases.release(lease)) {
            throw new LeaseLostException(lease);
        }
    }
}
