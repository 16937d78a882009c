package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.SupplementaryLink;
import dev.offsetd.extractor.SymbolReport;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.query.store.BlobTooLargeException;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.FramesWriter;
import dev.offsetd.query.store.StoredBlob;
import dev.offsetd.query.store.StoredFrames;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.query.symbol.SymbolTable;
import dev.offsetd.query.symbol.SymbolsWriter;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.EarlyContent;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.operations.compute.Computation;
import dev.offsetd.server.operations.compute.ComputePool;
import dev.offsetd.server.operations.compute.HeapShares;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.typesets.TypeSets;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.beans.factory.annotation.Qualifier;
import org.springframework.stereotype.Component;

/**
 * Reads debug files of sources and uploads, a bounded number at a time. Each has an equal share of the heap. A large file, or one
 * that turns out to need more, waits until it can be read alone with all of the heap.
 */
@Component
public class DebugFileReader {

    private static final Logger log = LoggerFactory.getLogger(DebugFileReader.class);

    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(30);

    /** Estimated heap for each byte of a file with uncompressed debug information; a compressed file may need more. */
    private static final int HEAP_OF_FILE_BYTE = 2;

    /** Part of the heap budget that types which are read first may take in addition to it. */
    private static final int REQUESTED_TYPES_PART = 10;

    private final ReadOptions options;
    private final TypeSets typeSets;
    private final ComputePool threads;

    private final HeapShares shares;
    private final long earlyFromBytes;

    DebugFileReader(
            ExtractionProperties properties,
            TypeSets typeSets,
            HeapShares shares,
            @Qualifier(ComputePool.FILES) ComputePool threads) {
        this.typeSets = typeSets;
        this.shares = shares;
        this.threads = threads;
        this.options = new ReadOptions(
                Limits.DEFAULT.withMaxKeptBytes(properties.heap().toBytes()), properties.threads());
        this.earlyFromBytes = properties.answerUnstoredFrom().toBytes();
    }

    /**
     * Content of a file.
     *
     * @param dwarf whether the types come from DWARF; otherwise from BTF
     * @param debugInfoBytes size of the debug information, decompressed
     * @param program what the file states as the program itself; null of a separate debug file
     * @param goBuildId as a key of the build; null for none
     */
    // Never compared, and copying blobs of many megabytes to protect them is too expensive.
    @SuppressWarnings("ArrayRecordComponent")
    public record ExtractedContent(
            Architecture architecture,
            Identity identity,
            byte[] catalogue,
            byte[] symbols,
            boolean dwarf,
            long debugInfoBytes,
            List<Omission> omissions,
            Instant readAt,
            @Nullable ExecutableFacts program,
            @Nullable BuildId goBuildId) {

        /** Returns whether another copy of the file may be better. */
        public boolean isDamaged() {
            return Omission.areOfDamage(omissions);
        }

        public ExtractedContent with(Identity names) {
            return new ExtractedContent(
                    architecture,
                    identity.merge(names),
                    catalogue,
                    symbols,
                    dwarf,
                    debugInfoBytes,
                    omissions,
                    readAt,
                    program,
                    goBuildId);
        }
    }

    /**
     * Symbols of a file whose debug information is unusable.
     *
     * @param omissions the symbol tables that cannot be read
     */
    // Never compared, and copied nowhere.
    @SuppressWarnings("ArrayRecordComponent")
    public record SymbolContent(Architecture architecture, byte[] symbols, int count, List<Omission> omissions) {}

    /**
     * Turn to read a file.
     *
     * @param maxWait how long to wait for a share of the heap; null for any time
     * @param begun called when the reading begins
     * @param paused called when no file is read: it waits until another one is fetched, or stores its result
     */
    public record Turn(@Nullable Duration maxWait, Runnable begun, Runnable paused) {

        static Turn of(WorkProgress progress) {
            return within(null, progress);
        }

        /** Returns a turn for work that is to blame if the server has to end itself meanwhile. */
        public static Turn within(@Nullable Duration maxWait, WorkProgress progress) {
            return new Turn(maxWait, progress::computing, progress::querying);
        }

        public static Turn within(Duration maxWait) {
            return new Turn(maxWait, () -> {}, () -> {});
        }
    }

    /**
     * Reads a whole file.
     *
     * @param supplementary the file that it shares types with; null if it is self-contained
     * @param early consumes content of a large file: what a query waits for, and all types before they are encoded
     * @throws BusyException if no share became free
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, unsupported or exceeds a limit, or has no debug information
     */
    public ExtractedContent read(Path file, @Nullable Path supplementary, EarlyConsumer<EarlyContent> early, Turn turn)
            throws IOException, ExtractionException, InterruptedException {
        ReadOptions reading = withProbes(with(supplementary));
        return inTurn(file, turn, heap -> readNow(file, reading, heap, early));
    }

