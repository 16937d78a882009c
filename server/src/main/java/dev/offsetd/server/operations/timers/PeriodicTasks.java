package dev.offsetd.server.operations.timers;

import dev.offsetd.server.operations.health.FatalErrors;
import java.time.Duration;
import java.time.Instant;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.DisposableBean;
import org.springframework.context.SmartLifecycle;
import org.springframework.scheduling.concurrent.ThreadPoolTaskScheduler;
import org.springframework.stereotype.Component;

/**
 * The server's periodic work, on daemon threads that neither requests nor extractions delay. A task that fails is repeated, also
 * after an {@link Error}; a fatal error ends the process. A failure is logged when it begins and when it ends, not at every run.
 *
 * <p>Tasks start when they are added. They stop after the web server and before any bean is destroyed.
 */
// The scheduler is not a bean, because Spring Boot would use it as the application's task executor.
@Component
public class PeriodicTasks implements SmartLifecycle, DisposableBean {

    private static final Logger log = LoggerFactory.getLogger(PeriodicTasks.class);

    /** Time for running tasks to end when the server stops. */
    private static final Duration STOP = Duration.ofSeconds(10);

    private final ThreadPoolTaskScheduler scheduler = new ThreadPoolTaskScheduler();
    private final AtomicInteger count = new AtomicInteger();
    private volatile boolean running = true;

    public PeriodicTasks() {
        scheduler.setThreadNamePrefix("periodic-");
        scheduler.setDaemon(true);
        scheduler.setWaitForTasksToCompleteOnShutdown(true);
        scheduler.setExecuteExistingDelayedTasksAfterShutdownPolicy(false);
        scheduler.setAwaitTerminationSeconds((int) STOP.toSeconds());
        scheduler.initialize();
    }

    /**
     * Adds a task that runs for the first time after one period.
     *
     * @param description a gerund phrase for the log: "counting pins"
     */
    public void add(String description, Duration period, Runnable task) {
        add(new Task(description, period, period, period, task));
    }

    public void addImmediate(String description, Duration period, Runnable task) {
        add(new Task(description, Duration.ZERO, period, period, task));
    }

    /** Adds a task with another period after a failed run. */
    public void add(String description, Duration period, Duration afterFailure, Runnable task) {
        add(new Task(description, period, period, afterFailure, task));
    }

    private void add(Task task) {
        // One thread for each task: a task that waits for the database must not delay the renewal of leases.
        scheduler.setPoolSize(count.incrementAndGet());
        var _ = scheduler.schedule(task, context -> {
            Instant completed = context.lastCompletion();
            return completed == null ? context.getClock().instant().plus(task.initial) : completed.plus(task.pause());
        });
    }

    private final class Task implements Runnable {

        private final String description;
        private final Duration initial;
        private final Duration period;
        private final Duration afterFailure;
        private final Runnable run;
        private volatile boolean failing;

        Task(String description, Duration initial, Duration period, Duration afterFailure, Runnable run) {
            this.description = description;
            this.initial = initial;
            this.period = period;
            this.afterFailure = afterFailure;
            this.run = run;
        }

        Duration pause() {
            return failing ? afterFailure : period;
        }

        @Override
        public void run() {
            try {
                run.run();
            } catch (Throwable e) {
                FatalErrors.haltIfFatal(e);
                if (!failing && running) {
                    log.warn("{} fails: {}", description, e.toString());
                }
                failing = true;
                return;
            }
            if (failing) {
                failing = false;
                log.info("{} no longer fails", description);
            }
        }
    }

    @Override
    public void start() {
        // Tasks start when they are added.
    }

    @Override
    public void stop() {
        running = false;
        scheduler.shutdown();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    /** Stops after the web server, whose phases are close to the maximum. */
    @Override
    public int getPhase() {
        return 0;
    }

    /** A context that fails to start destroys its beans without stopping them. */
    @Override
    public void destroy() {
        stop();
    }
}
