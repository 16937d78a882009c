package dev.offsetd.server.builds;

import dev.offsetd.server.database.ReservedConnections;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.stereotype.Component;

/**
 * Signs of life for the leases that this server holds, all in one statement. They go over a connection of their own: when
 * all others are taken, work must not be lost for it.
 */
@Component
class Heartbeat implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    private final Set<Lease> held = ConcurrentHashMap.newKeySet();
    private final Leases leases;
    private final ReservedConnections connections;
    private final ScheduledExecutorService timer;
    private final Future<?> beats;

    Heartbeat(Leases leases, ReservedConnections connections, LeaseProperties properties) {
        this.leases = leases;
        this.connections = connections;
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("heartbeat").factory());
        long period = properties.heartbeat().toMillis();
        beats = timer.scheduleWithFixedDelay(this::beat, period, period, TimeUnit.MILLISECONDS);
    }

    void start(Lease lease) {
        held.add(lease);
    }

    void stop(Lease lease) {
        held.remove(lease);
    }

    private void beat() {
        List<Lease> beating = List.copyOf(held);
        if (beating.isEmpty()) {
            return;
        }
        try {
            leases.renew(connections.jdbc(), beating);
            Set<Lease> stillHeld = leases.stillHeld(connections.jdbc(), beating);
            for (Lease lease : beating) {
                if (!stillHeld.contains(lease) && held.remove(lease)) {
                    log.warn("build {}: attempt {} has been taken over by another server", lease.id(), lease.attempt());
                }
            }
        } catch (RuntimeException e) {
            log.warn("no sign of life could be given for {} builds: {}", beating.size(), e.toString());
        }
    }

    @Override
    public void destroy() {
        beats.cancel(true);
        timer.shutdownNow();
    }
}
