package dev.offsetd.server.operations.compute;

import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;

/**
 * Work in progress, one piece for each key, whose result concurrent callers share.
 *
 * <p>Every caller {@linkplain #join joins} with a future. A caller that gets no other does the work and completes its own; the
 * others wait for the future that they get. Completing the future ends the work, and cancelling it ends the work without a
 * result. Work that has ended is never joined: a caller that has seen the result and calls again begins new work.
 *
 * @param <K> identifies the work
 * @param <F> future of the result
 */
public final class SingleFlight<K extends Comparable<? super K>, F extends CompletableFuture<?>> {

    private final ConcurrentMap<K, F> inProgress = new ConcurrentHashMap<>();

    /** Returns the future of the work in progress, if any. */
    public Optional<F> find(K key) {
        return Optional.ofNullable(inProgress.get(key)).filter(work -> !work.isDone());
    }

    /**
     * Returns the future of the work in progress. Without one, the caller's work begins: it does the work and completes its
     * future.
     *
     * @param own a new future
     */
    // A future equals nothing but itself.
    @SuppressWarnings("ReferenceEquality")
    public Optional<F> join(K key, F own) {
        F joined = inProgress.compute(key, (_, known) -> known == null || known.isDone() ? own : known);
        if (joined != own) {
            return Optional.of(joined);
        }
        Future<?> _ = own.whenComplete((_, _) -> inProgress.remove(key, own));
        return Optional.empty();
    }

    /** Returns the futures of all work in progress. */
    public Collection<F> all() {
        return List.copyOf(inProgress.values());
    }

    /** Returns how many pieces of work are in progress. */
    public int size() {
        return inProgress.size();
    }

    /**
     * Waits for the work of another caller.
     *
     * @return its result; empty if it ended without one, so that this caller has to join again
     * @throws RuntimeException the exception with which the work failed
     */
    public static <V> Optional<V> await(CompletableFuture<V> work) throws InterruptedException {
        try {
            return Optional.of(work.get());
        } catch (CancellationException e) {
            return Optional.empty();
        } catch (ExecutionException e) {
            throw e.getCause() instanceof RuntimeException known
                    ? known
                    : new IllegalStateException("the work of another caller failed", e.getCause());
        }
    }
}
