package dev.offsetd.server.builds;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
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
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/**
 * Signs of life for the leases that this server holds. They go over a connection of their own: when all others are
 * taken, work must not be lost for it.
 */
@Component
class Heartbeat implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(Heartbeat.class);

    private final Set<Lease> held = ConcurrentHashMap.newKeySet();
    private final HikariDataSource connection;
    private final JdbcClient jdbc;
    private final LeaseProperties properties;
    private final ScheduledExecutorService timer;
    private final Future<?> beats;

    Heartbeat(HikariDataSource pool, LeaseProperties properties) {
        this.properties = properties;
        HikariConfig reserved = new HikariConfig();
        pool.copyStateTo(reserved);
        reserved.setPoolName("heartbeat");
        reserved.setMaximumPoolSize(1);
        reserved.setMinimumIdle(1);
        connection = new HikariDataSource(reserved);
        jdbc = JdbcClient.create(connection);
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
        for (Lease lease : List.copyOf(held)) {
            try {
                int renewed = jdbc.sql("""
                                update extraction_lease
                                set lease_until = now() + :seconds * interval '1 second', heartbeat_at = now()
                                where build_id = :id and owner = :owner and attempt = :attempt
                                """)
                        .param("seconds", properties.duration().toMillis() / 1000.0)
                        .param("id", lease.id().toBytes())
                        .param("owner", lease.owner())
                        .param("attempt", lease.attempt())
                        .update();
                if (renewed == 0 && held.remove(lease)) {
                    log.warn("build {}: attempt {} has been taken over by another server", lease.id(), lease.attempt());
                }
            } catch (RuntimeException e) {
                log.warn("build {}: no sign of life could be given: {}", lease.id(), e.toString());
            }
        }
    }

    @Override
    public void destroy() {
        beats.cancel(true);
        timer.shutdownNow();
        connection.close();
    }
}
