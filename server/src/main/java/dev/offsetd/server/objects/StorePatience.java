package dev.offsetd.server.objects;

import jakarta.servlet.Filter;
import jakarta.servlet.FilterChain;
import jakarta.servlet.ServletException;
import jakarta.servlet.ServletRequest;
import jakarta.servlet.ServletResponse;
import java.io.IOException;
import java.time.Duration;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** Bounds the time that a request waits for parts of objects, in total: an answer may need several parts. */
@Component
final class StorePatience implements Filter {

    /** Nanoseconds that the request of this thread may still wait. Other threads have none. */
    private static final ThreadLocal<Long> LEFT = new ThreadLocal<>();

    @Override
    public void doFilter(ServletRequest request, ServletResponse response, FilterChain chain)
            throws IOException, ServletException {
        LEFT.set(ObjectStore.PATIENCE.toNanos());
        try {
            chain.doFilter(request, response);
        } finally {
            LEFT.remove();
        }
    }

    /** Returns the time that the next part may take. */
    static Duration left() {
        Long left = LEFT.get();
        return left == null ? ObjectStore.PATIENCE : Duration.ofNanos(left);
    }

    /**
     * Runs a read of a part.
     *
     * @throws StoreUnreachableException if the request has waited long enough
     */
    static byte[] spend(Supplier<byte[]> read) {
        Long left = LEFT.get();
        if (left == null) {
            return read.get();
        }
        if (left <= 0) {
            throw new StoreUnreachableException("object store: parts of the answer took "
                    + ObjectStore.PATIENCE.toSeconds() + " s, and some are missing");
        }
        long start = System.nanoTime();
        try {
            return read.get();
        } finally {
            LEFT.set(left - (System.nanoTime() - start));
        }
    }
}
