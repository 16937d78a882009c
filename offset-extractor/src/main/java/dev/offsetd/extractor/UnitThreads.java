package dev.offsetd.extractor;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.io.InterruptedIOException;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;

/** Threads that read the units of a file together. */
final class UnitThreads {

    private UnitThreads() {}

    /**
     * Runs each task in a thread, with the deadline of the current one, and waits for all of them; a single task in the current
     * thread.
     */
    static void run(List<? extends Runnable> tasks) throws IOException {
        if (tasks.size() <= 1) {
            tasks.forEach(Runnable::run);
            return;
        }
        Deadline deadline = Deadline.currentOr(Limits.DEFAULT);
        List<Callable<Object>> calls = tasks.stream()
                .map(Executors::callable)
                .<Callable<Object>>map(call -> () -> deadline.during(call::call))
                .toList();
        try (ExecutorService executor = Executors.newFixedThreadPool(
                tasks.size(), Thread.ofPlatform().daemon().name("units-", 0).factory())) {
            for (Future<Object> done : executor.invokeAll(calls)) {
                done.get();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw (IOException) new InterruptedIOException("interrupted while reading units").initCause(e);
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case RuntimeException unexpected -> throw unexpected;
                case Error error -> throw error;
                case null, default -> throw new IllegalStateException(e);
            }
        }
    }
}
