package dev.offsetd.server.prewarms;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.helper.RecurringTask;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import com.github.kagkarlsson.scheduler.task.schedule.FixedDelay;
import dev.offsetd.server.builds.lease.ServerIdentity;
import java.time.Duration;
import java.util.List;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;

/** Scheduler of prewarm items, shared by all servers. */
@Configuration(proxyBeanMethods = false)
class PrewarmsConfiguration {

    /** The smallest value that db-scheduler considers safe. */
    private static final int MISSED_HEARTBEATS = 4;

    /** Fraction of busy threads below which due tasks are fetched: as soon as one thread is free. */
    private static final double ALMOST_ALL = 0.99;

    private static final Duration BETWEEN_SWEEPS = Duration.ofHours(1);

    /** Running attempts end by themselves at shutdown; see {@link SchedulerLifecycle}. */
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    @Bean(destroyMethod = "stop")
    Scheduler scheduler(
            DataSource pool,
            ItemAttempts work,
            PrewarmTable table,
            PrewarmProperties properties,
            ServerIdentity identity) {
        RecurringTask<Void> sweep = Tasks.recurring("prewarms-sweep", FixedDelay.of(BETWEEN_SWEEPS))
                .execute((instance, context) -> table.forget(properties.keep()));
        return Scheduler.create(new TransactionAwareDataSourceProxy(pool), List.of(ItemTask.of(work)))
                .startTasks(sweep)
                .serializer(new NoDataSerializer())
                // Otherwise db-scheduler queries the database for its type at startup.
                .jdbcCustomization(new PostgreSqlJdbcCustomization(false, false))
                .schedulerName(new SchedulerName.Fixed(identity.name()))
                .threads(work.maxConcurrent())
                .pollUsingLockAndFetch(ALMOST_ALL, 1.0)
                .pollingInterval(properties.poll())
                .heartbeatInterval(properties.heartbeat())
                .missedHeartbeatsLimit(MISSED_HEARTBEATS)
                .enablePriority()
                .failureLogging(LogLevel.OFF, false)
                .addSchedulerListener(new SchedulerLog())
                .shutdownMaxWait(SHUTDOWN)
                .build();
    }

    /** Serializer for tasks without data. Task ids carry all information, so nothing from the database is deserialized. */
    private static final class NoDataSerializer implements Serializer {

        @Override
        public byte @Nullable [] serialize(@Nullable Object data) {
            if (data != null) {
                throw new IllegalArgumentException("data of " + data.getClass() + "; expected none");
            }
            return null;
        }

        @Override
        public <T> @Nullable T deserialize(Class<T> type, byte @Nullable [] data) {
            return null;
        }
    }
}
