package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.timers.PeriodicTask;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/** Looks for all waiters of this server at once whether the builds that other servers work on are done. */
@Component
class IdleBuilds implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(IdleBuilds.class);

    private final Map<BuildId, CompletableFuture<Void>> awaited = new ConcurrentHashMap<>();
    private final Leases leases;
    private final ReservedConnections connections;
    private final PeriodicTask looks;

    /** Whether the last look at the database failed; used by one thread. */
    private boolean failing;

    IdleBuilds(Leases leases, ReservedConnections connections, LeaseProperties properties) {
        this.leases = leases;
        this.connections = connections;
        looks = PeriodicTask.start("idle-builds", "looking at builds of other servers", properties.poll(), this::look);
    }

    CompletableFuture<Void> whenIdle(BuildId id) {
        return awaited.computeIfAbsent(id, ignored -> new CompletableFuture<>());
    }

    private void look() {
        List<BuildId> asked = List.copyOf(awaited.keySet());
        if (asked.isEmpty()) {
            return;
        }
        try {
            Set<BuildId> held = leases.held(connections.jdbc(), asked);
            failing = false;
            for (BuildId id : asked) {
                if (!held.contains(id)) {
                    Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.complete(null));
                }
            }
        } catch (RuntimeException e) {
            if (!failing) {
                log.warn("builds of other servers cannot be looked at: {}", e.toString());
            }
            failing = true;
            for (BuildId id : asked) {
                Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.completeExceptionally(e));
            }
        }
    }

    @Override
    public void destroy() {
        looks.close();
    }
}
