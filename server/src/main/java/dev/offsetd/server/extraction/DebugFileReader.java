package dev.offsetd.server.extraction;

import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.SymbolsWriter;
import dev.offsetd.query.symbol.SymbolTable;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Reads debug files, only so many at a time, whoever brought them. The heap for that is divided among them; a file that is
 * large, or that turned out to need more than its share, waits for its turn to be read alone with all of it.
 */
@Component
public class DebugFileReader {

    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(30);

    /** Heap for each byte of a file that has its debug information as it is; compressed ones may take more. */
    private static final int HEAP_OF_FILE_BYTE = 2;

    private final OffsetExtractor extractor;

    /** A permit for each share of the heap. Fair, so that one that waits for all of them gets them. */
    private final Semaphore shares;

    private final int allShares;
    private final long shareBytes;

    DebugFileReader(ExtractionProperties properties) {
        long heapBytes = properties.heap().toBytes();
        this.extractor = new OffsetExtractor(Limits.DEFAULT.withMaxKeptBytes(heapBytes), properties.threads());
        this.allShares = properties.maxParsing();
        this.shareBytes = Math.max(1, heapBytes / allShares);
        this.shares = new Semaphore(allShares, true);
    }

    /**
     * What a file has.
     *
     * @param catalogue its types
     * @param symbols its symbols
     * @param dwarf whether the types are from its DWARF; else from its BTF
     * @param debugInfoBytes size of that, decompressed
     */
    // Two of these are never compared, and blobs of many megabytes are not copied to be safe from their own caller.
    @SuppressWarnings("ArrayRecordComponent")
    public record Reading(
            Architecture architecture, byte[] catalogue, byte[] symbols, boolean dwarf, long debugInfoBytes) {}

    /**
     * What a file has whose debug information cannot serve.
     *
     * @param count how many symbols these are
     */
    // As above.
    @SuppressWarnings("ArrayRecordComponent")
    public record SymbolsReading(Architecture architecture, byte[] symbols, int count) {}

    /**
     * Reads a whole file.
     *
     * @param patience how long to wait for a turn
     * @throws BusyException if no turn came
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public Reading read(Path file, Duration patience) throws IOException, ExtractionException, InterruptedException {
        return inTurn(file, patientFor(patience), heap -> readNow(file, extractor.withBudget(heap)));
    }

    /**
     * As {@link #read(Path, Duration)}, however long it takes until its turn comes.
     *
     * @param supplementary the file that it shares types with; null if it is complete by itself
     */
    Reading readInItsTurn(Path file, @Nullable Path supplementary)
            throws IOException, ExtractionException, InterruptedException {
        OffsetExtractor reader = supplementary == null ? extractor : extractor.withSupplementaryFile(supplementary);
        return inTurn(file, shares::acquire, heap -> readNow(file, reader.withBudget(heap)));
    }

    @FunctionalInterface
    private interface Turn {
        void await(int shares) throws InterruptedException;
    }

    private Turn patientFor(Duration patience) {
        return wanted -> {
            if (!shares.tryAcquire(wanted, patience.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BusyException(BUSY_RETRY_AFTER);
            }
        };
    }

    @FunctionalInterface
    private interface Work<T> {
        T within(HeapBudget heap) throws IOException, ExtractionException, InterruptedException;
    }

    private <T> T inTurn(Path file, Turn turn, Work<T> work)
            throws IOException, ExtractionException, InterruptedException {
        int wanted = Files.size(file) * HEAP_OF_FILE_BYTE > shareBytes ? allShares : 1;
        while (true) {
            turn.await(wanted);
            try {
                return work.within(new HeapBudget(shareBytes * wanted));
            } catch (LimitExceededException e) {
                if (wanted == allShares || !e.limit().equals(Limits.MAX_KEPT_BYTES)) {
                    throw e;
                }
            } finally {
                shares.release(wanted);
            }
            wanted = allShares;
        }
    }

    private Reading readNow(Path file, OffsetExtractor reader)
            throws IOException, ExtractionException, InterruptedException {
        try (ExecutorService aside = Executors.newVirtualThreadPerTaskExecutor()) {
            // Types are read by several threads, but put together by one, which leaves time for the symbols.
            Future<byte[]> symbols = aside.submit(() -> symbols(file, reader));
            ExtractionReport report;
            byte[] catalogue;
            try {
                report = reader.extractAll(file);
                catalogue = CatalogueWriter.encode(report.types());
            } catch (IOException | ExtractionException | RuntimeException e) {
                symbols.cancel(true);
                throw e;
            }
            return new Reading(
                    report.elf().architecture(),
                    catalogue,
                    result(symbols),
                    report.elf().hasDwarf(),
                    report.debugInfoBytes());
        }
    }

    private static byte[] symbols(Path file, OffsetExtractor reader) throws IOException, ExtractionException {
        SymbolReport symbols = reader.symbols(file);
        return SymbolsWriter.encode(SymbolTable.of(symbols), symbols.tls());
    }

    private static byte[] result(Future<byte[]> symbols) throws IOException, ExtractionException, InterruptedException {
        try {
            return symbols.get();
        } catch (ExecutionException e) {
            switch (e.getCause()) {
                case IOException failure -> throw failure;
                case ExtractionException failure -> throw failure;
                case RuntimeException failure -> throw failure;
                case null, default -> throw new IllegalStateException("the symbols of a file cannot be read", e);
            }
        }
    }

    /**
     * Reads the symbols alone, of a file whose debug information cannot serve.
     *
     * @param patience how long to wait for a turn
     * @return empty if it has none that can be read
     * @throws BusyException if no turn came
     * @throws IOException if the file cannot be read
     */
    public Optional<SymbolsReading> readSymbols(Path file, Duration patience) throws IOException, InterruptedException {
        return readSymbols(file, patientFor(patience));
    }

    /** As {@link #readSymbols}, however long it takes until its turn comes. */
    Optional<SymbolsReading> readSymbolsInTheirTurn(Path file) throws IOException, InterruptedException {
        return readSymbols(file, shares::acquire);
    }

    private Optional<SymbolsReading> readSymbols(Path file, Turn turn) throws IOException, InterruptedException {
        try {
            return inTurn(file, turn, heap -> {
                SymbolReport report = extractor.withBudget(heap).symbols(file);
                SymbolTable symbols = SymbolTable.of(report);
                int count = symbols.symbols().size();
                return count == 0
                        ? Optional.empty()
                        : Optional.of(new SymbolsReading(
                                report.elf().architecture(), SymbolsWriter.encode(symbols, report.tls()), count));
            });
        } catch (ExtractionException e) {
            return Optional.empty();
        }
    }

    /**
     * Which supplementary file a debug file needs, if it needs one.
     *
     * @throws ExtractionException if the debug file is malformed
     */
    Optional<SupplementaryLink> supplementaryLink(Path debugFile) throws IOException, ExtractionException {
        return extractor.supplementaryLink(debugFile);
    }
}
