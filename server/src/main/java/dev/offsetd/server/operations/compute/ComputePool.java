package dev.offsetd.server.operations.compute;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.server.operations.health.FatalErrors;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.IOException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.CancellationException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Platform threads for one kind of work that computes, at most one per processor. Its users bound how much work may wait. A thread
 * whose work ignores its deadline is replaced until that work ends, unless very many do.
 */
public final class ComputePool {

    /** Name of the bean for queries. */
    public static final String ANSWERS = "computeAnswers";

    /** Name of the bean for files that are read. */
    public static final String FILES = "computeFiles";

    /** Name of the bean for files that are verified and hashed: they would wait long for files that are read. */
    public static final String SOURCES = "computeSources";

    /** Name of the bean for exports. */
    public static final String EXPORTS = "computeExports";

    private static final Logger log = LoggerFactory.getLogger(ComputePool.class);

    /** Time in which work should notice that its deadline has passed. */
    private static final Duration GRACE = Duration.ofSeconds(10);

    private static final Duration CHECKS = Duration.ofSeconds(1);
    private static final Duration IDLE = Duration.ofSeconds(30);

    /** Longest wait of a request for a thread, and longest time that it may compute. */
    private static final Duration MAX_WAIT = Duration.ofSeconds(10);

    private static final Duration ANSWER = Duration.ofSeconds(30);

    /** Checks of a {@link Deadline} in about 10 ms of work. */
    private static final int SHORT_CHECKS = 1_000;

    /** Most threads with those whose work was given up, as a multiple of the others: each holds memory and a processor. */
    private static final int MAX_MULTIPLE = 4;

    private static final Duration FOREVER = Duration.ofDays(1);

    private final String kind;
    private final int size;
    private final Duration grace;
    private final ThreadPoolExecutor threads;

    /** Work that waits or runs, also if it was cancelled. */
    private final Set<Computation<?>> unfinished = ConcurrentHashMap.newKeySet();

    /** Work that was given up and still runs. */
    private final Set<Computation<?>> stuck = ConcurrentHashMap.newKeySet();

    /**
     * Creates a pool.
     *
     * @param kind of its work, for the names of its threads and for metrics
     * @param most how much work may run at a time, if there are as many processors
     */
    public ComputePool(String kind, int most, PeriodicTasks tasks, MeterRegistry meters) {
        this(kind, most, GRACE, tasks, meters);
    }

    ComputePool(String kind, int most, Duration grace, PeriodicTasks tasks, MeterRegistry meters) {
        this.grace = grace;
        this.kind = kind;
        this.size = Math.min(most, Runtime.getRuntime().availableProcessors());
        this.threads = new ThreadPoolExecutor(
                size,
                size,
                IDLE.toSeconds(),
                TimeUnit.SECONDS,
                new LinkedBlockingQueue<>(),
                Thread.ofPlatform().daemon().name("compute-" + kind + "-", 0).factory());
        threads.allowCoreThreadTimeOut(true);
        tasks.add("ending work that takes too long", CHECKS, this::cancelOverdue);
        gauge("busy", "Work that is running", meters);
        gauge("waiting", "Work that waits for a thread", meters);
        gauge("stuck", "Work that was given up, because it ignores its deadline, and still runs", meters);
    }

    private void gauge(String state, String description, MeterRegistry meters) {
        Gauge.builder("offsetd.compute." + state, this, pool -> switch (state) {
                    case "busy" -> pool.threads.getActiveCount();
                    case "waiting" -> pool.threads.getQueue().size();
                    default -> pool.stuck.size();
                })
                .description(description)
                .tag("kind", kind)
                .register(meters);
    }

    /**
     * Starts work, or queues it.
     *
     * @param limit time that it may take, counted from its start
     */
    public <T extends @Nullable Object> Computation<T> submit(Callable<T> work, Duration limit) {
        Computation<T> computation = new Computation<>(work, () -> new Deadline(limit), unfinished);
        threads.execute(computation);
        return computation;
    }

    /**
     * Returns a part of the work of the calling thread, with the deadline of that. The work runs the part itself when it needs the
     * result, unless it was {@linkplain #startBeside started beside it}, and cancels it when it ends earlier.
     */
    public <T extends @Nullable Object> Computation<T> part(Callable<T> part) {
        Deadline deadline = Deadline.currentOr(Limits.DEFAULT);
        return new Computation<>(part, () -> deadline, unfinished);
    }

    /** Starts a part of work of this pool beside it, if a thread is free. */
    public void startBeside(Computation<?> part) {
        threads.execute(part);
    }

    /**
     * Runs work that reads a file, and waits for it.
     *
     * @throws LimitExceededException also if the work was given up because it ignored its deadline
     * @throws InterruptedException if the calling thread is interrupted; the work is cancelled
     */
    public <T extends @Nullable Object> T read(Callable<T> work)
            throws IOException, ExtractionException, InterruptedException {
        try {
            return submit(work, Limits.DEFAULT.maxDuration()).getRead();
        } catch (DeadlineExceededException e) {
            throw e.ofFile();
        } catch (CancellationException e) {
            throw new LimitExceededException(
                    "file",
                    ExtractionException.NO_OFFSET,
                    Deadline.MAX_DURATION,
                    Limits.DEFAULT.maxDuration().toMillis(),
                    "it was given up after more");
        }
    }

