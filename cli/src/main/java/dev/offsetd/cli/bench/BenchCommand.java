package dev.offsetd.cli.bench;

import dev.offsetd.cli.file.DebugFileFinder;
import dev.offsetd.cli.file.DebugFileFinder.DebugFile;
import dev.offsetd.cli.terminal.CommandFailure;
import dev.offsetd.cli.terminal.Console;
import dev.offsetd.cli.terminal.ExitCode;
import dev.offsetd.cli.terminal.JsonOutput;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.query.answer.ByteCount;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Locale;

/** {@code bench FILE ITEMS}: measures the extractor, warm and in one process. */
public final class BenchCommand {

    /** Runs after the timed ones, for the memory. */
    private static final int WATCHED_RUNS = 3;

    private final OffsetExtractor extractor;
    private final int threads;
    private final DebugFileFinder files;
    private final Console console;

    /** @param threads the extractor's threads; printed only */
    public BenchCommand(OffsetExtractor extractor, int threads, DebugFileFinder files, Console console) {
        this.extractor = extractor;
        this.threads = threads;
        this.files = files;
        this.console = console;
    }

    /**
     * Measures a search that stops at the first definition of each wanted type, the full scan, and the whole catalogue.
     *
     * @param warmUpRuns unmeasured runs of each, first
     * @param runs measured runs of each
     */
    public int run(Path file, RequestedNames wanted, int warmUpRuns, int runs, boolean asJson)
            throws CommandFailure, IOException {
        DebugFile debugFile = files.withTypes(file);
        Path path = debugFile.path();
        Bench bench = new Bench(path, warmUpRuns, runs);
        List<Measurement> measurements = List.of(
                bench.measure("first match", () -> {
                    extractor.firstMatches(path, wanted.types());
                    return Measurement.NOT_READ_WHOLE;
                }),
                bench.measure("full scan", () -> extractor.extract(path, wanted).debugInfoBytes()),
                bench.measure(
                        "whole catalogue", () -> extractor.extractAll(path).debugInfoBytes()));
        console.clearProgress();
        if (asJson) {
            printJson(path, bench.debugInfoBytes, measurements);
        } else {
            printTable(path, bench.debugInfoBytes, measurements);
        }
        return ExitCode.OK;
    }

    private void printTable(Path path, long debugInfoBytes, List<Measurement> measurements) throws IOException {
        console.println("%s: .debug_info %s, %d threads, -Xmx %d MiB, Java %s"
                .formatted(path, ByteCount.text(debugInfoBytes), threads, maxHeapBytes() >> 20, Runtime.version()));
        console.println("%-16s %5s %9s %9s %9s %9s %14s %14s"
                .formatted("", "runs", "min ms", "median ms", "max ms", "MiB/s", "peak heap MiB", "RssAnon MiB"));
        for (Measurement m : measurements) {
            console.println(String.format(
                    Locale.ROOT,
                    "%-16s %5d %9.1f %9.1f %9.1f %9s %14d %14s",
                    m.name(),
                    m.runs(),
                    m.minMillis(),
                    m.medianMillis(),
                    m.maxMillis(),
                    m.megabytesPerSecond().isPresent()
                            ? String.format(
                                    Locale.ROOT, "%.0f", m.megabytesPerSecond().getAsDouble() * 1e6 / (1 << 20))
                            : "-",
                    m.peakHeapBytes() >> 20,
                    m.peakRssAnonBytes() < 0 ? "-" : Long.toString(m.peakRssAnonBytes() >> 20)));
        }
    }

    private void printJson(Path path, long debugInfoBytes, List<Measurement> measurements) throws IOException {
        JsonOutput.print(console, json -> {
            json.writeStartObject();
            json.writeStringProperty("file", path.toString());
            json.writeNumberProperty("debugInfoBytes", debugInfoBytes);
            json.writeNumberProperty("threads", threads);
            json.writeNumberProperty("maxHeapBytes", maxHeapBytes());
            json.writeStringProperty("java", Runtime.version().toString());
            json.writeArrayPropertyStart("measurements");
            for (Measurement m : measurements) {
                json.writeStartObject();
                json.writeStringProperty("name", m.name());
                json.writeNumberProperty("runs", m.runs());
                json.writeNumberProperty("minMillis", m.minMillis());
                json.writeNumberProperty("medianMillis", m.medianMillis());
                json.writeNumberProperty("maxMillis", m.maxMillis());
                if (m.megabytesPerSecond().isPresent()) {
                    json.writeNumberProperty(
                            "megabytesPerSecond", m.megabytesPerSecond().getAsDouble());
                } else {
                    json.writeNullProperty("megabytesPerSecond");
                }
                json.writeNumberProperty("peakHeapBytes", m.peakHeapBytes());
                if (m.peakRssAnonBytes() < 0) {
                    json.writeNullProperty("peakRssAnonBytes");
                } else {
                    json.writeNumberProperty("peakRssAnonBytes", m.peakRssAnonBytes());
                }
                json.writeEndObject();
            }
            json.writeEndArray();
            json.writeEndObject();
        });
    }

    private static long maxHeapBytes() {
        return Runtime.getRuntime().maxMemory();
    }

    private final class Bench {

        private final Path path;
        private final int warmUpRuns;
        private final int runs;
        private long debugInfoBytes;

        Bench(Path path, int warmUpRuns, int runs) {
            this.path = path;
            this.warmUpRuns = warmUpRuns;
            this.runs = runs;
        }

        Measurement measure(String name, DebugFileFinder.ReadAction<Long> reading) throws CommandFailure {
            for (int i = 1; i <= warmUpRuns; i++) {
                console.progress("%s: warm-up %d of %d".formatted(name, i, warmUpRuns));
                files.read(path, reading);
            }
            long[] nanos = new long[runs];
            long bytes = Measurement.NOT_READ_WHOLE;
            MemoryUse.resetPeakHeap();
            for (int i = 0; i < runs; i++) {
                console.progress("%s: run %d of %d".formatted(name, i + 1, runs));
                long start = System.nanoTime();
                bytes = files.read(path, reading);
                nanos[i] = System.nanoTime() - start;
            }
            long peakHeapBytes = MemoryUse.peakHeapBytes();
            debugInfoBytes = Math.max(debugInfoBytes, bytes);
            return Measurement.of(name, nanos, bytes, peakHeapBytes, peakRssAnonBytes(name, reading));
        }

        /** In separate runs, because sampling takes time. */
        private long peakRssAnonBytes(String name, DebugFileFinder.ReadAction<Long> reading) throws CommandFailure {
            try (MemoryUse.MemorySampler watch = new MemoryUse.MemorySampler()) {
                for (int i = 1; i <= WATCHED_RUNS; i++) {
                    console.progress("%s: memory, run %d of %d".formatted(name, i, WATCHED_RUNS));
                    files.read(path, reading);
                }
                return watch.peakBytes();
            }
        }
    }
}
