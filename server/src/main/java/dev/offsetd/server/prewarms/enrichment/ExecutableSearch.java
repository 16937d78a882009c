package dev.offsetd.server.prewarms.enrichment;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.query.typeset.TypeSet;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.extraction.KeptUploads;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.ForwardedFor;
import java.io.IOException;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/** Looks for the executable of a build, which states names that its debug file lacks. */
@Component
class ExecutableSearch {

    private static final Logger log = LoggerFactory.getLogger(ExecutableSearch.class);

    private final Identities identities;
    private final List<DebugFileSource> sources;
    private final KeptUploads uploads;
    private final ExecutableNames names;
    private final BuildKeys keys;
    private final IdentityProperties properties;

    ExecutableSearch(
            Identities identities,
            DebugFileSources sources,
            KeptUploads uploads,
            ExecutableNames names,
            BuildKeys keys,
            IdentityProperties properties) {
        this.identities = identities;
        this.sources = sources.inOrder();
        this.uploads = uploads;
        this.names = names;
        this.keys = keys;
        this.properties = properties;
    }

    enum Result {
        FOUND,
        NOT_FOUND,
        FAILED
    }

    /** An executable states names, or why there is none. */
    record Search(Result result, Identity identity, String detail) {}

    /** Reads the executable: the upload that answers, if it is kept, else the first one that a source has. */
    Search search(Build build, List<TypeSet> sets) throws InterruptedException {
        BuildId id = build.id();
        // Sources know builds by their GNU build-id only.
        if (properties.maxExecutable().toBytes() == 0 || !id.isGnu()) {
            return new Search(Result.FOUND, Identity.UNKNOWN, "");
        }
        Optional<Identity> uploaded = namesInUpload(build, sets);
        if (uploaded.isPresent()) {
            return new Search(Result.FOUND, uploaded.get(), "");
        }
        Search last = new Search(Result.NOT_FOUND, Identity.UNKNOWN, "no source has the executable");
        for (DebugFileSource source : sources) {
            FetchOutcome outcome = readFacts(id, source);
            if (outcome instanceof FetchOutcome.Fetched) {
                outcome = source.fetch(request(id, FileKind.EXECUTABLE));
            }
            if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
                try (file) {
                    Identity identity = names.of(file.path(), sets);
                    keys.record(id, names.keysOf(file.path(), file.sha256()), file.origin());
                    return new Search(Result.FOUND, identity, "");
                } catch (IOException | ExtractionException e) {
                    source.discard(id, Set.of(FileKind.EXECUTABLE));
                    last = new Search(Result.FAILED, Identity.UNKNOWN, source.name() + ": " + e.getMessage());
                }
            } else if (!(outcome instanceof FetchOutcome.NotFound)) {
                last = new Search(Result.FAILED, Identity.UNKNOWN, source.name() + ": " + detail(outcome));
            }
        }
        return last;
    }

    private FileRequest request(BuildId id, FileKind kind) {
        return FileRequest.of(id, kind, properties.maxExecutable().toBytes(), ForwardedFor.NONE);
    }

    /**
     * Stores where the code and the thread-local variables of a source's executable are, for which a part of it is read. It takes
     * a moment, unlike the names, and is done for executables of any size.
     *
     * @return the outcome, with a closed file
     */
    private FetchOutcome readFacts(BuildId id, DebugFileSource source) throws InterruptedException {
        FetchOutcome outcome = source.fetch(request(id, FileKind.PROGRAM));
        if (outcome instanceof FetchOutcome.Fetched(CachedFile file)) {
            try (file) {
                identities.storeExecutable(id, names.factsOf(file.path()));
            } catch (IOException | ExtractionException e) {
                log.info("build {}: the executable of {} cannot be read: {}", id, source.name(), e.getMessage());
            }
        }
        return outcome;
    }

    /** Returns the names in the kept upload of a build; empty if none is kept, or it is not a program. */
    private Optional<Identity> namesInUpload(Build build, List<TypeSet> sets) throws InterruptedException {
        long limit = properties.maxExecutable().toBytes();
        if (build.file() == null || build.file().bytes() > limit) {
            return Optional.empty();
        }
        try {
            Optional<CachedFile> kept = uploads.find(build);
            if (kept.isEmpty()) {
                return Optional.empty();
            }
            try (CachedFile file = kept.get()) {
                if (names.areIn(file.path())) {
                    identities.storeExecutable(build.id(), names.factsOf(file.path()));
                    return Optional.of(names.of(file.path(), sets));
                }
                return Optional.empty();
            }
        } catch (DiskException e) {
            log.warn("build {}: the kept upload cannot be written to the disk cache: {}", build.id(), e.detail());
        } catch (IOException | ExtractionException e) {
            log.warn("build {}: the names in the kept upload cannot be read: {}", build.id(), e.getMessage());
        }
        return Optional.empty();
    }

    private static String detail(FetchOutcome outcome) {
        return switch (outcome) {
            case FetchOutcome.Skipped skipped -> skipped.detail();
            case FetchOutcome.Refused refused -> refused.detail();
            case FetchOutcome.Failed failed -> failed.detail();
            case FetchOutcome.Fetched _, FetchOutcome.NotFound _ -> "";
        };
    }
}
