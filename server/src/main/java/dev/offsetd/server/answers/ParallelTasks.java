package dev.offsetd.server.answers;

import dev.offsetd.server.operations.telemetry.WorkContext;
import java.util.ArrayList;
import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Function;

/** Runs the parts of one request in parallel. */
public final class ParallelTasks {

    private ParallelTasks() {}

    /** Runs work on parts, whose number the caller bounds, each in a virtual thread; returns the results in order. */
    public static <P, R> List<R> all(Collection<P> parts, Function<P, R> work) {
        List<Callable<R>> tasks = new ArrayList<>();
        parts.forEach(part -> tasks.add(WorkContext.carried(() -> work.apply(part))));
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<R> done = new ArrayList<>();
            for (Future<R> task : threads.invokeAll(tasks)) {
                done.add(task.get());
            }
            return done;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException("interrupted while waiting for parts of a request", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException known) {
                throw known;
            }
            throw new IllegalStateException("a part of a request failed", e.getCause());
        }
    }
}
