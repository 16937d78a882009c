package dev.offsetd.server.uploads;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ConflictingFile;
import dev.offsetd.server.builds.ConflictingFiles;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.ContentStore;
import dev.offsetd.server.builds.extraction.DebugFileReader;
import dev.offsetd.server.builds.extraction.StoredLayouts;
import dev.offsetd.server.builds.lease.LeaseHolder;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.builds.lease.LeaseHolder.UnleasedWork;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.storage.NewBlob;
import dev.offsetd.server.storage.SymbolTables;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Stores the content of uploads under the lease of their build, if they take precedence over the file that answers. */
@Component
class UploadStore {

    private static final Duration BUSY_RETRY_AFTER = Duration.ofSeconds(10);

    private final LeaseHolder leases;
    private final BuildStates states;
    private final ContentStore contents;
    private final StoredLayouts layouts;
    private final SymbolTables symbolTables;
    private final ConflictingFiles conflicts;
    private final BuildKeys keys;
    private final AuditLog audit;
    private final TransactionTemplate transaction;
    private final UploadProperties properties;

    UploadStore(
            LeaseHolder leases,
            BuildStates states,
            ContentStore contents,
            StoredLayouts layouts,
            SymbolTables symbolTables,
            ConflictingFiles conflicts,
            BuildKeys keys,
            AuditLog audit,
            PlatformTransactionManager transactions,
            UploadProperties properties) {
        this.leases = leases;
        this.states = states;
        this.contents = contents;
        this.layouts = layouts;
        this.symbolTables = symbolTables;
        this.conflicts = conflicts;
        this.keys = keys;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
        this.properties = properties;
    }

    /**
     * An uploaded file, as it is stored.
     *
     * @param keys of its build that it shows; none if its uploader says which build it is of
     */
    record UploadedFile(StoredFile stored, FileKeys keys) {}

    /**
     * Returns whether an earlier extractor read the file. Only its uploader can send it again.
     *
     * @param stored the file that answers
     */
    static boolean isRenewable(StoredFile stored, Caller caller) {
        Upload upload = stored.upload();
        return upload != null
                && stored.versions().areBehind(PartVersions.CURRENT)
                && upload.sameUploaderAs(caller.token(), caller.name());
    }

    /** Returns whether a file answers already, and need not be replaced by what these versions of the extractor read. */
    static boolean isStored(@Nullable StoredFile stored, String sha256, PartVersions readBy, Caller caller) {
        return stored != null
                && stored.sha256().equals(sha256)
                && !(isRenewable(stored, caller) && stored.versions().areBehind(readBy));
    }

    /**
     * Claims the lease of a build, which is inserted if it is unknown.
     *
     * @throws BusyException if another worker holds it for too long, or this server shuts down
     */
    Claimed<Build> claim(BuildId id, Builds builds) throws InterruptedException {
        builds.insertIfAbsent(id);
        long end = System.nanoTime() + properties.waitTimeout().toNanos();
        while (true) {
            Optional<Claimed<Build>> claimed =
                    leases.claim(id, () -> Optional.of(builds.find(id).orElseThrow()));
            if (claimed.isPresent()) {
                return claimed.get();
            }
            if (leases.isClosed()) {
                throw new BusyException(BUSY_RETRY_AFTER);
            }
            try {
                leases.whenIdle(id).get(end - System.nanoTime(), TimeUnit.NANOSECONDS);
            } catch (TimeoutException e) {
                throw new BusyException(BUSY_RETRY_AFTER);
            } catch (ExecutionException e) {
                if (e.getCause() instanceof RuntimeException known) {
                    throw known;
                }
                throw new IllegalStateException("cannot wait for the work on build " + id, e.getCause());
            }
        }
    }

    /** Begins work that stores only what belongs to the file that answers. */
    UnleasedWork startWithoutLease(BuildId id) {
        return leases.startWithoutLease(id);
    }

