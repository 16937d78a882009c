package dev.offsetd.server.builds.lease;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.work.ServerIdentity;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** This server as a holder of leases: it renews those that it has claimed until the work on the build ends. */
@Component
public class LeaseHolder {

    /** Longer than a claim waits for a connection. */
    private static final Duration LOCK_TIMEOUT = Duration.ofSeconds(4);

    private final TransactionTemplate transaction;
    private final Leases leases;
    private final Heartbeat heartbeat;
    private final ProgressWriter progress;
    private final IdleBuilds idle;
    private final ServerIdentity identity;
    private volatile boolean closed;

    /** Read-locked by each claim in progress. */
    private final ReadWriteLock claims = new ReentrantReadWriteLock();

    LeaseHolder(
            PlatformTransactionManager transactions,
            Leases leases,
            Heartbeat heartbeat,
            ProgressWriter progress,
            IdleBuilds idle,
            ServerIdentity identity) {
        this.transaction = new TransactionTemplate(transactions);
        this.leases = leases;
        this.heartbeat = heartbeat;
        this.progress = progress;
        this.idle = idle;
        this.identity = identity;
    }

    /**
     * An attempt during which the process had to end itself.
     *
     * @param tooMany whether earlier ones did too
     * @param pause time until a file of the build is read again
     */
    public record EndedAttempt(BuildId id, long attempt, boolean tooMany, Duration pause) {}

    /**
     * A lease, and what its holder works on, as it was when the lease began. Closing it releases the lease, unless that has ended
     * with the work; also in a thread that is interrupted, which could not use the database.
     */
    public record Claimed<T>(LeaseHolder holder, Lease lease, T before) implements AutoCloseable {

        @Override
        public void close() {
            boolean interrupted = Thread.interrupted();
            try {
                var _ = holder.release(lease);
                holder.idle.ended(lease.id());
            } finally {
                if (interrupted) {
                    Thread.currentThread().interrupt();
                }
            }
        }
    }

    /** Work on a build without its lease, which is to blame, too, if the process has to end itself meanwhile. */
    public record UnleasedWork(LeaseHolder holder, BuildId id, WorkProgress progress) implements AutoCloseable {

        @Override
        public void close() {
            holder.progress.stop(this);
        }
    }

    /**
     * Claims the lease of a known build, unless another server holds it or there is nothing to do.
     *
     * @param work returns what to work on, or empty if there is nothing to do; evaluated under the lease, because its previous
     *     holder may have finished the work just before
     */
    public <T> Optional<Claimed<T>> claim(BuildId id, Supplier<Optional<T>> work) {
        claims.readLock().lock();
        try {
            if (closed) {
                return Optional.empty();
            }
            Optional<Claimed<T>> claimed = transaction.execute(status -> {
                Lease lease = leases.claim(id, identity.name()).orElse(null);
                if (lease == null) {
                    return Optional.empty();
                }
                Optional<T> found = work.get();
                if (found.isEmpty()) {
                    leases.release(lease);
                }
                return found.map(before -> new Claimed<>(this, lease, before));
            });
            if (closed) {
                claimed.ifPresent(late -> leases.release(late.lease()));
                return Optional.empty();
            }
            claimed.ifPresent(begun -> heartbeat.start(begun.lease()));
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
        if (claims.writeLock().tryLock(LOCK_TIMEOUT.toMillis(), TimeUnit.MILLISECONDS)) {
            claims.writeLock().unlock();
        }
        heartbeat.stopAll();
        leases.releaseAll(identity.name());
    }

    /** Returns whether this server claims no more leases, because it shuts down. */
    public boolean isClosed() {
        return closed;
    }

    /**
     * Ends the leases of builds whose file is being read, because the process ends itself: what computed may be why, with a lease
     * or without. Part of the caller's transaction.
     *
     * @param unusable pause of a build that does so again
     */
    public List<EndedAttempt> endComputing(JdbcClient connection, Duration unusable) {
        List<BuildId> leased = progress.computing();
        List<EndedAttempt> ended = new ArrayList<>(leases.endComputing(connection, identity.name(), leased, unusable));
        // A build that is read twice ends the process once.
        Set<BuildId> others = new HashSet<>(progress.computingWithoutLease());
        leased.forEach(others::remove);
        ended.addAll(leases.pause(connection, others, unusable));
        return ended;
    }

    /** Begins work that needs no lease, because its result is fenced otherwise. */
    public UnleasedWork startWithoutLease(BuildId id) {
        UnleasedWork work = new UnleasedWork(this, id, new WorkProgress());
        progress.start(work);
        return work;
    }

    /** Returns the object to which the worker reports its progress. */
    public WorkProgress startProgress(Lease lease) {
        return progress.start(lease);
    }

    /** Returns the progress of a build in progress on any server. */
    public Optional<StoredProgress> progress(BuildId id) {
        return progress.find(id)
                .map(WorkProgress::now)
                .or(() -> Optional.ofNullable(leases.inProgress().get(id)));
    }

    public Map<BuildId, StoredProgress> inProgress() {
        return leases.inProgress();
    }

    /** Completes when no server works on the build any more: the work is finished, or its lease has expired. */
    public CompletableFuture<Void> whenIdle(BuildId id) {
        return idle.whenIdle(id);
    }

    /** Releases the lease. Returns whether this server still held it. */
    private boolean release(Lease lease) {
        heartbeat.stop(lease);
        progress.stop(lease);
        return leases.release(lease);
    }

    /**
     * Ends the lease in the transaction that stores the result of the work.
     *
     * @throws Lease.LeaseLostException if another server holds the lease now; the caller rolls back
     */
    public void end(Lease lease) {
        if (!release(lease)) {
            throw new Lease.LeaseLostException(lease);
        }
    }
}
