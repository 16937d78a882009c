package dev.offsetd.server.query;

import dev.offsetd.server.telemetry.WorkContext;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.function.Supplier;

/** Does the parts of one request at the same time, so that waiting for all takes as long as waiting for the slowest. */
public final class ParallelTasks {

    private ParallelTasks() {}

    /**
     * Does all parts, each in a thread of its own; there are as many threads as parts, so the caller bounds them.
     *
     * @return what they came to, in their order
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