    /** Reads what an executable states of itself besides its types; empty if it is unreadable. */
    Optional<AttemptResult.StrippedProgram> names(BuildId id, CachedFile file, Turn turn) throws InterruptedException {
        ReadOptions withProbes = withProbes(options);
        try {
            return Optional.of(shares.read(heap -> threads.read(() -> {
                turn.begun().run();
                return DebugInfo.read(
                        file.path(),
                        withProbes.withBudget(heap),
                        info -> new AttemptResult.StrippedProgram(
                                file.elf().architecture(),
                                info.identity().merge(file.names()),
                                info.keys(file.sha256()),
                                file.origin(),
                                ExecutableFacts.of(info)));
            })));
        } catch (IOException | ExtractionException e) {
            log.info("build {}: the names in its executable cannot be read: {}", id, e.getMessage());
            return Optional.empty();
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the names in its executable", id, e);
            return Optional.empty();
        }
    }

    private ReadOptions with(@Nullable Path supplementary) {
        return supplementary == null ? options : options.withSupplementaryFile(supplementary);
    }

    /** Adds the searches for versions that programs state. Reads the database, so it is called without a share of the heap. */
    private ReadOptions withProbes(ReadOptions reading) {
        return reading.withProbes(TypeSet.probes(typeSets.searched()));
    }

    private <T> T inTurn(Path file, Turn turn, HeapShares.Reading<T> work)
            throws IOException, ExtractionException, InterruptedException {
        boolean large = Files.size(file) * HEAP_OF_FILE_BYTE > shares.bytes();
        try {
            return shares.read(
                    large,
                    Objects.requireNonNullElse(turn.maxWait(), HeapShares.FOREVER),
                    heap -> threads.read(() -> {
                        turn.begun().run();
                        try {
                            return work.within(heap);
                        } catch (BlobTooLargeException e) {
                            throw e.ofFile();
                        }
                    }));
        } catch (TimeoutException e) {
            throw new BusyException(BUSY_RETRY_AFTER);
        }
    }

    private record ReadFile(
            ExtractionReport report,
            ExecutableFacts program,
            @Nullable BuildId goBuildId) {}

    private ExtractedContent readNow(Path file, ReadOptions reading, HeapBudget heap, EarlyConsumer<EarlyContent> early)
            throws IOException, ExtractionException, InterruptedException {
        ReadOptions withBudget = reading.withBudget(heap);
        // The time is as precise as the database, so that an answer does not change once it is stored.
        Instant readAt = Instant.now().truncatedTo(ChronoUnit.MICROS);
        Computation<SymbolContent> symbols = threads.part(() -> symbols(file, withBudget));
        try {
            ReadFile read = DebugInfo.read(file, withBudget, info -> {
                if (info.facts().hasDwarf() && info.debugInfoBytes() >= earlyFromBytes) {
                    if (!early.wanted().names().isEmpty()) {
                        readRequested(info, heap, readAt, early);
                    }
                    if (!early.wanted().addresses().isEmpty()) {
                        symbols.run();
                        readLines(info, heap, symbols, readAt, early);
                    }
                }
                // Several threads read the types, but one encodes them; the symbols are read meanwhile.
                threads.startBeside(symbols);
                return new ReadFile(
                        info.extractAll(),
                        ExecutableFacts.of(info),
                        info.goBuildId().orElse(null));
            });
            ExtractionReport report = read.report();
            // Here, unless the other thread has begun.
            symbols.run();
            SymbolContent symbolContent = symbols.getRead();
            TypeCatalogue all = report.types().withOmissions(symbolContent.omissions());
            EarlyContent types = EarlyContent.all(report.elf().architecture(), readAt, all);
            if (report.debugInfoBytes() >= earlyFromBytes && all.omissions().isEmpty()) {
                early.accept(types);
            }
            byte[] catalogue;
            try {
                catalogue = CatalogueWriter.encode(all);
            } finally {
                types.forgetTypes();
            }
            return new ExtractedContent(
                    report.elf().architecture(),
                    report.identity(),
                    catalogue,
                    symbolContent.symbols(),
                    report.elf().hasDwarf(),
                    report.debugInfoBytes(),
                    all.omissions(),
                    readAt,
                    read.program().segments().isEmpty() ? null : read.program(),
                    read.goBuildId());
        } finally {
            // The reading was interrupted, or has failed. No effect after a result.
            symbols.cancel(true);
        }
    }

