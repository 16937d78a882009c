package dev.offsetd.server.builds.lease;

import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Renews the leases that this server holds, all in one statement. It uses a reserved connection, so that neither requests nor
 * extractions that exhaust the pool delay it.
 */
@Component
class Heartbeat {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    /** A failover of the database takes seconds, and a lease lasts only a few heartbeats. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(1);

    private final Set<Lease> held = ConcurrentHashMap.newKeySet();
    private final Leases leases;
    private final ReservedConnections connections;

    Heartbeat(
            Leases leases,
            ReservedConnections connections,
            LeaseProperties properties,
            MeterRegistry meters,
            PeriodicTasks tasks) {
        this.leases = leases;
        this.connections = connections;
        Gauge.builder("offsetd.leases", held, Set::size)
                .description("Builds that this server works on")
                .register(meters);
        Duration period = properties.heartbeat();
        tasks.add("renewing leases", period, period.compareTo(AFTER_FAILURE) < 0 ? period : AFTER_FAILURE, this::beat);
    }

    void start(Lease lease) {
        held.add(lease);
    }

    void stop(Lease lease) {
        held.remove(lease);
    }

    void stopAll() {
        held.clear();
    }

    private void beat() {
        List<Lease> beating = List.copyOf(held);
        if (beating.isEmpty()) {
            return;
        }
        leases.renew(connections.jdbc(), beating);
        Set<Lease> stillHeld = leases.stillHeld(connections.jdbc(), beating);
        for (Lease lease : beating) {
            if (!stillHeld.contains(lease) && held.remove(lease)) {
                log.warn("build {}: attempt {} has been taken over by another server", lease.id(), lease.attempt());
            }
        }
    }
}
