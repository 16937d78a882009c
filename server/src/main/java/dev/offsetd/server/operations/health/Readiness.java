package dev.offsetd.server.operations.health;

import dev.offsetd.server.api.model.Health;
import dev.offsetd.server.database.DatabaseDisk;
import dev.offsetd.server.database.ReservedConnections;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Arrays;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.beans.factory.ObjectProvider;
import org.springframework.boot.availability.ApplicationAvailability;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.stereotype.Component;
import tools.jackson.databind.json.JsonMapper;

/** Readiness of the server. A background thread probes the database over a reserved connection, so health checks never wait. */
@Component
class Readiness implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Readiness.class);

    static final byte[] UP = "{\"status\":\"up\"}".getBytes(StandardCharsets.UTF_8);

    private static final Duration PERIOD = Duration.ofMillis(500);

    /** Time without an answer after which the database counts as unavailable. */
    private static final Duration SILENCE = Duration.ofSeconds(2);

    private final ApplicationAvailability availability;
    private final ReservedConnections connections;
    private final DatabaseDisk disk;
    private final List<Dependency> dependencies;
    private final CarrierWatch carriers;
    private final List<String> warnings;
    private final Thread prober;

    /** Bodies of readiness checks. */
    private final byte[] up;

    private final Map<Health.DegradedEnum, byte[]> without;

    /** Time of the database's last answer, as {@link System#nanoTime()}. */
    private volatile long answeredAt = System.nanoTime();

    private volatile boolean failed;

    Readiness(
            ApplicationAvailability availability,
            ReservedConnections connections,
            DatabaseDisk disk,
            List<Dependency> dependencies,
            CarrierWatch carriers,
            ObjectProvider<StartWarnings> start) {
        this.carriers = carriers;
        warnings = start.stream().flatMap(found -> found.texts().stream()).toList();
        up = body(null);
        without =
                Arrays.stream(Health.DegradedEnum.values()).collect(Collectors.toMap(Function.identity(), this::body));
        this.availability = availability;
        this.connections = connections;
        this.disk = disk;
        this.dependencies = dependencies;
        prober = Thread.ofPlatform().daemon().name("readiness").unstarted(this::probe);
        prober.start();
    }

    private byte[] body(Health.@Nullable DegradedEnum degraded) {
        Map<String, Object> body = new LinkedHashMap<>();
        body.put("status", "up");
        if (degraded != null) {
            body.put("degraded", degraded.getValue());
        }
        if (!warnings.isEmpty()) {
            body.put("warnings", warnings);
        }
        return JsonMapper.shared().writeValueAsBytes(body);
    }

    /** Returns the warnings about the settings. */
    List<String> warnings() {
        return warnings;
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
        return dependencies.stream()
                .filter(Dependency::isFailing)
                .map(Dependency::degraded)
                .findFirst();
    }

    byte[] body() {
        return degraded().map(what -> without.getOrDefault(what, up)).orElse(up);
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
