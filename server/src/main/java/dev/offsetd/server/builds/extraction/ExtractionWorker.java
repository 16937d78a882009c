package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ConflictingFile;
import dev.offsetd.server.builds.ConflictingFiles;
import dev.offsetd.server.builds.Lease;
import dev.offsetd.server.builds.LeaseLostException;
import dev.offsetd.server.builds.SharedBuildIds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.builds.WorkProgress;
import dev.offsetd.server.builds.WorkQueue;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import java.time.Duration;
import java.util.Optional;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.slf4j.event.Level;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** One attempt at a build under its lease: queries the sources, reads a file, and stores the result in one transaction. */
@Component
class ExtractionWorker {

    private static final Logger log = LoggerFactory.getLogger(ExtractionWorker.class);

    private final Builds builds;
    private final WorkQueue queue;
    private final Catalogues catalogues;
    private final SymbolTables symbolTables;
    private final ConflictingFiles conflicts;
    private final BuildKeys keys;
    private final SharedBuildIds shared;
    private final Identities identities;
    private final TransactionTemplate transaction;
    private final SourceRound round;
    private final RetryTimes retryTimes;
    private final UploadRenewal uploads;
    private final ContentStore contents;
    private final Duration renewalRetry;
    private final ExtractionMeters meters;

    ExtractionWorker(
            Builds builds,
            WorkQueue queue,
            Catalogues catalogues,
            SymbolTables symbolTables,
            ConflictingFiles conflicts,
            BuildKeys keys,
            SharedBuildIds shared,
            Identities identities,
            PlatformTransactionManager transactions,
            DebugFileSources sources,
            DebugFileReader reader,
            UploadRenewal uploads,
            ContentStore contents,
            ExtractionProperties properties,
            ExtractionMeters meters) {
        this.builds = builds;
        this.queue = queue;
        this.catalogues = catalogues;
        this.symbolTables = symbolTables;
        this.conflicts = conflicts;
        this.keys = keys;
        this.shared = shared;
        this.identities = identities;
        this.transaction = new TransactionTemplate(transactions);
        this.retryTimes = new RetryTimes(properties.retry());
        this.round = new SourceRound(
                sources.inOrder(),
                reader,
                retryTimes,
                properties.maxExecutable().toBytes());
        this.uploads = uploads;
        this.contents = contents;
        this.renewalRetry = properties.renewal().retry();
        this.meters = meters;
    }

    /**
     * Works on a build and ends its lease.
     *
     * @param early takes the types before they are stored, if they may answer by then
     * @throws LeaseLostException if another server took the lease over. It stores its own result; this one is rolled back
     */
    void work(Lease lease, EarlyTypes<UnstoredBuild> early) throws InterruptedException {
        boolean ended = false;
        try (ExtractionMeters.MeteredAttempt attempt = meters.begin()) {
            Build before = builds.find(lease.id()).orElseThrow();
            RoundResult result = result(before, queue.progress(lease), early);
            Preparation ready = prepare(before, result);
            transaction.executeWithoutResult(status -> store(lease, before, result, ready));
            ended = true;
            attempt.ended(result);
            logEnd(lease, before, result);
        } catch (LeaseLostException e) {
            ended = true;
            throw e;
        } finally {
            if (!ended) {
                giveBack(lease);
            }
        }
    }

    private RoundResult result(Build before, WorkProgress progress, EarlyTypes<UnstoredBuild> early)
            throws InterruptedException {
        catalogues.checkWritable();
        // Debug information that answers is not replaced by the types that a program describes.
        boolean needsExecutable =
                before.file().isEmpty() || catalogues.areFromProgram(before.id(), before.generation());
        RoundResult result = round.run(before, needsExecutable, progress, early);
        if (result instanceof RoundResult.Extracted extracted && staysBefore(before, extracted)) {
            result = new RoundResult.Without(
                    SourceRound.damage(extracted.content()), retryTimes.afterUnusable(), extracted.outcomes());
        }
        return result instanceof RoundResult.Without without
                ? uploads.of(before, without.outcomes()).orElse(result)
                : result;
    }

    /** Returns whether the file that answers for the build is as good as a damaged one, or better. */
    private boolean staysBefore(Build before, RoundResult.Extracted damaged) {
        if (!damaged.content().isDamaged()
                || before.file().filter(file -> !file.isClaimed()).isEmpty()) {
            return false;
        }
        return before.file().get().sha256().equals(damaged.file().sha256())
                ? !before.versions().areBehind(OffsetExtractor.VERSIONS)
                : !catalogues.areDamaged(before.id(), before.generation());
    }

    /**
     * Slow work, done before the transaction: comparisons, and bytes that go to the object store.
     *
     * @param symbols those that are stored without types
     * @param conflict the upload that the result replaces
     * @param rivalDiffers whether the rival file has other layouts; empty if there is none or it is unknown
     */
    private record Preparation(
            Optional<ContentStore.Prepared> content,
            Optional<NewBlob> symbols,
            Optional<ConflictingFile> conflict,
            Optional<Boolean> rivalDiffers) {}

