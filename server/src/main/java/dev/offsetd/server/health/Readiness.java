package dev.offsetd.server.health;

import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.database.DatabaseDisk;
import dev.offsetd.server.database.ReservedConnections;
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
 * Whether the server takes requests, and what it is without. A thread asks the database, over a connection that requests
 * cannot take, so a health check waits for nothing.
 */
@Component
class Readiness implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Readiness.class);

    static final byte[] UP = "{\"status\":\"up\"}".getBytes(StandardCharsets.UTF_8);

    private static final byte[] WITHOUT_DATABASE = without(Health.DegradedEnum.DATABASE);
    private static final byte[] WITHOUT_DISK = without(Health.DegradedEnum.DISK);

    private static final Duration PERIOD = Duration.ofMillis(500);

    /** A database that has been silent for longer counts as away. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final ApplicationAvailability availability;
    private final ReservedConnections connections;
    private final DatabaseDisk disk;
    private final Thread looks;

    /** When the database last answered, by {@link System#nanoTime()}. */
    private volatile long answeredAt = System.nanoTime();

    private volatile boolean failed;

    Readiness(ApplicationAvailability availability, ReservedConnections connections, DatabaseDisk disk) {
        this.availability = availability;
        this.connections = connections;
        this.disk = disk;
        looks = Thread.ofPlatform().daemon().name("readiness").unstarted(this::look);
        looks.start();
    }

    private static byte[] without(Health.DegradedEnum what) {
        return ("{\"status\":\"up\",\"degraded\":\"" + what.getValue() + "\"}").getBytes(StandardCharsets.UTF_8);
    }

    /** Whether the server has started and is not about to stop. */
    boolean isAccepting() {
        return availability.getReadinessState() == ReadinessState.ACCEPTING_TRAFFIC;
    }

    /** What the server is without; empty if nothing. */
    Optional<Health.DegradedEnum> degraded() {
        boolean away = failed || System.nanoTime() - answeredAt > SILENCE.toNanos();
        if (away) {
            return Optional.of(Health.DegradedEnum.DATABASE);
        }
        return disk.isFull() ? Optional.of(Health.DegradedEnum.DISK) : Optional.empty();
    }

    /** The answer to a readiness check. */
    byte[] body() {
        return degraded()
                .map(what -> what == Health.DegradedEnum.DISK ? WITHOUT_DISK : WITHOUT_DATABASE)
                .orElse(UP);
    }

    private void look() {
        while (!Thread.currentThread().isInterrupted()) {
            try {
                connections.jdbc().sql("select true").query(Boolean.class).single();
                answeredAt = System.nanoTime();
                failed = false;
                disk.probe();
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
        looks.interrupt();
    }
}
