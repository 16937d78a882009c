package dev.offsetd.server.storage.objects;

import io.micrometer.context.ThreadLocalAccessor;
import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.concurrent.atomic.AtomicLong;
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

    /**
     * Checks that the request of this thread may wait for another object.
     *
     * @throws StoreUnreachableException if it has waited long enough
     */
    static void check() {
        AtomicLong left = LEFT.get();
        if (left != null && left.get() <= 0) {
            throw spent();
        }
    }

    /**
     * Waits for a read that other requests may share, as long as the request of this thread may.
     *
     * @param transfer time for the bytes of the object, which it may take besides
     * @throws StoreUnreachableException if it has waited long enough
     */
    static byte[] await(CompletableFuture<byte[]> read, Duration transfer)
            throws ExecutionException, InterruptedException {
        AtomicLong left = LEFT.get();
        if (left == null) {
            return read.get();
        }
        long start = System.nanoTime();
        try {
            return read.get(left.get() + transfer.toNanos(), TimeUnit.NANOSECONDS);
        } catch (TimeoutException e) {
            throw spent();
        } finally {
            left.addAndGet(start - System.nanoTime());
        }
    }

    private static StoreUnreachableException spent() {
        return new StoreUnreachableException("object store: objects of the answer took "
                + ObjectStore.MAX_WAIT.toSeconds() + " s, and some are missing");
    }
}
