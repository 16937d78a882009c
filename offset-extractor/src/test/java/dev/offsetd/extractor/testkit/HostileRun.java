package dev.offsetd.extractor.testkit;

import com.sun.management.ThreadMXBean;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Runs something on hostile input and holds it to what the extractor promises for any input: an answer or one of the
 * three kinds of refusals, in bounded time and memory.
 *
 * <p>The bound on time asserts no speed: the runs take some milliseconds, and the bound of two seconds is there to tell
 * a loop that does not end, or work that grows with the square of a number in the file, from a slow machine. It is on
 * the time of the thread, so that a busy machine does not matter. The bound on memory is on what the thread allocates,
 * garbage included, so it also tells when something is made again and again.
 */
public final class HostileRun {

    /** Processor time for one run. */
    public static final Duration MAX_DURATION = Duration.ofSeconds(2);

    /**
     * What a reading may allocate whatever it reads: tables that it starts with (hashes of names, merged definitions,
     * DIEs; 2 MiB for one pass over an extractor's and a builder's), and two passes.
     */
    private static final long FIXED_BYTES = 16L << 20;

    /**
     * What it may allocate for each byte of the input. A DIE of two bytes that becomes a member costs a record, a name, a
     * spelling and its share of growing lists and maps, some 500 bytes; it is read in up to three passes.
     */
    private static final long BYTES_FOR_EACH = 1024;

    private static final ThreadMXBean THREADS = (ThreadMXBean) ManagementFactory.getThreadMXBean();

    private HostileRun() {}

    /** Something that reads hostile input. */
    @FunctionalInterface
    public interface Reading<T> {
        T read() throws IOException, ExtractionException;
    }

    /** What heap memory a reading of so many bytes may allocate. */
    public static long allocationBound(long inputBytes) {
        return FIXED_BYTES + inputBytes * BYTES_FOR_EACH;
    }

    /**
     * The answer, or empty for a refusal.
     *
     * @param what the input, for messages
     * @param maxAllocatedBytes heap memory that the calling thread may allocate
     * @throws AssertionError for anything else, and for an answer or refusal that took too much
     */
    public static <T> Optional<T> answer(String what, long maxAllocatedBytes, Reading<T> reading) throws IOException {
        Measured<T> measured = measure(what, reading);
        if (measured.isOver(maxAllocatedBytes)) {
            // The first run may have loaded classes.
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
