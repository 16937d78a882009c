package dev.offsetd.server.builds.lease;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.springframework.stereotype.Component;

/** Waits for builds that other servers work on, with one query for all waiters of this server. */
@Component
class IdleBuilds {

    private final Map<BuildId, CompletableFuture<Void>> awaited = new ConcurrentHashMap<>();
    private final Leases leases;
    private final ReservedConnections connections;

    IdleBuilds(Leases leases, ReservedConnections connections, LeaseProperties properties, PeriodicTasks tasks) {
        this.leases = leases;
        this.connections = connections;
        tasks.add("polling the leases of other servers", properties.poll(), this::poll);
    }

    CompletableFuture<Void> whenIdle(BuildId id) {
        return awaited.computeIfAbsent(id, ignored -> new CompletableFuture<>());
    }

    /** Completes the waiters for a build that this server has worked on: it has the file, so it goes before those that poll. */
    void ended(BuildId id) {
        Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.complete(null));
    }

    private void poll() {
        List<BuildId> asked = List.copyOf(awaited.keySet());
        if (asked.isEmpty()) {
            return;
        }
        try {
            Set<BuildId> held = leases.held(connections.jdbc(), asked);
            for (BuildId id : asked) {
                if (!held.contains(id)) {
                    ended(id);
                }
            }
        } catch (RuntimeException e) {
            for (BuildId id : asked) {
                Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.completeExceptionally(e));
            }
            throw e;
        }
    }
}
