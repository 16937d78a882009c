package dev.offsetd.server.uploads;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DebugFileReader.ExtractedContent;
import dev.offsetd.server.builds.extraction.DebugFileReader.SymbolContent;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.uploads.UploadStore.UploadedFile;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/** Stores what another server has extracted from debug files that this one does not receive, like an upload of the file. */
@Component
public class ExtractedUploads {

    private final Builds builds;
    private final UploadStore store;
    private final Extractions extractions;

    ExtractedUploads(Builds builds, UploadStore store, Extractions extractions) {
        this.builds = builds;
        this.store = store;
        this.extractions = extractions;
    }

    /**
     * Stores the content of a file, if it takes precedence over the file that answers for the build. Storing it again changes
     * nothing, unless a newer extractor read it.
     *
     * @param file the file, as an upload of the caller
     * @throws BusyException if another worker holds the lease for too long
     */
    public UploadOutcome store(BuildId id, StoredFile file, ExtractedContent content, FileKeys other, Actor actor)
            throws InterruptedException {
        // Checked before the lease is claimed, so that a known file delays no other work on the build.
        if (isStored(builds.find(id).map(Build::file).orElse(null), file, actor.caller())) {
            return new UploadOutcome.SameFile();
        }
        return storeUnderLease(id, new UploadedFile(file, other), content, actor);
    }

    /**
     * Stores symbols of a build without types, unless the build has types or better symbols. Storing them again changes nothing.
     *
     * @param file that they come from, as an upload of the caller
     * @throws BusyException if another worker holds the lease for too long
     */
    public UploadOutcome storeSymbols(BuildId id, StoredFile file, SymbolContent content, FileKeys other, Actor actor)
            throws InterruptedException {
        try (Claimed<Build> claimed = store.claim(id, builds)) {
            Build before = claimed.before();
            StoredFile known = before.file();
            if (known == null && before.symbolsOnly() != null) {
                known = before.symbolsOnly().file();
            }
            if (known != null && known.sha256().equals(file.sha256())) {
                return new UploadOutcome.SameFile();
            }
            if (!store.storeSymbols(
                    claimed, new UploadedFile(file, other), content, UploadProblems.strippedFile(), actor)) {
                return new UploadOutcome.Refused(
                        "better_stored",
                        "the server has types or more symbols of the build",
                        known == null ? "" : known.sha256(),
                        null);
            }
        }
        extractions.request(id);
        return new UploadOutcome.Taken();
    }

    private UploadOutcome storeUnderLease(BuildId id, UploadedFile upload, ExtractedContent content, Actor actor)
            throws InterruptedException {
        UploadOutcome outcome;
        try (Claimed<Build> claimed = store.claim(id, builds)) {
            Build before = claimed.before();
            if (isStored(before.file(), upload.stored(), actor.caller())) {
                return new UploadOutcome.SameFile();
            }
            outcome = store.store(claimed, upload, content, actor);
        }
        if (!(outcome instanceof UploadOutcome.Refused)) {
            // The sources are queried now: their files outrank the upload.
            extractions.request(id);
        }
        return outcome;
    }

    private static boolean isStored(@Nullable StoredFile before, StoredFile file, Caller caller) {
        return UploadStore.isStored(before, file.sha256(), file.versions(), caller);
    }
}
