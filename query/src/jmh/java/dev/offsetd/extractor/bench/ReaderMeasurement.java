package dev.offsetd.extractor.bench;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.locks.LockSupport;
import tools.jackson.core.JsonGenerator;
import tools.jackson.core.ObjectWriteContext;
import tools.jackson.core.json.JsonFactory;

/**
 * Measures reading a debug file in one warm process: the full scan for a type, and the whole catalogue. Prints JSON.
 */
public final class ReaderMeasurement {

    /** Runs after the timed ones, for the memory, because sampling takes time. */
    private static final int SAMPLED_RUNS = 3;

    private static final long NOT_READ_WHOLE = -1;
    private static final Path STATUS = Path.of("/proc/self/status");
    private static final Path DEBUG_FOLDER = Path.of("/usr/lib/debug");

    private final int warmUpRuns;
    private final long[] nanos;
    private final JsonGenerator json;

    private ReaderMeasurement(int warmUpRuns, int runs, JsonGenerator json) {
        this.warmUpRuns = warmUpRuns;
        this.nanos = new long[runs];
        this.json = json;
    }

    /** Reads the file and returns the decompressed size of {@code .debug_info}, or {@link #NOT_READ_WHOLE}. */
    private interface Reading {
        long run() throws IOException, ExtractionException;
    }

    /** Measures {@code FILE TYPE THREADS WARM-UP-RUNS RUNS}. */
    public static void main(String[] arguments) throws Exception {
        Path file = Path.of(arguments[0]);
        Set<String> types = Set.of(arguments[1]);
        int threads = Integer.parseInt(arguments[2]);
        ReadOptions options =
                new ReadOptions(Limits.DEFAULT, threads).followingAnyPath().withDebugFolders(List.of(DEBUG_FOLDER));
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        try (JsonGenerator json = new JsonFactory().createGenerator(ObjectWriteContext.empty(), out)) {
            json.writeStartObject();
            json.writeStringProperty("file", file.toString());
            json.writeNumberProperty("threads", threads);
            json.writeNumberProperty("maxHeapBytes", Runtime.getRuntime().maxMemory());
            json.writeStringProperty("java", Runtime.version().toString());
            json.writeArrayPropertyStart("measurements");
            ReaderMeasurement measurement =
                    new ReaderMeasurement(Integer.parseInt(arguments[3]), Integer.parseInt(arguments[4]), json);
            RequestedNames names = new RequestedNames(types, Set.of());
            measurement.measure(
                    "full scan",
                    () -> DebugInfo.read(file, options, info -> info.extract(names))
                            .debugInfoBytes());
            measurement.measure(
                    "whole catalogue",
                    () -> DebugInfo.read(file, options, DebugInfo::extractAll).debugInfoBytes());
            json.writeEndArray();
            json.writeEndObject();
        }
        out.println();
    }

    private void measure(String name, Reading reading) throws IOException, ExtractionException {
        for (int i = 0; i < warmUpRuns; i++) {
            reading.run();
        }
        long debugInfoBytes = NOT_READ_WHOLE;
        heapPools().forEach(MemoryPoolMXBean::resetPeakUsage);
        for (int i = 0; i < nanos.length; i++) {
            long start = System.nanoTime();
            debugInfoBytes = reading.run();
            nanos[i] = System.nanoTime() - start;
        }
        // The peaks of the pools may be from different times.
        long peakHeapBytes = heapPools().stream()
                .mapToLong(pool -> pool.getPeakUsage().getUsed())
                .sum();
        Arrays.sort(nanos);
        int middle = nanos.length / 2;
        double median = nanos.length % 2 == 1 ? nanos[middle] : (nanos[middle - 1] + nanos[middle]) / 2.0;
        json.writeStartObject();
        json.writeStringProperty("name", name);
        json.writeNumberProperty("runs", nanos.length);
        json.writeNumberProperty("minMillis", nanos[0] / 1e6);
        json.writeNumberProperty("medianMillis", median / 1e6);
        json.writeNumberProperty("maxMillis", nanos[nanos.length - 1] / 1e6);
        if (debugInfoBytes != NOT_READ_WHOLE) {
            json.writeNumberProperty("debugInfoBytes", debugInfoBytes);
            json.writeNumberProperty("megabytesPerSecond", debugInfoBytes / 1e6 / (median / 1e9));
        }
        json.writeNumberProperty("peakHeapBytes", peakHeapBytes);
        if (Files.isReadable(STATUS)) {
            json.writeNumberProperty("peakRssAnonBytes", peakRssAnonBytes(reading));
        }
        json.writeEndObject();
    }

    private static List<MemoryPoolMXBean> heapPools() {
        return ManagementFactory.getMemoryPoolMXBeans().stream()
                .filter(pool -> pool.getType() == MemoryType.HEAP)
                .toList();
    }

    /** Samples the resident anonymous memory about a thousand times a second: heap, stacks and buffers, without mapped files. */
    private static final class MemorySampler extends Thread {

        private static final long PAUSE_NANOS = 1_000_000;

        private volatile boolean ended;
        private volatile long peakBytes;

        @Override
        public void run() {
            while (!ended) {
                try (var lines = Files.lines(STATUS)) {
                    long kilobytes = lines.filter(line -> line.startsWith("RssAnon:"))
                            .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")))
                            .sum();
                    peakBytes = Math.max(peakBytes, kilobytes * 1024);
                } catch (IOException e) {
                    throw new IllegalStateException(e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static long peakRssAnonBytes(Reading reading) throws IOException, ExtractionException {
        MemorySampler sampler = new MemorySampler();
        sampler.setDaemon(true);
        sampler.start();
        for (int i = 0; i < SAMPLED_RUNS; i++) {
            reading.run();
        }
        sampler.ended = true;
        return sampler.peakBytes;
    }
}