    /**
     * Reads the types that a query waits for. They are kept beside those of the whole file, which have all of the budget, unless
     * they take a large part of it.
     */
    private static void readRequested(
            DebugInfo info, HeapBudget heap, Instant readAt, EarlyConsumer<EarlyContent> early)
            throws IOException, ExtractionException {
        long before = heap.keptBytes();
        try {
            RequestedNames names = early.wanted().names();
            TypeCatalogue types = info.extract(names).types();
            // A damaged file answers only if no other source has a better one.
            if (types.omissions().isEmpty() && heap.keptBytes() - before <= heap.maxBytes() / REQUESTED_TYPES_PART) {
                early.accept(EarlyContent.of(info.architecture(), readAt, names, types));
            }
        } catch (LimitExceededException e) {
            // The reading of everything decides.
        } finally {
            heap.release(heap.keptBytes() - before);
        }
    }

    /** Reads the functions and lines that a query waits for. The reading of the whole file decides about faults. */
    private static void readLines(
            DebugInfo info,
            HeapBudget heap,
            Future<SymbolContent> symbols,
            Instant readAt,
            EarlyConsumer<EarlyContent> early)
            throws IOException {
        if (symbols.state() != Future.State.SUCCESS
                || !symbols.resultNow().omissions().isEmpty()) {
            return;
        }
        Set<Long> wanted = early.wanted().addresses();
        long[] addresses = wanted.stream().mapToLong(Long::longValue).toArray();
        try {
            FrameTable table = EarlyFrames.at(addresses, info, heap).orElse(null);
            // A damaged file answers only if no other source has a better one.
            if (table != null && table.omissions().isEmpty()) {
                EarlyContent.Lines lines = new EarlyContent.Lines(
                        StoredFrames.of(FramesWriter.encode(table)),
                        new StoredSymbols(
                                StoredBlob.inMemory(symbols.resultNow().symbols())));
                early.accept(EarlyContent.of(info.architecture(), readAt, wanted, lines));
            }
        } catch (ExtractionException | BlobTooLargeException e) {
            // The reading of everything decides.
        }
    }

    private static SymbolContent symbols(Path file, ReadOptions reading) throws IOException, ExtractionException {
        SymbolReport report = DebugInfo.read(file, reading, DebugInfo::symbolTables);
        SymbolTable symbols = SymbolTable.of(report);
        return new SymbolContent(
                report.elf().architecture(),
                SymbolsWriter.encode(symbols),
                symbols.symbols().size(),
                report.omissions());
    }

    /**
     * Reads only the symbols of a file, which may have none.
     *
     * @return empty if they are unreadable
     * @throws BusyException if no share became free
     * @throws IOException if the file cannot be read
     */
    public Optional<SymbolContent> readSymbols(Path file, Turn turn) throws IOException, InterruptedException {
        try {
            return inTurn(file, turn, heap -> Optional.of(symbols(file, options.withBudget(heap))));
        } catch (ExtractionException e) {
            return Optional.empty();
        }
    }

    /**
     * Reads some types of a file.
     *
     * @param supplementary the file that it shares types with; null if it is self-contained
     * @throws BusyException if no share became free
     */
    public TypeCatalogue readTypes(Path file, @Nullable Path supplementary, RequestedNames wanted, Turn turn)
            throws IOException, ExtractionException, InterruptedException {
        ReadOptions reading = with(supplementary).leavingOutMissingUnits();
        return inTurn(
                file,
                turn,
                heap -> DebugInfo.read(
                        file,
                        reading.withBudget(heap),
                        info -> info.extract(wanted).types()));
    }

    /**
     * Reads the functions and lines of a file.
     *
     * @param supplementary the file that it shares names with; names are left out without it
     * @param early takes those at the addresses that callers wait for, before all others
     * @return the encoded table; empty if the file has neither
     * @throws BusyException if no share became free
     */
    Optional<byte[]> readFrames(Path file, @Nullable Path supplementary, EarlyFrames early, Turn turn)
            throws IOException, ExtractionException, InterruptedException {
        ReadOptions reading = with(supplementary).leavingOutMissingUnits();
        return inTurn(file, turn, heap -> {
            FrameTable table = DebugInfo.read(file, reading.withBudget(heap), info -> {
                early.read(info, heap);
                return info.allFrames();
            });
            return table.ranges().isEmpty() ? Optional.empty() : Optional.of(FramesWriter.encode(table));
        });
    }

    /**
     * Returns the supplementary file that a debug file needs, if any. A link takes no share of the heap.
     *
     * @throws ExtractionException if the debug file is malformed
     */
    Optional<SupplementaryLink> supplementaryLink(Path debugFile, Turn turn)
            throws IOException, ExtractionException, InterruptedException {
        return threads.read(() -> {
            turn.begun().run();
            return DebugInfo.read(debugFile, options, DebugInfo::supplementaryLink);
        });
    }
}
