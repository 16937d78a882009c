package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.extraction.SupplementaryFiles.SupplementaryLookup;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.CachedFile;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.FetchOutcome;
import dev.offsetd.server.sources.FileKind;
import dev.offsetd.server.sources.FileRequest;
import dev.offsetd.server.sources.ForwardedFor;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Queries sources for one build, one at a time, and reads their files. Every query ends with a result. */
final class SourceQueries {

    private static final Logger log = LoggerFactory.getLogger(SourceQueries.class);

    private final List<DebugFileSource> sources;
    private final DebugFileReader reader;
    private final ExtractionProperties.Retry retry;
    private final SupplementaryFiles supplementaryFiles;
    private final Build build;
    private final WorkProgress progress;
    private final DebugFileReader.Turn turn;

    /** @param build as stored */
    SourceQueries(
            List<DebugFileSource> sources,
            DebugFileReader reader,
            ExtractionProperties.Retry retry,
            Build build,
            WorkProgress progress) {
        this.sources = sources;
        this.reader = reader;
        this.retry = retry;
        this.supplementaryFiles = new SupplementaryFiles(sources, reader);
        this.build = build;
        this.progress = progress;
        this.turn = DebugFileReader.Turn.of(progress);
    }

    /**
     * Queries a source for the debug file, unless its last outcome still holds.
     *
     * @param before results of the sources before it, which may have the same file: it is not read twice
     */
    SourceResult debugFile(DebugFileSource source, List<SourceResult> before, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        SourceOutcome last = last(source);
        if (last != null && last.stillHolds() && isReusable(last)) {
            return SourceResult.reused(source, last);
        }
        progress.querying();
        FetchOutcome answer = fetchDebugFile(source);
        if (!(answer instanceof FetchOutcome.Fetched(CachedFile file))) {
            return SourceResult.of(source, withoutFile(source, answer, last), null, null);
        }
        SourceResult result = readDebugFile(source, file, before, early);
        discardUnusable(source, result, Set.of(FileKind.DEBUGINFO, FileKind.SECTIONS));
        return result;
    }

    /** Removes an unusable or damaged file from the disk cache, where the next source and a retry would find it. */
    private void discardUnusable(DebugFileSource source, SourceResult result, Set<FileKind> kinds) {
        // A file that only lacks its supplementary file is usable as soon as that is found.
        if (result.outcome().means(BuildState.UNUSABLE) && result.outcome().misses() == 0) {
            source.discard(build.id(), kinds);
        }
    }

    private SourceResult readDebugFile(
            DebugFileSource source, CachedFile file, List<SourceResult> before, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        progress.reading();
        try (file) {
            Optional<byte[]> renewed = renewedSymbols(source, file);
            if (renewed.isPresent()) {
                SourceOutcome fetched = outcome(source, null, Duration.ZERO);
                return SourceResult.of(source, fetched, null, new SourceResult.RenewedSymbols(renewed.get()));
            }
            for (SourceResult other : before) {
                if (file.sha256().equals(other.sha256())) {
                    SourceOutcome same = other.outcome();
                    SourceOutcome copied = outcome(source, same.failure(), same.misses(), same.retryAfter());
                    return SourceResult.of(source, copied, null, null);
                }
            }
            SourceResult read = read(source, file, last(source), answersEarly(source) ? early : EarlyConsumer.none());
            return read.content() == null && read.outcome().means(BuildState.UNUSABLE)
                    ? read.with(read.outcome(), symbols(source, file))
                    : read;
        }
    }

    private @Nullable SourceOutcome last(DebugFileSource source) {
        return build.checked().stream()
                .filter(outcome -> outcome.source().equals(source.name()))
                .findFirst()
                .orElse(null);
    }

    /** Returns whether an earlier outcome can be reused. A newer extractor may read a file that was unusable. */
    private boolean isReusable(SourceOutcome last) {
        Failure failure = last.failure();
        return failure != null
                && !last.skipped()
                && (failure.cause() == Cause.UPSTREAM_REFUSED
                        || last.means(BuildState.NOT_FOUND)
                        || (last.means(BuildState.UNUSABLE) && !build.versions().areBehind(PartVersions.CURRENT)));
    }

