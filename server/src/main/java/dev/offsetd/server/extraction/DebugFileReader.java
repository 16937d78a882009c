package dev.offsetd.server.extraction;

import dev.offsetd.extractor.catalogue.CatalogueWriter;
import dev.offsetd.extractor.extract.ExtractionReport;
import dev.offsetd.extractor.extract.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.springframework.stereotype.Component;

/** Reads debug files, only so many at a time, whoever brought them. */
@Component
public class DebugFileReader {

    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(30);

    private final OffsetExtractor extractor;
    private final Semaphore parsing;

    DebugFileReader(ExtractionProperties properties) {
        this.extractor = new OffsetExtractor(Limits.DEFAULT, properties.threads());
        this.parsing = new Semaphore(properties.maxParsing(), true);
    }

    /**
     * What a file has.
     *
     * @param catalogue its types
     * @param dwarf whether they are from its DWARF; else from its BTF
     * @param debugInfoBytes size of that, decompressed
     */
    // Two of these are never compared, and a catalogue of many megabytes is not copied to be safe from its own caller.
    @SuppressWarnings("ArrayRecordComponent")
    public record Reading(Architecture architecture, byte[] catalogue, boolean dwarf, long debugInfoBytes) {}

    /**
     * Reads a whole file.
     *
     * @param patience how long to wait for a turn
     * @throws BusyException if no turn came
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public Reading read(Path file, Duration patience) throws IOException, ExtractionException, InterruptedException {
        if (!parsing.tryAcquire(patience.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new BusyException(BUSY_RETRY_AFTER);
        }
        try {
            ExtractionReport report = extractor.extractAll(file);
            return new Reading(
                    report.elf().architecture(),
                    CatalogueWriter.encode(report.types()),
                    report.elf().hasDwarf(),
                    report.debugInfoBytes());
        } finally {
            parsing.release();
        }
    }

    /** What reads the files. */
    OffsetExtractor extractor() {
        return extractor;
    }

    /** A permit for each file that may be read at a time. */
    Semaphore parsing() {
        return parsing;
    }
}
