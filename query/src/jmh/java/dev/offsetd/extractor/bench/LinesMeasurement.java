package dev.offsetd.extractor.bench;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.query.store.FramesWriter;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.Arrays;

/** Measures how long the whole table of a file's functions and lines takes in one warm process, and its stored bytes. */
public final class LinesMeasurement {

    private LinesMeasurement() {}

    /** Measures {@code FILE WARM-UP-RUNS RUNS}, and prints the median in milliseconds and the bytes. */
    public static void main(String[] arguments) throws IOException, ExtractionException {
        Path file = Path.of(arguments[0]);
        int warmUpRuns = Integer.parseInt(arguments[1]);
        long[] nanos = new long[Integer.parseInt(arguments[2])];
        ReadOptions options =
                new ReadOptions(Limits.DEFAULT, Runtime.getRuntime().availableProcessors());
        int bytes = 0;
        for (int run = -warmUpRuns; run < nanos.length; run++) {
            long start = System.nanoTime();
            bytes = FramesWriter.encode(DebugInfo.read(file, options, DebugInfo::allFrames)).length;
            if (run >= 0) {
                nanos[run] = System.nanoTime() - start;
            }
        }
        Arrays.sort(nanos);
        PrintStream out = new PrintStream(System.out, true, StandardCharsets.UTF_8);
        out.println(nanos[nanos.length / 2] / 1_000_000 + " " + bytes);
    }
}