    /**
     * Returns whether the file of a source answers for the build whatever else is found: a rival of a local file may have other
     * layouts.
     */
    private boolean answersEarly(DebugFileSource source) {
        return build.file() == null && !build.shared() && source.origin().isRemote();
    }

    /**
     * Reads the executable of a program that describes its types. A failure replaces the outcome of the source.
     *
     * @param before result of the source, which has no debug information
     */
    SourceResult executable(SourceResult before, long maxBytes) throws InterruptedException {
        DebugFileSource source = before.source();
        FetchOutcome answer = fetchExecutable(source, maxBytes);
        return switch (answer) {
            case FetchOutcome.Fetched(CachedFile file) -> {
                SourceResult read;
                try (file) {
                    if (!file.elf().describesTypes()) {
                        yield reader.names(build.id(), file, turn)
                                .map(before::withProgram)
                                .orElse(before);
                    }
                    progress.reading();
                    read = read(source, file, before.outcome(), EarlyConsumer.none());
                }
                discardUnusable(source, read, Set.of(FileKind.EXECUTABLE));
                yield before.with(read.outcome(), read.content());
            }
            case FetchOutcome.NotFound _ -> before;
            case FetchOutcome.Failed(Cause cause, String _) when cause == Cause.TOO_LARGE -> before;
            default -> before.with(withoutFile(source, answer, before.outcome()), null);
        };
    }

    /**
     * Returns another file of the build in the local folders behind the one that has this file; null for none. Upstreams are not
     * compared, because that would fetch every file twice.
     */
    AttemptResult.@Nullable Rival rival(SourceResult chosen) throws InterruptedException {
        if (chosen.source().origin().isRemote()) {
            return null;
        }
        for (DebugFileSource source : sources.subList(sources.indexOf(chosen.source()) + 1, sources.size())) {
            if (!source.origin().isRemote()
                    && fetchDebugFile(source) instanceof FetchOutcome.Fetched(CachedFile file)) {
                try (file) {
                    if (!file.sha256().equals(chosen.sha256())) {
                        DebugFileReader.ExtractedContent content =
                                reader.read(file.path(), null, EarlyConsumer.none(), turn);
                        // Types that a damaged file lacks are not evidence about the program.
                        if (!content.isDamaged()) {
                            return new AttemptResult.Rival(
                                    stored(file, null, content.architecture(), content.readAt()), content.catalogue());
                        }
                    }
                } catch (IOException | ExtractionException e) {
                    log.info("build {}: {} cannot be compared: {}", build.id(), file.path(), e.getMessage());
                } catch (RuntimeException e) {
                    log.error("build {}: the extractor failed on {}", build.id(), file.path(), e);
                }
            }
        }
        return null;
    }

    private FetchOutcome fetchDebugFile(DebugFileSource source) throws InterruptedException {
        return DebugFileSource.contained(source, build.id(), () -> source.fetch(build.id(), progress::received));
    }

    private FetchOutcome fetchExecutable(DebugFileSource source, long maxBytes) throws InterruptedException {
        FileRequest request = FileRequest.of(build.id(), FileKind.EXECUTABLE, maxBytes, ForwardedFor.NONE);
        return DebugFileSource.contained(source, build.id(), () -> source.fetch(request));
    }

    /** Reads the symbols of the stored file, if they alone are behind and no better file may be found. */
    private Optional<byte[]> renewedSymbols(DebugFileSource source, CachedFile file) throws InterruptedException {
        StoredFile stored = build.file();
        if (stored == null
                || !stored.versions().areBehindInSymbolsOnly(PartVersions.CURRENT)
                || build.mayBeReplaced()
                || !stored.sha256().equals(file.sha256())) {
            return Optional.empty();
        }
        return readSymbols(source, file)
                // A reading of the whole file notes what it leaves out.
                .filter(content -> content.omissions().isEmpty())
                .map(DebugFileReader.SymbolContent::symbols);
    }

