package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.ConflictingFile;
import dev.offsetd.server.builds.ConflictingFiles;
import dev.offsetd.server.builds.SharedBuildIds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.lease.Lease;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import java.time.Duration;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/**
 * Stores the result of an attempt and ends its lease. Comparisons and writes to the object store come first; the rest is one
 * transaction.
 */
@Component
class AttemptStore {

    private final BuildStates states;
    private final ContentStore contents;
    private final StoredLayouts layouts;
    private final SymbolTables symbolTables;
    private final ConflictingFiles conflicts;
    private final BuildKeys keys;
    private final SharedBuildIds shared;
    private final TransactionTemplate transaction;
    private final ExtractionProperties.Renewal renewal;

    AttemptStore(
            BuildStates states,
            ContentStore contents,
            StoredLayouts layouts,
            SymbolTables symbolTables,
            ConflictingFiles conflicts,
            BuildKeys keys,
            SharedBuildIds shared,
            PlatformTransactionManager transactions,
            ExtractionProperties properties) {
        this.states = states;
        this.contents = contents;
        this.layouts = layouts;
        this.symbolTables = symbolTables;
        this.conflicts = conflicts;
        this.keys = keys;
        this.shared = shared;
        this.transaction = new TransactionTemplate(transactions);
        this.renewal = properties.renewal();
    }

    void store(Lease lease, Build before, AttemptResult result) {
        switch (result) {
            case AttemptResult.Extracted extracted -> storeExtracted(lease, before, extracted);
            case AttemptResult.SymbolsAgain again -> {
                NewBlob symbols = symbolTables.prepare(again.symbols());
                transaction.executeWithoutResult(status -> {
                    var _ = states.endExtracted(lease, again.file(), "", again.outcomes());
                    symbolTables.store(lease.id(), symbols);
                });
            }
            case AttemptResult.Without without
            when before.file() != null ->
                transaction.executeWithoutResult(status ->
                        states.endUnchanged(lease, untilRenewal(before, without.retryAfter()), without.outcomes()));
            case AttemptResult.Without without -> storeWithout(lease, before, without);
        }
    }

    private void storeExtracted(Lease lease, Build before, AttemptResult.Extracted extracted) {
        BuildId id = lease.id();
        AttemptResult.UsableFile usable = extracted.usable();
        ContentStore.Prepared prepared = contents.prepare(id, usable.content());
        ConflictingFile replaced = replacedUpload(before, usable);
        AttemptResult.Rival rival = extracted.rival();
        boolean rivalDiffers;
        ConflictingFile other;
        if (rival == null) {
            rivalDiffers = false;
            other = null;
        } else {
            Boolean differs = layouts.differ(id, usable.content().catalogue(), rival.catalogue());
            rivalDiffers = differs != null && differs;
            other = ConflictingFile.of(rival.file(), differs);
        }
        transaction.executeWithoutResult(status -> {
            boolean isNew = states.endExtracted(
                    lease, usable.file(), usable.content().identity().title(), extracted.outcomes());
            contents.store(id, usable.file(), prepared, isNew);
            if (replaced != null) {
                conflicts.record(id, replaced);
            }
            keys.record(id, usable.keys(), usable.file().origin());
            if (other != null) {
                conflicts.record(id, other);
            }
            if (rivalDiffers) {
                // Neither file can be told from the other by the build-id.
                shared.add(id, SharedBuildIds.Evidence.LAYOUTS);
            }
        });
    }

    /** Returns the upload that a source's file replaces; null for none, or if they are the same file. */
    private @Nullable ConflictingFile replacedUpload(Build before, AttemptResult.UsableFile usable) {
        StoredFile stored = before.file();
        return stored == null
                        || !stored.origin().isUpload()
                        || stored.sha256().equals(usable.file().sha256())
                ? null
                : ConflictingFile.of(
                        stored, layouts.differ(before.id(), usable.content().catalogue()));
    }

    /** Stores a failure, and the symbols of a file that is unusable otherwise. */
    private void storeWithout(Lease lease, Build before, AttemptResult.Without without) {
        BuildId id = lease.id();
        SymbolsOnly stored = before.symbolsOnly();
        AttemptResult.Symbols found = without.symbols();
        AttemptResult.Symbols better =
                found != null && (stored == null || found.only().replaces(stored)) ? found : null;
        NewBlob symbols = better == null ? null : symbolTables.prepare(better.blob());
        AttemptResult.StrippedProgram program = without.program();
        transaction.executeWithoutResult(status -> {
            states.endFailed(lease, without.failure(), without.retryAfter(), without.outcomes());
            if (better != null && symbols != null) {
                states.storeSymbols(id, better.only());
                symbolTables.store(id, symbols);
            } else if (stored != null
                    // Symbols of an earlier attempt stay while its outcome holds, and during failures, because they
                    // answer again as soon as the sources do.
                    && without.outcomes().stream().noneMatch(outcome -> outcome.means(BuildState.UNUSABLE))) {
                states.deleteSymbols(id);
            }
            if (program != null) {
                contents.storeNames(id, program);
                keys.record(id, program.keys(), program.origin());
            }
        });
    }

    /** Retries after a failure wait longer while an earlier result answers. */
    private Duration untilRenewal(Build before, Duration retryAfter) {
        return before.versions().areBehind(PartVersions.CURRENT) ? renewal.atLeast(retryAfter) : retryAfter;
    }
}
