package dev.offsetd.server.answers;

import dev.offsetd.server.operations.telemetry.WorkContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Runs the parts of one request in parallel. */
public final class ParallelTasks {

    private ParallelTasks() {}

    /**
     * Runs all parts, each in a virtual thread. The caller bounds their number.
     *
     * @return their results, in order
     */
    public static <T> List<T> all(List<Supplier<T>> parts) {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor()) {
            List<Future<T>> begun = new ArrayList<>();
            for (Supplier<T> part : parts) {
                begun.add(threads.submit(WorkContext.carried(part::get)));
            }
            List<T> done = new ArrayList<>();
            for (Future<T> part : begun) {
                done.add(part.get());
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