    /** Returns the symbols of a file that is unusable otherwise; null for none. */
    private AttemptResult.@Nullable Symbols symbols(DebugFileSource source, CachedFile file)
            throws InterruptedException {
        return readSymbols(source, file)
                .filter(content -> content.count() > 0)
                .map(content -> new AttemptResult.Symbols(
                        new SymbolsOnly(stored(file, null, content.architecture(), Instant.now()), content.count()),
                        content.symbols()))
                .orElse(null);
    }

    /** Reads the symbols of a file alone. */
    private Optional<DebugFileReader.SymbolContent> readSymbols(DebugFileSource source, CachedFile file)
            throws InterruptedException {
        try {
            return reader.readSymbols(file.path(), turn);
        } catch (IOException | RuntimeException e) {
            log.error("build {}: the symbols in the file of {} cannot be read", build.id(), source.name(), e);
            return Optional.empty();
        }
    }

    private SourceResult read(
            DebugFileSource source, CachedFile file, @Nullable SourceOutcome last, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        SourceOutcome failed;
        try {
            switch (supplementaryFiles.of(file.path(), source, turn)) {
                case SupplementaryLookup.NotNeeded _ -> {
                    return readContent(source, file, null, early);
                }
                case SupplementaryLookup.Found(CachedFile supplementary) -> {
                    progress.reading();
                    try (supplementary) {
                        return readContent(source, file, supplementary, early);
                    }
                }
                case SupplementaryLookup.Missing missing -> {
                    try {
                        // It may be next to the debug file, where the extractor finds it.
                        return readContent(source, file, null, early);
                    } catch (UnsupportedInputException e) {
                        failed = supplementaryMissing(source, failure(file, e), missing, last);
                    }
                }
                case SupplementaryLookup.Failed failure -> failed = supplementaryFailed(source, failure);
            }
        } catch (ExtractionException e) {
            failed = outcome(source, failure(file, e), retry.unusable());
        } catch (IOException e) {
            log.warn("build {}: {} cannot be read", build.id(), file.path(), e);
            failed = outcome(
                    source,
                    new Failure(Cause.DISK_FAILED, "the debug file was fetched but cannot be read"),
                    retry.failed());
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the file of {}", build.id(), source.name(), e);
            failed = outcome(source, new Failure(Cause.INTERNAL, "the extractor failed on this file"), retry.failed());
        }
        return SourceResult.of(source, failed, file.sha256(), null);
    }

    private SourceResult readContent(
            DebugFileSource source,
            CachedFile file,
            @Nullable CachedFile supplementary,
            EarlyConsumer<EarlyBuild> early)
            throws IOException, ExtractionException, InterruptedException {
        DebugFileReader.ExtractedContent content = reader.read(
                file.path(),
                supplementary == null ? null : supplementary.path(),
                early.converting(read ->
                        new EarlyBuild(build, stored(file, supplementary, read.architecture(), read.readAt()), read)),
                turn);
        AttemptResult.UsableFile usable = new AttemptResult.UsableFile(
                stored(file, supplementary, content.architecture(), content.readAt()),
                content.with(file.names()),
                goKeys(content));
        SourceOutcome outcome = content.isDamaged()
                ? outcome(source, damage(content), retry.unusable())
                : outcome(source, null, Duration.ZERO);
        return SourceResult.of(source, outcome, file.sha256(), usable);
    }

    /** Returns the keys that any file of the build has. The others are those of an executable or a whole file. */
    private static FileKeys goKeys(DebugFileReader.ExtractedContent content) {
        return new FileKeys(content.goBuildId() == null ? List.of() : List.of(content.goBuildId()));
    }

    static Failure damage(DebugFileReader.ExtractedContent content) {
        return new Failure(Cause.MALFORMED, "its file answers in part: " + Omission.summary(content.omissions()));
    }

