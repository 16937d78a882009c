package dev.offsetd.server.health;

import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.database.DatabaseDisk;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.objects.ObjectStore;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.stereotype.Component;

/**
 * Readiness of the server. A background thread probes the database over a reserved connection, so health checks never
 * wait.
 */
@Component
class Readiness implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Readiness.class);

    static final byte[] UP = "{\"status\":\"up\"}".getBytes(StandardCharsets.UTF_8);

    private static final byte[] WITHOUT_DATABASE = without(Health.DegradedEnum.DATABASE);
    private static final byte[] WITHOUT_DISK = without(Health.DegradedEnum.DISK);
    private static final byte[] WITHOUT_STORE = without(Health.DegradedEnum.OBJECT_STORE);

    private static final Duration PERIOD = Duration.ofMillis(500);

    /** Time without an answer after which the database counts as unavailable. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final ApplicationAvailability availability;
    private final ReservedConnections connections;
    private final DatabaseDisk disk;
    private final ObjectStore store;
    private final CarrierWatch carriers;
    private final Thread prober;

    /** Time of the database's last answer, as {@link System#nanoTime()}. */
    private volatile long answeredAt = System.nanoTime();

    private volatile boolean failed;

    Readiness(
            ApplicationAvailability availability,
            ReservedConnections connections,
            DatabaseDisk disk,
            ObjectStore store,
            CarrierWatch carriers) {
        this.carriers = carriers;
        this.availability = availability;
        this.connections = connections;
        this.disk = disk;
        this.store = store;
        prober = Thread.ofPlatform().daemon().name("readiness").unstarted(this::probe);
        prober.start();
    }

    private static byte[] without(Health.DegradedEnum what) {
        return ("{\"status\":\"up\",\"degraded\":\"" + what.getValue() + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    /** Returns whether the server has started, is not shutting down, and has threads for requests. */
    boolean isAccepting() {
        return refusal().isEmpty();
    }

    /** Returns why the server does not accept requests; empty if it does. */
    Optional<String> refusal() {
        if (availability.getReadinessState() != ReadinessState.ACCEPTING_TRAFFIC) {
            return Optional.of("the server is starting or shutting down");
        }
        return carriers.requestsWait().map(time -> "no request has run for " + time.toSeconds() + " s");
    }

    /** Returns what is unavailable; empty if nothing. */
    Optional<Health.DegradedEnum> degraded() {
        boolean away = failed || System.nanoTime() - answeredAt > SILENCE.toNanos();
        if (away) {
            return Optional.of(Health.DegradedEnum.DATABASE);
        }
        if (disk.isFull()) {
            return Optional.of(Health.DegradedEnum.DISK);
        }
        return store.isFailing() ? Optional.of(Health.DegradedEnum.OBJECT_STORE) : Optional.empty();
    }

    /** Returns the body of a readiness check. */
    byte[] body() {
        return degraded()
                .map(what -> switch (what) {
                    case DATABASE -> WITHOUT_DATABASE;
                    case DISK -> WITHOUT_DISK;
                    case OBJECT_STORE -> WITHOUT_STORE;
                })
                .orElse(UP);
    }

    private void probe() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                boolean standby = connections.leadToStandby();
                answeredAt = System.nanoTime();
                if (standby && !failed) {
                    log.warn("the database is a standby: writes are refused until the servers reach the primary");
                }
                failed = standby;
                if (!standby) {
                    disk.probe();
                }
            } catch (RuntimeException e) {
                if (!failed) {
                    log.debug("the database does not answer", e);
                }
                failed = true;
            }
            try {
                Thread.sleep(PERIOD);
            } catch (InterruptedException stopped) {
                return;
            }
        }
    }

    @Override
    public void destroy() {
        prober.interrupt();
    }
}