    private Preparation prepare(Build before, RoundResult result) {
        return switch (result) {
            case RoundResult.Extracted extracted ->
                new Preparation(
                        Optional.of(contents.prepare(extracted.content())),
                        Optional.empty(),
                        conflict(before, extracted),
                        extracted
                                .rival()
                                .flatMap(rival -> catalogues.layoutsDiffer(
                                        before.id(), extracted.content().catalogue(), rival.catalogue())));
            case RoundResult.SymbolsAgain again ->
                new Preparation(
                        Optional.empty(),
                        Optional.of(symbolTables.prepare(again.symbols())),
                        Optional.empty(),
                        Optional.empty());
            case RoundResult.Without without ->
                new Preparation(
                        Optional.empty(),
                        newSymbols(before, without).map(found -> symbolTables.prepare(found.blob())),
                        Optional.empty(),
                        Optional.empty());
        };
    }

    private void giveBack(Lease lease) {
        // An interrupted thread cannot use the database.
        boolean interrupted = Thread.interrupted();
        try {
            queue.release(lease);
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Returns the upload that a source's file replaces, unless they are the same file. */
    private Optional<ConflictingFile> conflict(Build before, RoundResult.Extracted extracted) {
        Optional<StoredFile> other = before.file()
                .filter(file -> file.origin().isUpload())
                .filter(file -> !file.sha256().equals(extracted.file().sha256()));
        return other.map(file -> ConflictingFile.of(
                file,
                catalogues
                        .layoutsDiffer(before.id(), extracted.content().catalogue())
                        .orElse(null)));
    }

    private void store(Lease lease, Build before, RoundResult result, Preparation ready) {
        switch (result) {
            case RoundResult.Extracted extracted -> {
                contents.store(lease, extracted.file(), ready.content().orElseThrow(), extracted.outcomes());
                ready.conflict().ifPresent(upload -> conflicts.record(lease.id(), upload));
                keys.record(lease.id(), extracted.keys(), extracted.file().origin());
                extracted.rival().ifPresent(rival -> record(lease.id(), rival, ready.rivalDiffers()));
            }
            case RoundResult.SymbolsAgain again -> {
                queue.finishExtracted(lease, again.file(), again.outcomes());
                symbolTables.store(lease.id(), ready.symbols().orElseThrow());
            }
            case RoundResult.Without without
            when before.file().isPresent() ->
                queue.finishUnchanged(lease, untilRenewal(before, without.retryAfter()), without.outcomes());
            case RoundResult.Without without -> {
                queue.finishWithout(
                        lease, without.failure(), OffsetExtractor.VERSION, without.retryAfter(), without.outcomes());
                storeSymbols(before, without, ready.symbols());
                without.program().ifPresent(program -> {
                    identities.add(lease.id(), program.architecture(), program.identity());
                    keys.record(lease.id(), program.keys(), program.origin());
                });
            }
        }
    }

    /** Records another source's file. If its layouts differ, neither file can be told from the other by the build-id. */
    private void record(BuildId id, RoundResult.Rival rival, Optional<Boolean> differ) {
        conflicts.record(id, ConflictingFile.of(rival.file(), differ.orElse(null)));
        if (differ.orElse(false)) {
            shared.add(id, SharedBuildIds.Evidence.LAYOUTS);
        }
    }

    /**
     * Stores the symbols of a file that is unusable otherwise. The symbols of an earlier attempt stay while its outcome holds, also
     * during failures: they answer again as soon as the sources do.
     */
    private void storeSymbols(Build before, RoundResult.Without result, Optional<NewBlob> symbols) {
        BuildId id = before.id();
        Optional<RoundResult.Symbols> found = newSymbols(before, result);
        if (found.isPresent()) {
            queue.storeSymbols(id, found.get().only());
            symbolTables.store(id, symbols.orElseThrow());
        } else if (before.symbolsOnly().isPresent()
                && result.outcomes().stream().noneMatch(outcome -> outcome.means(BuildState.UNUSABLE))) {
            queue.deleteSymbols(id);
        }
    }

    private static Optional<RoundResult.Symbols> newSymbols(Build before, RoundResult.Without result) {
        Optional<SymbolsOnly> stored = before.symbolsOnly();
        return result.symbols()
                .filter(symbols -> stored.isEmpty() || symbols.only().replaces(stored.get()));
    }

    /** Retries after a failure wait longer while an earlier result answers. */
    private Duration untilRenewal(Build before, Duration retryAfter) {
        return before.versions().areBehind(OffsetExtractor.VERSIONS) && retryAfter.compareTo(renewalRetry) < 0
                ? renewalRetry
                : retryAfter;
    }

    private static void logEnd(Lease lease, Build before, RoundResult result) {
        switch (result) {
            case RoundResult.Extracted extracted ->
                log.info(
                        "build {}: stored {} bytes, read from {} ({} bytes)",
                        lease.id(),
                        extracted.content().catalogue().length,
                        extracted.file().upstream(),
                        extracted.file().bytes());
            case RoundResult.SymbolsAgain again ->
                log.info(
                        "build {}: stored the symbols, read again from {}",
                        lease.id(),
                        again.file().upstream());
            case RoundResult.Without without
            when before.file().isPresent() && without.state() == BuildState.NOT_FOUND ->
                log.info(
                        "build {}: {}",
                        lease.id(),
                        before.file().get().origin().isUpload()
                                ? "continues to answer from its upload, which no source replaces"
                                : "continues to answer from its stored types; no source has its file any more");
            case RoundResult.Without without ->
                log.atLevel(without.state() == BuildState.FAILED ? Level.WARN : Level.INFO)
                        .log(
                                "build {}: {}: {}",
                                lease.id(),
                                without.failure().cause().code(),
                                without.failure().detail());
        }
    }
}