    private static StoredFile stored(
            CachedFile file, @Nullable CachedFile supplementary, Architecture architecture, Instant readAt) {
        return new StoredFile(
                architecture,
                file.origin(),
                file.source(),
                file.sha256(),
                file.bytes(),
                file.verified(),
                PartVersions.CURRENT,
                readAt,
                file.wireBytes() + (supplementary == null ? 0 : supplementary.wireBytes()),
                supplementary == null
                        ? null
                        : new StoredFile.Supplementary(
                                Objects.requireNonNull(supplementary.elf().buildId()),
                                supplementary.source(),
                                supplementary.sha256(),
                                supplementary.bytes()),
                null,
                file.headers().imaSignature());
    }

    /** Returns the outcome if no source has the supplementary file now. A source may have it later, like the debug file itself. */
    private SourceOutcome supplementaryMissing(
            DebugFileSource source,
            Failure failure,
            SupplementaryLookup.Missing missing,
            @Nullable SourceOutcome last) {
        int misses = last != null && last.means(BuildState.UNUSABLE) ? last.misses() + 1 : 1;
        return outcome(source, failure, misses, SupplementaryFiles.retryAfter(missing, misses, retry));
    }

    /** Returns the outcome if the supplementary file cannot be fetched: a failure, which says nothing about the build. */
    private SourceOutcome supplementaryFailed(DebugFileSource source, SupplementaryLookup.Failed failed) {
        SourceOutcome queried = withoutFile(failed.queried(), failed.outcome(), null);
        Failure failure = Objects.requireNonNull(queried.failure());
        return outcome(
                source,
                failure.prefixed("supplementary file " + failed.link().buildId() + ": "
                        + failed.queried().name() + ": "),
                queried.retryAfter());
    }

    private SourceOutcome withoutFile(DebugFileSource source, FetchOutcome answer, @Nullable SourceOutcome last) {
        return switch (answer) {
            case FetchOutcome.Fetched _ -> throw new IllegalArgumentException(source.name() + " has a file");
            case FetchOutcome.NotFound(FetchOutcome.Finality finality) -> {
                int misses = last == null ? 1 : last.misses() + 1;
                Duration retryAfter = source.origin().isRemote()
                        ? retry.afterNotFound(finality, source.missTimes(), misses)
                        : retry.notFoundLocally();
                yield outcome(source, new Failure(Cause.NOT_FOUND, "does not have it"), misses, retryAfter);
            }
            case FetchOutcome.Skipped(Cause cause, Duration closed, String detail) ->
                new SourceOutcome(
                        source.name(),
                        source.origin(),
                        new Failure(cause, detail),
                        true,
                        // Keep the current backoff step.
                        last == null ? 0 : last.misses(),
                        Instant.now(),
                        retry.afterSkipped(closed));
            case FetchOutcome.Refused(int _, Duration retryAfter, String detail) ->
                outcome(source, new Failure(Cause.UPSTREAM_REFUSED, detail), retry.afterRefusal(retryAfter));
            case FetchOutcome.Failed(Cause cause, String detail) ->
                outcome(
                        source,
                        new Failure(cause, detail),
                        cause == Cause.TOO_LARGE ? retry.afterTooLarge(source.origin()) : retry.failed());
        };
    }

    private static Failure failure(CachedFile file, ExtractionException e) {
        // Without its section headers, a file does not show whether it has types.
        boolean mayHaveTypes = file.elf().hasTypes() || e instanceof MalformedInputException;
        return Failure.of(mayHaveTypes ? Cause.of(e) : Cause.NO_DEBUGINFO, e);
    }

    private static SourceOutcome outcome(DebugFileSource source, @Nullable Failure failure, Duration retryAfter) {
        return outcome(source, failure, 0, retryAfter);
    }

    private static SourceOutcome outcome(
            DebugFileSource source, @Nullable Failure failure, int misses, Duration retryAfter) {
        return new SourceOutcome(source.name(), source.origin(), failure, false, misses, Instant.now(), retryAfter);
    }
}
