package dev.offsetd.server.builds.lease;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.lease.LeaseHolder.UnleasedWork;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import org.springframework.stereotype.Component;

/**
 * Stores the progress of this server's work, all in one statement, for clients of other servers. Work that ends before the second
 * tick costs no write.
 */
@Component
class ProgressWriter {

    /** Short enough for a smooth progress bar. */
    private static final Duration PERIOD = Duration.ofMillis(500);

    private final Map<Lease, WorkProgress> works = new ConcurrentHashMap<>();
    private final Queue<UnleasedWork> withoutLease = new ConcurrentLinkedQueue<>();
    private final Leases leases;
    private final ReservedConnections connections;

    /** The stored progress at the last tick; used by one thread. */
    private Map<Lease, StoredProgress> written = new HashMap<>();

    ProgressWriter(Leases leases, ReservedConnections connections, PeriodicTasks tasks) {
        this.leases = leases;
        this.connections = connections;
        tasks.add("storing progress", PERIOD, this::write);
    }

    /** Returns the progress of the work under a lease, until it {@linkplain #stop ends}. */
    WorkProgress start(Lease lease) {
        return works.computeIfAbsent(lease, ignored -> new WorkProgress());
    }

    void stop(Lease lease) {
        works.remove(lease);
    }

    /** Begins work whose progress is not stored. */
    void start(UnleasedWork work) {
        withoutLease.add(work);
    }

    void stop(UnleasedWork work) {
        withoutLease.remove(work);
    }

    Optional<WorkProgress> find(BuildId id) {
        return works.entrySet().stream()
                .filter(work -> work.getKey().id().equals(id))
                .map(Map.Entry::getValue)
                .findFirst();
    }

    /** Returns the builds whose file this server is reading under their lease. */
    List<BuildId> computing() {
        return works.entrySet().stream()
                .filter(work -> work.getValue().isComputing())
                .map(work -> work.getKey().id())
                .toList();
    }

    /** Returns the builds of which this server is reading a file without their lease. */
    List<BuildId> computingWithoutLease() {
        return withoutLease.stream()
                .filter(work -> work.progress().isComputing())
                .map(UnleasedWork::id)
                .toList();
    }

    private void write() {
        Map<Lease, StoredProgress> next = new HashMap<>();
        Map<Lease, StoredProgress> changed = new HashMap<>();
        works.forEach((lease, work) -> {
            StoredProgress row = written.get(lease);
            // At the first tick the work has hardly begun.
            StoredProgress progress = row == null ? work.begun() : work.now();
            next.put(lease, progress);
            if (row != null && !progress.equals(row)) {
                changed.put(lease, progress);
            }
        });
        if (!changed.isEmpty()) {
            leases.storeProgress(connections.jdbc(), changed);
        }
        written = next;
    }
}
