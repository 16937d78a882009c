package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.extraction.SupplementaryFiles.SupplementaryLookup;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.DebugFileSources;
import dev.offsetd.server.sources.DiskException;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.FileLookup;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Comparator;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.stereotype.Component;

/**
 * Finds the debug file of a stored build again, with its line tables, and reads functions and lines from it: the upload that is
 * kept, the file of a source, or else the executable, whose functions are in its symbols or the tables of Go.
 */
@Component
class FrameFiles {

    private static final Logger log = LoggerFactory.getLogger(FrameFiles.class);

    private final List<DebugFileSource> sources;
    private final FileLookup lookup;
    private final KeptUploads kept;
    private final DebugFileReader reader;
    private final SupplementaryFiles supplementaryFiles;
    private final ExtractionProperties.Retry retry;
    private final long maxExecutableBytes;

    FrameFiles(
            DebugFileSources sources,
            FileLookup lookup,
            KeptUploads kept,
            DebugFileReader reader,
            ExtractionProperties properties) {
        this.sources = sources.inOrder();
        this.lookup = lookup;
        this.kept = kept;
        this.reader = reader;
        this.supplementaryFiles = new SupplementaryFiles(this.sources, reader);
        this.retry = properties.retry();
        this.maxExecutableBytes = properties.maxExecutable().toBytes();
    }

    /** Functions and lines, or why there are none. */
    sealed interface FramesResult {

        // Never compared, and copied nowhere.
        @SuppressWarnings("ArrayRecordComponent")
        record Read(byte[] blob) implements FramesResult {}

        record Without(Failure failure, Duration retryAfter) implements FramesResult {}
    }

    /**
     * Finds the file of a build and reads it. An unexpected exception is a failure of this build.
     *
     * @param early takes what callers wait for, before all else
     */
    FramesResult read(Build build, EarlyFrames early, WorkProgress progress) throws InterruptedException {
        try {
            Optional<CachedFile> upload = kept.find(build);
            if (upload.isPresent()) {
                progress.reading();
                try (CachedFile file = upload.get()) {
                    return read(file, early, progress);
                }
            }
            return ofSources(build, early, progress);
        } catch (DiskException e) {
            return failed(new Failure(Cause.DISK_FAILED, e.detail()));
        } catch (RuntimeException e) {
            log.error("build {}: functions and lines cannot be read", build.id(), e);
            return failed(new Failure(Cause.INTERNAL, "the extractor failed on this file"));
        }
    }

    private FramesResult ofSources(Build build, EarlyFrames early, WorkProgress progress) throws InterruptedException {
        FramesResult last = null;
        FetchOutcome.Finality finality = FetchOutcome.Finality.FINAL;
        if (!build.id().isGnu()) {
            return gone(build, finality);
        }
        for (FileKind kind : List.of(FileKind.DEBUGINFO, FileKind.EXECUTABLE)) {
            long maxBytes = kind == FileKind.EXECUTABLE ? maxExecutableBytes : Long.MAX_VALUE;
            if (maxBytes == 0) {
                break;
            }
            progress.querying();
            switch (lookup.find(FileRequest.unhashed(build.id(), kind, maxBytes))) {
                case FileLookup.Result.Found(CachedFile file) -> {
                    progress.reading();
                    try (file) {
                        last = read(file, early, progress);
                    }
                    // The executable may have functions that its debug file lacks.
                    if (!(last instanceof FramesResult.Without(Failure failure, Duration _))
                            || failure.cause() != Cause.NO_DEBUGINFO) {
                        return last;
                    }
                }
                // The next kind, or the result of the last one.
                case FileLookup.Result.Missing(FetchOutcome.Finality how) ->
                    finality = how.compareTo(finality) > 0 ? how : finality;
                case FileLookup.Result.Without(Failure failure, Duration retryAfter) -> {
                    return new FramesResult.Without(failure, retryAfter);
                }
            }
        }
        return last == null ? gone(build, finality) : last;
    }

    private FramesResult gone(Build build, FetchOutcome.Finality finality) {
        boolean uploaded =
                build.symbolsFile().filter(file -> file.origin().isUpload()).isPresent();
        return new FramesResult.Without(
                new Failure(
                        Cause.NOT_FOUND,
                        uploaded
                                ? "the uploaded file was not kept, and no source has it; upload it again"
                                : "no source has the debug file any more; make one available that has it, or upload it"),
                afterMiss(finality));
    }

    /** Returns the time until the next look-up, as after a first miss. The short time of a folder does not apply to upstreams. */
    private Duration afterMiss(FetchOutcome.Finality finality) {
        return sources.stream()
                .filter(source -> source.origin().isRemote() && !source.name().equals(DebugFileSources.DISK_CACHE))
                .map(source -> retry.afterNotFound(finality, source.missTimes(), 1))
                .min(Comparator.naturalOrder())
                .orElse(retry.notFoundLocally());
    }

    private FramesResult read(CachedFile file, EarlyFrames early, WorkProgress progress) throws InterruptedException {
        try {
            return switch (supplementaryFiles.of(file.path(), source(file), DebugFileReader.Turn.of(progress))) {
                case SupplementaryLookup.Found(CachedFile supplementary) -> {
                    progress.reading();
                    try (supplementary) {
                        yield read(file.path(), supplementary.path(), early, progress);
                    }
                }
                case SupplementaryLookup.Failed failed ->
                    failed(new Failure(
                            Cause.UPSTREAM_BROKEN,
                            failed.queried().name() + ": supplementary file "
                                    + failed.link().buildId() + ": "
                                    + failed.outcome().word()));
                // Names that it would have are left out.
                case SupplementaryLookup.Missing _, SupplementaryLookup.NotNeeded _ ->
                    read(file.path(), null, early, progress);
            };
        } catch (ExtractionException e) {
            return new FramesResult.Without(Failure.of(Cause.of(e), e), retry.unusable());
        } catch (IOException e) {
            log.warn("{} cannot be read", file.path(), e);
            return failed(new Failure(Cause.DISK_FAILED, "the debug file was fetched but cannot be read"));
        }
    }

    private FramesResult read(Path file, @Nullable Path supplementary, EarlyFrames early, WorkProgress progress)
            throws IOException, ExtractionException, InterruptedException {
        return reader.readFrames(file, supplementary, early, DebugFileReader.Turn.of(progress))
                .<FramesResult>map(FramesResult.Read::new)
                .orElseGet(() -> new FramesResult.Without(
                        new Failure(Cause.NO_DEBUGINFO, "the debug file has no functions and no lines"),
                        retry.unusable()));
    }

    private @Nullable DebugFileSource source(CachedFile file) {
        return sources.stream()
                .filter(source -> source.name().equals(file.source()))
                .findFirst()
                .orElse(null);
    }

    private FramesResult failed(Failure failure) {
        return new FramesResult.Without(failure, retry.failed());
    }
}
