package dev.offsetd.server.timers;

import dev.offsetd.server.health.FatalErrors;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * A task that runs again and again on a daemon thread of its own, which neither requests nor extractions delay. A run that
 * fails, with an error too, is followed by the next one; a fatal error ends the process. A scheduled executor would drop the
 * task silently.
 */
public final class PeriodicTask implements AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(PeriodicTask.class);

    private final String does;
    private final Duration first;
    private final Duration period;
    private final Duration afterFailure;
    private final Runnable run;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Thread thread;

    /** Whether the last run failed; used by one thread. */
    private boolean failing;

    private PeriodicTask(
            String name, String does, Duration first, Duration period, Duration afterFailure, Runnable run) {
        this.does = does;
        this.first = first;
        this.period = period;
        this.afterFailure = afterFailure;
        this.run = run;
        this.thread = Thread.ofPlatform().daemon().name(name).unstarted(this::runUntilClosed);
    }

    /**
     * Starts a task that runs for the first time after one period.
     *
     * @param name of its thread
     * @param does what it does, for the log: "counting pins"
     */
    public static PeriodicTask start(String name, String does, Duration period, Runnable run) {
        return start(name, does, period, period, period, run);
    }

    /** The same for a task that runs for the first time at once. */
    public static PeriodicTask startAtOnce(String name, String does, Duration period, Runnable run) {
        return start(name, does, Duration.ZERO, period, period, run);
    }

    /** The same for a task of which a run that failed is followed by the next one sooner. */
    public static PeriodicTask start(String name, String does, Duration period, Duration afterFailure, Runnable run) {
        return start(name, does, period, period, afterFailure, run);
    }

    private static PeriodicTask start(
            String name, String does, Duration first, Duration period, Duration afterFailure, Runnable run) {
        PeriodicTask task = new PeriodicTask(name, does, first, period, afterFailure, run);
        task.thread.start();
        return task;
    }

    private void runUntilClosed() {
        try {
            Duration pause = first;
            while (!closed.await(pause.toNanos(), TimeUnit.NANOSECONDS)) {
                pause = succeeds() ? period : afterFailure;
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean succeeds() {
        try {
            run.run();
        } catch (Throwable e) {
            // Errors too: of one, this thread would end, and the task with it.
            FatalErrors.haltIfFatal(e);
            if (!failing && !isClosed()) {
                log.warn("{} fails: {}", does, e.toString());
            }
            failing = true;
            return false;
        }
        if (failing) {
            failing = false;
            log.info("{} no longer fails", does);
        }
        return true;
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Ends the task without waiting for a run that is under way. */
    @Override
    public void close() {
        closed.countDown();
        thread.interrupt();
    }

    /** Ends the task once a run that is under way has ended. */
    public void finish() {
        closed.countDown();
        try {
            thread.join();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
