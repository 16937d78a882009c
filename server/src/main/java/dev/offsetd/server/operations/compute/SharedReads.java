package dev.offsetd.server.operations.compute;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Reads that concurrent callers share, so that a hundred requests for one build do not queue for the few connections. The read
 * of a caller begins after its call: it shows each change that was acknowledged before. Callers that come during a read share the
 * next one, or its failure. Must not be called in a transaction.
 *
 * @param <K> identifies what is read
 */
public final class SharedReads<K, V> {

    private final ConcurrentMap<K, Queue<V>> queues = new ConcurrentHashMap<>();

    /** Returns what the reader, or that of a concurrent caller with this key, has read. */
    public V read(K key, Supplier<V> reader) {
        Queue<V> queue = queues.compute(key, (_, known) -> Queue.join(known));
        long ticket = queue.tickets.incrementAndGet();
        queue.reading.lock();
        try {
            if (queue.served < ticket) {
                queue.read(reader);
            }
            return queue.last();
        } finally {
            queue.reading.unlock();
            queues.computeIfPresent(key, (_, left) -> --left.callers == 0 ? null : left);
        }
    }

    /** The callers with one key. */
    private static final class Queue<V> {

        private final ReentrantLock reading = new ReentrantLock();
        private final AtomicLong tickets = new AtomicLong();

        /** Guarded by the map. */
        private int callers;

        /** The last ticket for which the result is recent enough. */
        private long served;

        private @Nullable V result;
        private @Nullable RuntimeException failure;

        private static <V> Queue<V> join(@Nullable Queue<V> known) {
            Queue<V> queue = known == null ? new Queue<>() : known;
            queue.callers++;
            return queue;
        }

        private void read(Supplier<V> reader) {
            long before = tickets.get();
            try {
                result = reader.get();
                failure = null;
                served = before;
            } catch (RuntimeException e) {
                failure = e;
                // With an unreachable database, a read takes seconds to fail; waiting for it twice is useless.
                served = tickets.get();
            }
        }

        private V last() {
            if (failure != null) {
                throw failure;
            }
            if (result == null) {
                throw new IllegalStateException("nothing was read");
            }
            return result;
        }
    }
}
