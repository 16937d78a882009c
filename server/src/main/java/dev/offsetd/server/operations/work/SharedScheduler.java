package dev.offsetd.server.operations.work;

import com.github.kagkarlsson.scheduler.Scheduler;
import com.github.kagkarlsson.scheduler.SchedulerName;
import com.github.kagkarlsson.scheduler.event.AbstractSchedulerListener;
import com.github.kagkarlsson.scheduler.exceptions.ExecutionException;
import com.github.kagkarlsson.scheduler.exceptions.TaskInstanceCurrentlyExecutingException;
import com.github.kagkarlsson.scheduler.jdbc.PostgreSqlJdbcCustomization;
import com.github.kagkarlsson.scheduler.logging.LogLevel;
import com.github.kagkarlsson.scheduler.serializer.Serializer;
import com.github.kagkarlsson.scheduler.task.CompletionHandler;
import com.github.kagkarlsson.scheduler.task.ExecutionComplete;
import com.github.kagkarlsson.scheduler.task.ExecutionOperations;
import com.github.kagkarlsson.scheduler.task.Task;
import com.github.kagkarlsson.scheduler.task.TaskInstance;
import com.github.kagkarlsson.scheduler.task.TaskInstanceId;
import com.github.kagkarlsson.scheduler.task.helper.Tasks;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicBoolean;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.boot.availability.AvailabilityChangeEvent;
import org.springframework.boot.availability.ReadinessState;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.jdbc.datasource.TransactionAwareDataSourceProxy;
import org.springframework.stereotype.Component;

/**
 * Runs shared work while the server accepts requests. Each kind has a table and threads besides those of the others, so that none
 * waits for another one, and priorities hold within a kind.
 */
