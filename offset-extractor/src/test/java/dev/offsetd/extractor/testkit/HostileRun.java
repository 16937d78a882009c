package dev.offsetd.extractor.testkit;

import com.sun.management.ThreadMXBean;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs code on hostile input and checks the extractor's guarantee for any input: an answer or one of the three kinds of
 * refusals, in bounded time and memory.
 *
 * <p>The time bound is not a performance assertion. A run takes a few milliseconds; the bound of two seconds detects
 * infinite loops and quadratic work, even on a slow machine. It applies to the CPU time of the thread, so other load
 * does not matter. The memory bound applies to everything that the thread allocates, garbage included, so it also
 * detects repeated allocation.
 */
public final class HostileRun {

    /** Upper bound on the CPU time of one run. */
    public static final Duration MAX_DURATION = Duration.ofSeconds(2);

    /**
     * Allocation allowed regardless of the input: the initial tables (hashes of names, merged definitions, DIEs) of two
     * passes. One pass of an extractor and a builder takes 2 MiB.
     */
    private static final long FIXED_BYTES = 16L << 20;

    /**
     * Allocation allowed per byte of input. A DIE of two bytes that becomes a member costs a record, a name, a spelling
     * and its share of growing lists and maps, about 500 bytes, and is read in up to three passes.
     */
    private static final long BYTES_FOR_EACH = 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private HostileRun() {}

    /** Code that reads hostile input. */
    @FunctionalInterface
    public interface Reading<T> {
        T read() throws IOException, ExtractionException;
    }

    /** Returns the number of heap bytes that reading an input of the given size may allocate. */
    public static long allocationBound(long inputBytes) {
        return FIXED_BYTES + inputBytes * BYTES_FOR_EACH;
    }

    /**
     * Returns the answer, or empty for a refusal.
     *
     * @param what the input, for messages
     * @param maxAllocatedBytes heap memory that the calling thread may allocate
     * @throws AssertionError for any other exception, and if the time or memory bound is exceeded
     */
    public static <T> Optional<T> answer(String what, long maxAllocatedBytes, Reading<T> reading) throws IOException {
        Measured<T> measured = measure(what, reading);
        if (measured.isOver(maxAllocatedBytes)) {
            // The first run may have loaded classes, so measure again.
            measured = measure(what, reading);
        }
        if (measured.isOver(maxAllocatedBytes)) {
            throw new AssertionError(what + ": took " + measured.spent + " and allocated " + measured.allocatedBytes
                    + " bytes; expected up to " + MAX_DURATION + " and " + maxAllocatedBytes);
        }
        return Optional.ofNullable(measured.answer);
    }

    private record Measured<T>(@Nullable T answer, Duration spent, long allocatedBytes) {

        boolean isOver(long maxAllocatedBytes) {
            return spent.compareTo(MAX_DURATION) > 0 || allocatedBytes > maxAllocatedBytes;
        }
    }

    private static <T> Measured<T> measure(String what, Reading<T> reading) throws IOException {
        long allocated = THREADS.getCurrentThreadAllocatedBytes();
        long start = THREADS.getCurrentThreadCpuTime();
        T answer = null;
        try {
            answer = reading.read();
        } catch (ExtractionException e) {
            String message = e.getMessage();
            if (message == null || message.isBlank() || message.chars().anyMatch(Character::isISOControl)) {
                throw new AssertionError(what + ": refused without a message that can be shown: " + message, e);
            }
        } catch (RuntimeException | Error e) {
            throw new AssertionError(what + ": made " + e, e);
        }
        Duration spent = Duration.ofNanos(THREADS.getCurrentThreadCpuTime() - start);
        return new Measured<>(answer, spent, THREADS.getCurrentThreadAllocatedBytes() - allocated);
    }
}
