package dev.offsetd.server.builds;

import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Keeps callers that make up build-ids from filling the database: only so many misses are remembered. */
@Component
class UnknownBuilds implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(UnknownBuilds.class);

    private final JdbcClient jdbc;
    private final UnknownBuildProperties properties;
    private final ScheduledExecutorService timer;
    private final Future<?> sweeps;

    UnknownBuilds(JdbcClient jdbc, UnknownBuildProperties properties) {
        this.jdbc = jdbc;
        this.properties = properties;
        timer = Executors.newSingleThreadScheduledExecutor(
                Thread.ofPlatform().daemon().name("unknown-builds").factory());
        long period = properties.sweep().toMillis();
        sweeps = timer.scheduleWithFixedDelay(this::sweepOnTime, period, period, TimeUnit.MILLISECONDS);
    }

    /**
     * Forgets what is too much. Builds that wait for their first attempt, or are worked on, stay.
     *
     * @return how many were forgotten
     */
    int sweep() {
        return jdbc.sql("""
                        delete from builds where build_id in (
                            select b.build_id from builds b left join extraction_lease l using (build_id)
                            where b.state in ('not_found', 'unusable', 'failed') and l.owner is null
                            order by b.settled_at desc
                            offset :max)
                        """).param("max", properties.maxUnknown()).update();
    }

    private void sweepOnTime() {
        try {
            int forgotten = sweep();
            if (forgotten > 0) {
                log.info("{} builds without anything stored are forgotten", forgotten);
            }
        } catch (RuntimeException e) {
            log.warn("builds without anything stored cannot be counted: {}", e.toString());
        }
    }

    @Override
    public void destroy() {
        sweeps.cancel(true);
        timer.shutdownNow();
    }
}