    /**
     * Runs a part of a request, on the calling thread if that is a platform thread, one of the bounded number that may compute.
     *
     * @throws ProblemException if no thread is free in time (503), or it takes too long (422)
     */
    public <T extends @Nullable Object> T answer(Supplier<T> work) {
        return run(work, MAX_WAIT, ANSWER);
    }

    /**
     * Runs a part of a request that should be short on the calling thread, which also answers other requests. If it turns out to be
     * long, because a name has very many definitions for example, {@link #answer} begins it again.
     */
    public <T extends @Nullable Object> T answerAtOnce(Supplier<T> work) {
        if (Thread.currentThread().isVirtual()) {
            try {
                return Deadline.afterChecks(SHORT_CHECKS).during(work::get);
            } catch (DeadlineExceededException e) {
                // It is long.
            }
        }
        return answer(work);
    }

    /** Runs a part of work that does not belong to a request as {@link #answer} does, however long it waits for a thread. */
    public <T extends @Nullable Object> T run(Supplier<T> work) {
        return run(work, FOREVER, Limits.DEFAULT.maxDuration());
    }

    private <T extends @Nullable Object> T run(Supplier<T> work, Duration maxWait, Duration limit) {
        if (!Thread.currentThread().isVirtual()) {
            return runHere(work, limit);
        }
        Computation<T> computation = submit(work::get, limit);
        try {
            return started(computation, maxWait).get();
        } catch (ExecutionException e) {
            FatalErrors.haltIfFatal(e);
            throw switch (e.getCause()) {
                case DeadlineExceededException late -> tooSlow(late.getMessage());
                case RuntimeException known -> known;
                case null, default -> new IllegalStateException("work failed", e);
            };
        } catch (CancellationException e) {
            throw tooSlow("the work takes longer than " + limit.toSeconds() + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw busy("the server is shutting down");
        }
    }

    /** Runs work with the deadline of the work that it is a part of. A periodic task has none, so each of its parts gets one. */
    private static <T extends @Nullable Object> T runHere(Supplier<T> work, Duration limit) {
        if (Deadline.hasCurrent()) {
            return work.get();
        }
        try {
            return new Deadline(limit).during(work::get);
        } catch (DeadlineExceededException e) {
            throw tooSlow(e.getMessage());
        }
    }

    /** Waits until work has started, or gives it up. */
    private <T extends @Nullable Object> Computation<T> started(Computation<T> computation, Duration maxWait)
            throws InterruptedException {
        try {
            computation.get(maxWait.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            if (!computation.isStarted()) {
                computation.cancel(true);
                throw busy("other large queries are being answered");
            }
        } catch (ExecutionException | CancellationException e) {
            // The caller gets it.
        } catch (InterruptedException e) {
            computation.cancel(true);
            throw e;
        }
        return computation;
    }

    private static ProblemException busy(String detail) {
        return new ProblemException(Problem.busy(detail, MAX_WAIT));
    }

    private static ProblemException tooSlow(@Nullable String detail) {
        return new ProblemException(Problem.limitExceeded("The query takes too long", detail));
    }

    /** Cancels unwanted work and work that ignores its deadline, and replaces the threads of the latter. */
    private void cancelOverdue() {
        for (Computation<?> work : List.copyOf(unfinished)) {
            if (work.isUnwanted()) {
                work.cancel(true);
            }
            if (work.isOverdue(grace)) {
                giveUp(work);
            }
            if (work.isCancelled() && !work.isStarted()) {
                threads.remove(work);
                unfinished.remove(work);
            }
        }
        stuck.retainAll(unfinished);
        resize(Math.min(size + stuck.size(), MAX_MULTIPLE * size));
    }

    private void giveUp(Computation<?> work) {
        Thread thread = work.thread();
        if (thread == null) {
            return;
        }
        work.cancel(true);
        // Work and a part that it runs itself have one thread, which is replaced once.
        if (stuck.stream().noneMatch(other -> thread.equals(other.thread()))) {
            stuck.add(work);
            log.error(
                    "work on thread {} ignores its deadline and is given up; it is at\n{}",
                    thread.getName(),
                    Arrays.stream(thread.getStackTrace())
                            .map(frame -> "\tat " + frame)
                            .collect(Collectors.joining("\n")));
        }
    }

    private void resize(int count) {
        if (count > threads.getMaximumPoolSize()) {
            threads.setMaximumPoolSize(count);
            threads.setCorePoolSize(count);
        } else if (count < threads.getMaximumPoolSize()) {
            threads.setCorePoolSize(count);
            threads.setMaximumPoolSize(count);
        }
    }
}
