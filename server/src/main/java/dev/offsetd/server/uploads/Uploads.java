package dev.offsetd.server.uploads;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Caller;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.Upload;
import dev.offsetd.server.builds.extraction.BusyException;
import dev.offsetd.server.builds.extraction.DebugFileReader;
import dev.offsetd.server.builds.extraction.EarlyConsumer;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.extraction.FrameReads;
import dev.offsetd.server.builds.extraction.KeptUploads;
import dev.offsetd.server.builds.lease.LeaseHolder.Claimed;
import dev.offsetd.server.builds.lease.LeaseHolder.UnleasedWork;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.uploads.UploadStore.UploadedFile;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.dao.DataAccessException;
import org.springframework.stereotype.Component;

/**
 * Reads an uploaded file and stores its types and symbols under the lease of the build, like any other extraction: nothing else
 * changes the build between decision and write, and clients that wait for the build are answered from the upload.
 */
@Component
class Uploads {

    private static final Logger log = LoggerFactory.getLogger(Uploads.class);

    /** Longest pause that a client is asked to wait for: that after a first end of a server is shorter. */
    private static final Duration SHORT_PAUSE = Duration.ofMinutes(15);

    private final Builds builds;
    private final UploadStore store;
    private final Extractions extractions;
    private final DebugFileReader reader;
    private final KeptUploads kept;
    private final BuildKeys keys;
    private final FrameReads frames;
    private final SymbolizeProperties symbolize;
    private final UploadProperties properties;

    Uploads(
            Builds builds,
            UploadStore store,
            Extractions extractions,
            DebugFileReader reader,
            KeptUploads kept,
            BuildKeys keys,
            FrameReads frames,
            SymbolizeProperties symbolize,
            UploadProperties properties) {
        this.builds = builds;
        this.store = store;
        this.extractions = extractions;
        this.reader = reader;
        this.kept = kept;
        this.keys = keys;
        this.frames = frames;
        this.symbolize = symbolize;
        this.properties = properties;
    }

    /**
     * Stores a file, if it takes precedence over the file that answers for the build.
     *
     * @param named what the file's name says of the build
     * @throws ExtractionException if the file is not this build's, is unusable, or may be the one whose reading ended servers
     * @throws IOException if the server's own disk fails
     * @throws BusyException if the server is overloaded, another worker holds the lease for too long, or a server ended
     */
    UploadOutcome store(IdentifiedFile upload, Identity named, Actor actor)
            throws IOException, ExtractionException, InterruptedException {
        BuildId id = upload.build();
        ReceivedFile file = upload.file();
        // Checked before the lease is claimed, so that a known file delays no other work on the build.
        StoredFile known = builds.find(id).map(Build::file).orElse(null);
        if (isStored(known, file, actor.caller())) {
            recordKeys(upload);
            takeFramesAndKeep(upload);
            return new UploadOutcome.SameFile();
        }
        boolean stripped = upload.isStripped();
        Optional<DebugFileReader.SymbolContent> symbols =
                stripped && known == null ? symbolsWithoutLease(upload) : Optional.empty();
        if (stripped && symbols.isEmpty()) {
            return new UploadOutcome.Stripped(false);
        }
        UploadOutcome outcome;
        boolean stored;
        try (Claimed<Build> claimed = store.claim(id, builds)) {
            if (isStored(claimed.before().file(), file, actor.caller())) {
                recordKeys(upload);
                return new UploadOutcome.SameFile();
            }
            requireNotPaused(claimed.before());
            if (stripped) {
                stored = storeSymbols(claimed, upload, symbols.get(), UploadProblems.strippedFile(), actor);
                outcome = new UploadOutcome.Stripped(stored);
            } else {
                outcome = readAndStore(claimed, upload, named, actor);
                stored = !(outcome instanceof UploadOutcome.Refused);
            }
        }
        if (stored) {
            if (outcome instanceof UploadOutcome.Taken || outcome instanceof UploadOutcome.Replaced) {
                log.info("build {}: stored {} bytes, uploaded by {}", id, file.bytes(), actor.name());
                takeFramesAndKeep(upload);
            } else {
                log.info("build {}: stored the symbols of {} bytes, uploaded by {}", id, file.bytes(), actor.name());
            }
            // The sources are queried now, unless they were before: their files outrank the upload.
            extractions.request(id);
        }
        if (stripped && symbolize.uploads(false)) {
            takeFrames(upload);
        }
        return outcome;
    }

    /**
     * Refuses a file while the build is paused: it may be the one whose reading ended a server.
     *
     * @throws BusyException if the next one is read soon
     * @throws LimitExceededException if servers ended repeatedly
     */
    private static void requireNotPaused(Build build) throws LimitExceededException {
        if (!build.paused()) {
            return;
        }
        Duration left = build.retryAfter();
        if (left.compareTo(SHORT_PAUSE) <= 0) {
            throw new BusyException(left);
        }
        throw new LimitExceededException(
                "file",
                ExtractionException.NO_OFFSET,
                Deadline.MAX_DURATION,
                Limits.DEFAULT.maxDuration().toMillis(),
                "servers ended while they read files of this build; the next one is read in " + left.toSeconds()
                        + " s");
    }

    /** Begins to read a file without the lease, unless the build is paused; fails as {@link #requireNotPaused}. */
    UnleasedWork startWithoutLease(BuildId id) throws LimitExceededException {
        Build build = builds.find(id).orElse(null);
        if (build != null) {
            requireNotPaused(build);
        }
        return store.startWithoutLease(id);
    }

