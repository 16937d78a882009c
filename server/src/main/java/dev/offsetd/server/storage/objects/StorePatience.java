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

/** Bounds the time that a request waits for parts of objects, in total: an answer may need several parts. */
@Component
final class StorePatience implements Filter {

    /** Nanoseconds that the request of this thread may still wait, shared with threads that work for it. Other threads have none. */
    private static final ThreadLocal<AtomicLong> LEFT = new ThreadLocal<>();

    /** Passes the time on to threads that work for a request. Found by its name in {@code META-INF/services}. */
    public static final class Accessor implements ThreadLocalAccessor<AtomicLong> {

        @Override
        public Object key() {
            return StorePatience.class.getName();
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
        LEFT.set(new AtomicLong(ObjectStore.PATIENCE.toNanos()));
        try {
            chain.doFilter(request, response);
        } finally {
            LEFT.remove();
        }
    }

    /** Returns the time that the next part may take. */
    static Duration left() {
        AtomicLong left = LEFT.get();
        return left == null ? ObjectStore.PATIENCE : Duration.ofNanos(left.get());
    }

    /**
     * Runs a read of a part.
     *
     * @throws StoreUnreachableException if the request has waited long enough
     */
    static byte[] spend(Supplier<byte[]> read) {
        AtomicLong left = LEFT.get();
        if (left == null) {
            return read.get();
        }
        if (left.get() <= 0) {
            throw new StoreUnreachableException("object store: parts of the answer took "
                    + ObjectStore.PATIENCE.toSeconds() + " s, and some are missing");
        }
        long start = System.nanoTime();
        try {
            return read.get();
        } finally {
            left.addAndGet(start - System.nanoTime());
        }
    }
}
