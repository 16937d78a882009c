package dev.offsetd.server.storage.objects;

import io.micrometer.context.ThreadLocalAccessor;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Time that one request may wait for objects, in total: an answer may need several. */
@Component
final class ObjectReadBudget implements Filter {

    /** Nanoseconds that the request of this thread may still wait, shared with threads that work for it; absent in other threads. */
    private static final ThreadLocal<AtomicLong> LEFT = new ThreadLocal<>();

    /** Passes the time on to threads that work for a request. Found by its name in {@code META-INF/services}. */
    public static final class Accessor implements ThreadLocalAccessor<AtomicLong> {

        @Override
        public Object key() {
            return ObjectReadBudget.class.getName();
        }

        @Override
        public @Nullable AtomicLong getValue() {
            return LEFT.get();
        }

        @Override
        public void setValue(AtomicLong left) {
            LEFT.set(left);
        }

        @Override
        public void setValue() {
            LEFT.remove();
        }
    }

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        LEFT.set(new AtomicLong(ObjectStore.MAX_WAIT.toNanos()));
        try {
            chain.doFilter(request, response);
        } finally {
            LEFT.remove();
        }
    }

    /** Returns the time that the next object may take. */
    static Duration remaining() {
        AtomicLong left = LEFT.get();
        return left == null ? ObjectStore.MAX_WAIT : Duration.ofNanos(left.get());
    }

    /**
     * Runs a read of an object.
     *
     * @throws StoreUnreachableException if the request has waited long enough
     */
    static byte[] spend(Supplier<byte[]> read) {
        AtomicLong left = LEFT.get();
        if (left == null) {
            return read.get();
        }
        if (left.get() <= 0) {
            throw new StoreUnreachableException("object store: objects of the answer took "
                    + ObjectStore.MAX_WAIT.toSeconds() + " s, and some are missing");
        }
        long start = System.nanoTime();
        try {
            return read.get();
        } finally {
            left.addAndGet(start - System.nanoTime());
        }
    }
}
