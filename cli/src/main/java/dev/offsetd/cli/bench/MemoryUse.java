package dev.offsetd.cli.bench;

import com.google.re2j.Pattern;
import java.io.IOException;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.locks.LockSupport;

/** Memory use of this process, measured by the JVM and by the kernel. */
final class MemoryUse {

    /** See proc(5). */
    private static final Path STATUS = Path.of("/proc/self/status");

    private static final long UNKNOWN = -1;

    private MemoryUse() {}

    static void resetPeakHeap() {
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                pool.resetPeakUsage();
            }
        }
    }

    /** Sum of the peaks of the heap's pools since the reset; the peaks may be from different times. */
    static long peakHeapBytes() {
        long sum = 0;
        for (MemoryPoolMXBean pool : ManagementFactory.getMemoryPoolMXBeans()) {
            if (pool.getType() == MemoryType.HEAP) {
                sum += pool.getPeakUsage().getUsed();
            }
        }
        return sum;
    }

    /** Samples the resident anonymous memory about a thousand times a second until it is closed. */
    static final class MemorySampler implements AutoCloseable {

        private static final long PAUSE_NANOS = 1_000_000;

        private volatile boolean closed;
        private volatile long peakBytes = UNKNOWN;

        MemorySampler() {
            Thread.ofPlatform().daemon().name("memory-watch").start(this::look);
        }

        private void look() {
            while (!closed) {
                peakBytes = Math.max(peakBytes, rssAnonBytes());
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }

        /** The maximum, or -1 if the system does not report it. */
        long peakBytes() {
            return peakBytes;
        }

        @Override
        public void close() {
            closed = true;
        }
    }

    /** Resident anonymous memory: heap, stacks and buffers, without mapped files; -1 if the system does not report it. */
    private static long rssAnonBytes() {
        if (!Files.isReadable(STATUS)) {
            return UNKNOWN;
        }
        try (var lines = Files.lines(STATUS)) {
            return lines.filter(line -> line.startsWith("RssAnon:"))
                    .mapToLong(line -> Long.parseLong(
                                    Pattern.compile("[^0-9]").matcher(line).replaceAll(""))
                            * 1024)
                    .findFirst()
                    .orElse(UNKNOWN);
        } catch (IOException e) {
            return UNKNOWN;
        }
    }
}
