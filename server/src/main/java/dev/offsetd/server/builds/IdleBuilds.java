package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.database.ReservedConnections;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
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
    private final ScheduledExecutorService timer;
    private final Future<?> looks;

    IdleBuilds(Leases leases, ReservedConnections connections, LeaseProperties properties) {
        this.leases = leases;
        this.connections = connections;
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("idle-builds").factory());
        long period = properties.poll().toMillis();
        looks = timer.scheduleWithFixedDelay(this::look, period, period, TimeUnit.MILLISECONDS);
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
            for (BuildId id : asked) {
                if (!held.contains(id)) {
                    Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.complete(null));
                }
            }
        } catch (RuntimeException e) {
            log.warn("builds of other servers cannot be looked at: {}", e.toString());
            for (BuildId id : asked) {
                Optional.ofNullable(awaited.remove(id)).ifPresent(waiter -> waiter.completeExceptionally(e));
            }
        }
    }

    @Override
    public void destroy() {
        looks.cancel(true);
        timer.shutdownNow();
    }
}