@Component
public class SharedScheduler implements DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(SharedScheduler.class);

    /** The smallest value that db-scheduler considers safe. */
    private static final int MISSED_HEARTBEATS = 4;

    /** Fraction of busy threads below which due pieces are fetched: as soon as one thread is free. */
    private static final double ALMOST_ALL = 0.99;

    /** Running attempts end by themselves at shutdown; see {@link #follow}. */
    private static final Duration SHUTDOWN = Duration.ofSeconds(5);

    /** Delay after a failure that could not be stored. */
    private static final Duration AFTER_FAILURE = Duration.ofSeconds(10);

    private final Map<String, Scheduler> schedulers = new TreeMap<>();
    private final List<SharedWork> works;

    SharedScheduler(DataSource pool, List<SharedWork> works, WorkProperties properties, ServerIdentity identity) {
        this.works = List.copyOf(works);
        for (SharedWork work : works) {
            Scheduler scheduler = Scheduler.create(new TransactionAwareDataSourceProxy(pool), List.of(task(work)))
                    .tableName(work.table())
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
                    .addSchedulerListener(new SchedulerLog(work.name()))
                    .shutdownMaxWait(SHUTDOWN)
                    .build();
            schedulers.put(work.name(), scheduler);
        }
    }

    private Scheduler of(SharedWork work) {
        return Objects.requireNonNull(schedulers.get(work.name()));
    }

    private static Task<Void> task(SharedWork work) {
        return Tasks.custom(work.name(), Void.class)
                .onFailure((failed, task) -> {
                    TaskInstance<?> piece = failed.getExecution().taskInstance;
                    String cause = failed.getCause().map(Throwable::toString).orElse("failed");
                    log.warn("{} {}: {}", piece.getTaskName(), piece.getId(), cause);
                    task.reschedule(failed, Instant.now().plus(AFTER_FAILURE));
                })
                .onDeadExecution((dead, task) -> end(
                        dead,
                        task,
                        work.abandoned(dead.getExecution().taskInstance.getId()).orElse(null)))
                .execute((task, context) -> after(work.attempt(task.getId()).orElse(null)));
    }

    /** @param next delay until the next attempt; null if the piece is done */
    private static CompletionHandler<Void> after(@Nullable Duration next) {
        return (complete, operations) -> end(complete, operations, next);
    }

    private static void end(ExecutionComplete complete, ExecutionOperations<Void> operations, @Nullable Duration next) {
        if (next != null) {
            operations.reschedule(complete, Instant.now().plus(next));
        } else {
            operations.remove();
        }
    }

    /** Adds pieces, which are due at once, in the caller's transaction. {@link #wake} starts them after its commit. */
    public void add(SharedWork work, Collection<String> pieces, Priority priority) {
        of(work).scheduleBatch(
                        pieces.stream()
                                .<TaskInstance<?>>map(piece -> instance(work, piece, priority))
                                .toList(),
                        Instant.now());
    }

    private static TaskInstance<Void> instance(SharedWork work, String piece, Priority priority) {
        return new TaskInstance.Builder<Void>(work.name(), piece)
                .priority(
                        switch (priority) {
                            case LOW -> com.github.kagkarlsson.scheduler.task.Priority.LOW;
                            case NORMAL -> com.github.kagkarlsson.scheduler.task.Priority.MEDIUM;
                            case HIGH -> com.github.kagkarlsson.scheduler.task.Priority.HIGH;
                        })
                .build();
    }

    /** Makes a waiting piece due now, in the caller's transaction. One that runs is left alone. */
    public void runNow(SharedWork work, String piece) {
        TaskInstanceId id = TaskInstanceId.of(work.name(), piece);
        Scheduler scheduler = of(work);
        if (scheduler
                .getScheduledExecution(id)
                .filter(known -> !known.isPicked())
                .isPresent()) {
            try {
                scheduler.reschedule(id, Instant.now());
            } catch (TaskInstanceCurrentlyExecutingException | ExecutionException e) {
                log.debug("{} began meanwhile", id, e);
            }
        }
    }

    /** Looks for due pieces of the work now. */
    public void wake(SharedWork work) {
        of(work).triggerCheckForDueExecutions();
    }

    /**
     * Follows the state of the server. At shutdown it must stop before extractions do, so that running pieces are returned to the
     * database; hence the precedence.
     */
    @Order(Ordered.HIGHEST_PRECEDENCE)
    @EventListener
    void follow(AvailabilityChangeEvent<ReadinessState> event) {
        switch (event.getState()) {
            case ACCEPTING_TRAFFIC -> {
                for (SharedWork work : works) {
                    Scheduler scheduler = of(work);
                    if (!scheduler.getSchedulerState().isStarted()) {
                        for (String piece : work.permanent()) {
                            scheduler.scheduleIfNotExists(instance(work, piece, Priority.HIGH), Instant.now());
                        }
                        scheduler.start();
                    }
                }
            }
            case REFUSING_TRAFFIC -> {
                schedulers.values().forEach(Scheduler::pause);
                works.forEach(SharedWork::stop);
            }
        }
    }

    @Override
    public void destroy() {
        schedulers.values().forEach(Scheduler::stop);
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

    /** Logs once when the scheduler starts to fail, usually because the database is unavailable, and once when it recovers. */
    private static final class SchedulerLog extends AbstractSchedulerListener {

        private static final Logger log = LoggerFactory.getLogger(SchedulerLog.class);

        private final String work;
        private final AtomicBoolean troubled = new AtomicBoolean();

        /** @param work its name */
        SchedulerLog(String work) {
            this.work = work;
        }

        @Override
        public void onSchedulerEvent(SchedulerEventType type) {
            switch (type) {
                case UNEXPECTED_ERROR, FAILED_HEARTBEAT, COMPLETIONHANDLER_ERROR, FAILUREHANDLER_ERROR -> {
                    if (!troubled.getAndSet(true)) {
                        log.warn("{}: the work fails ({}); retrying", work, type);
                    }
                }
                case RAN_EXECUTE_DUE, RAN_DETECT_DEAD -> {
                    if (troubled.getAndSet(false)) {
                        log.info("{}: the work no longer fails", work);
                    }
                }
                default -> {
                    // Irrelevant to operators.
                }
            }
        }
    }
}