    /** Stores symbols of a file that is unusable otherwise, unless better ones are stored; returns whether the lease ended. */
    boolean storeSymbols(
            Claimed<Build> claimed,
            UploadedFile file,
            DebugFileReader.SymbolContent content,
            Failure failure,
            Actor actor) {
        Build before = claimed.before();
        StoredFile stored = file.stored();
        SymbolsOnly symbols = new SymbolsOnly(stored, content.count());
        SymbolsOnly known = before.symbolsOnly();
        if (before.file() != null || (known != null && !symbols.replaces(known))) {
            return false;
        }
        SourceOutcome outcome =
                new SourceOutcome(Upload.SOURCE, Origin.UPLOAD, failure, false, 0, Instant.now(), Duration.ZERO);
        NewBlob blob = symbolTables.prepare(content.symbols());
        Map<String, Object> old = known == null ? null : described(known.file());
        transaction.executeWithoutResult(status -> {
            states.endWithSymbols(claimed.lease(), symbols, outcome);
            symbolTables.store(before.id(), blob);
            keys.record(before.id(), file.keys(), Origin.UPLOAD);
            audit.record(actor, "build.symbols", before.id().toString(), old, described(stored));
        });
        return true;
    }

    /** Stores the file or records the conflict. The lease ends unless the file is refused. */
    UploadOutcome store(
            Claimed<Build> claimed, UploadedFile upload, DebugFileReader.ExtractedContent content, Actor actor) {
        Build before = claimed.before();
        BuildId id = before.id();
        StoredFile stored = before.file();
        if (stored == null) {
            replace(claimed, upload, content, null, actor);
            return new UploadOutcome.Taken();
        }
        StoredFile file = upload.stored();
        if (stored.sha256().equals(file.sha256())) {
            replace(claimed, upload, content, null, actor);
            return new UploadOutcome.Replaced();
        }
        Boolean layoutsDiffer = layouts.differ(id, content.catalogue());
        Optional<Precedence.Refusal> refusal = refusal(id, before.generation(), stored, file, content);
        if (refusal.isPresent()) {
            transaction.executeWithoutResult(status -> {
                conflicts.record(id, ConflictingFile.of(file, layoutsDiffer));
                audit.record(actor, "build.conflict", id.toString(), described(stored), described(file));
            });
            return new UploadOutcome.Refused(
                    refusal.get().word(), refusal.get().detail(), stored.sha256(), layoutsDiffer);
        }
        replace(claimed, upload, content, ConflictingFile.of(stored, layoutsDiffer), actor);
        return new UploadOutcome.Replaced();
    }

    /** Returns why the stored file stays. A sound file outranks a damaged one; in other cases, {@link Precedence} decides. */
    private Optional<Precedence.Refusal> refusal(
            BuildId id, long generation, StoredFile stored, StoredFile file, DebugFileReader.ExtractedContent content) {
        boolean sameArchitecture = file.architecture().equals(stored.architecture());
        boolean damaged = content.isDamaged();
        if (sameArchitecture && damaged != layouts.areDamaged(id, generation)) {
            return damaged ? Optional.of(Precedence.Refusal.DAMAGED) : Optional.empty();
        }
        return Precedence.refusal(stored, file)
                .filter(reason -> reason == Precedence.Refusal.OTHER_ARCHITECTURE
                        || reason == Precedence.Refusal.ONLY_CLAIMED
                        || !layouts.completes(id, content.catalogue()));
    }

    private void replace(
            Claimed<Build> claimed,
            UploadedFile upload,
            DebugFileReader.ExtractedContent content,
            @Nullable ConflictingFile conflict,
            Actor actor) {
        StoredFile file = upload.stored();
        Build before = claimed.before();
        ContentStore.Prepared prepared = contents.prepare(before.id(), content);
        Map<String, Object> old = before.file() == null ? null : described(before.file());
        transaction.executeWithoutResult(status -> {
            boolean isNew = states.endExtracted(
                    claimed.lease(), file, content.identity().title(), List.of());
            contents.store(before.id(), file, prepared, isNew);
            keys.record(before.id(), upload.keys(), Origin.UPLOAD);
            if (conflict != null) {
                conflicts.record(before.id(), conflict);
            }
            audit.record(actor, "build.upload", before.id().toString(), old, described(file));
        });
    }

    /** Describes a file for the audit log. */
    private static Map<String, Object> described(StoredFile file) {
        Map<String, Object> described = new TreeMap<>(Map.of(
                "origin", file.origin().word(),
                "source", file.upstream(),
                "sha256", file.sha256(),
                "bytes", file.bytes()));
        Upload upload = file.upload();
        if (upload != null) {
            described.put("label", upload.label());
            if (upload.token() != null) {
                described.put("token", upload.token());
            }
        }
        return described;
    }
}