    private UploadOutcome readAndStore(Claimed<Build> claimed, IdentifiedFile upload, Identity named, Actor actor)
            throws IOException, ExtractionException, InterruptedException {
        ReceivedFile file = upload.file();
        DebugFileReader.Turn turn = turn(claimed);
        DebugFileReader.ExtractedContent content;
        try {
            content = reader.read(file.path(), upload.supplementary(), EarlyConsumer.none(), turn)
                    .with(named);
        } catch (ExtractionException e) {
            Optional<DebugFileReader.SymbolContent> symbols =
                    claimed.before().file() == null ? symbols(file, turn) : Optional.empty();
            if (symbols.isPresent()
                    && storeSymbols(claimed, upload, symbols.get(), UploadProblems.unreadableFile(e), actor)) {
                return new UploadOutcome.Unreadable(e);
            }
            throw e;
        }
        return store.store(claimed, stored(upload, content, actor.caller()), content, actor);
    }

    /** Reads the symbols of a file that has nothing else, before anything waits for the lease: it may have none. */
    private Optional<DebugFileReader.SymbolContent> symbolsWithoutLease(IdentifiedFile upload)
            throws IOException, ExtractionException, InterruptedException {
        try (UnleasedWork work = startWithoutLease(upload.build())) {
            return symbols(upload.file(), DebugFileReader.Turn.within(properties.waitTimeout(), work.progress()));
        }
    }

    /** Reads the symbols of a file that is unusable otherwise; empty if it has none. */
    private Optional<DebugFileReader.SymbolContent> symbols(ReceivedFile file, DebugFileReader.Turn turn)
            throws IOException, InterruptedException {
        return reader.readSymbols(file.path(), turn).filter(symbols -> symbols.count() > 0);
    }

    /** Stores the symbols of a file, unless another file answers for the build. */
    private boolean storeSymbols(
            Claimed<Build> claimed,
            IdentifiedFile upload,
            DebugFileReader.SymbolContent symbols,
            Failure failure,
            Actor actor) {
        return store.storeSymbols(claimed, stored(upload, symbols, actor.caller()), symbols, failure, actor);
    }

    /** Returns a turn whose work is to blame if the server has to end itself meanwhile. */
    private DebugFileReader.Turn turn(Claimed<Build> claimed) {
        WorkProgress progress = claimed.holder().startProgress(claimed.lease());
        progress.reading();
        return DebugFileReader.Turn.within(properties.waitTimeout(), progress);
    }

    /**
     * Stores the functions and lines of the file, if uploads are to have them, or if a client asked for them while no source had
     * the file, and keeps the file, if uploads are kept.
     */
    private void takeFramesAndKeep(IdentifiedFile upload) throws InterruptedException {
        BuildId id = upload.build();
        if (symbolize.uploads(properties.keep()) || (properties.keep() && frames.needFile(id))) {
            takeFrames(upload);
        }
        if (properties.keep() && id.isGnu() && !upload.isClaim()) {
            keep(upload);
        }
    }

    /** Keeps the file for debuggers, which take no BTF without ELF. */
    private void keep(IdentifiedFile upload) {
        BuildId id = upload.build();
        try {
            kept.keep(id, upload.file());
        } catch (IOException | DataAccessException e) {
            // Its content is stored and answers. The same upload, sent again, keeps it.
            log.warn("build {}: the uploaded file cannot be kept", id, e);
        }
    }

    private void takeFrames(IdentifiedFile upload) throws InterruptedException {
        BuildId id = upload.build();
        ReceivedFile file = upload.file();
        if (builds.find(id)
                .filter(build -> !build.paused() && build.isFrom(file.sha256()))
                .isEmpty()) {
            return;
        }
        try (UnleasedWork work = store.startWithoutLease(id)) {
            frames.takeUpload(
                    id,
                    file.path(),
                    upload.supplementary(),
                    file.sha256(),
                    DebugFileReader.Turn.within(properties.waitTimeout(), work.progress()));
        }
    }

    private static boolean isStored(@Nullable StoredFile stored, ReceivedFile file, Caller caller) {
        return UploadStore.isStored(stored, file.sha256(), PartVersions.CURRENT, caller);
    }

    /** Stores the keys of a file that answers already: a source that has the same file has shown only some of them. */
    private void recordKeys(IdentifiedFile upload) {
        keys.record(upload.build(), keysOf(upload), Origin.UPLOAD);
    }

    private static FileKeys keysOf(IdentifiedFile upload) {
        return upload.isClaim() ? new FileKeys(List.of()) : upload.keys();
    }

    private static UploadedFile stored(IdentifiedFile upload, DebugFileReader.ExtractedContent content, Caller caller) {
        return stored(
                upload,
                content.architecture(),
                new Upload(
                        caller.token(),
                        caller.name(),
                        content.dwarf(),
                        content.debugInfoBytes(),
                        upload.elf().hasLines()));
    }

    private static UploadedFile stored(IdentifiedFile upload, DebugFileReader.SymbolContent content, Caller caller) {
        return stored(upload, content.architecture(), new Upload(caller.token(), caller.name(), false, 0));
    }

    private static UploadedFile stored(IdentifiedFile identified, Architecture architecture, Upload upload) {
        ReceivedFile file = identified.file();
        StoredFile stored = new StoredFile(
                architecture,
                Origin.UPLOAD,
                Upload.SOURCE,
                file.sha256(),
                file.bytes(),
                identified.isClaim()
                        ? StoredFile.CLAIMED
                        : identified.build().isGnu() ? "build-id note" : "key of the file",
                PartVersions.CURRENT,
                Instant.now(),
                0,
                null,
                upload,
                null);
        return new UploadedFile(stored, keysOf(identified));
    }
}
