package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.UnstoredBuild;
import dev.offsetd.server.builds.WorkProgress;
import dev.offsetd.server.builds.extraction.SupplementaryFiles.Lookup;
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
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Queries the sources in turn until one provides a usable file. A source that fails or has an unusable file does not prevent
 * the query to the next one; a recent negative answer is reused. Holds no database connection.
 */
final class SourceRound {

    private static final Logger log = LoggerFactory.getLogger(SourceRound.class);

    private final List<DebugFileSource> sources;
    private final DebugFileReader reader;
    private final RetryTimes retryTimes;
    private final SupplementaryFiles supplementaryFiles;
    private final long maxExecutableBytes;

    /** @param maxExecutableBytes largest executable that is fetched; 0 to fetch none */
    SourceRound(List<DebugFileSource> sources, DebugFileReader reader, RetryTimes retryTimes, long maxExecutableBytes) {
        this.maxExecutableBytes = maxExecutableBytes;
        this.sources = List.copyOf(sources);
        this.reader = reader;
        this.retryTimes = retryTimes;
        this.supplementaryFiles = new SupplementaryFiles(this.sources, reader);
    }

    /**
     * Queries the sources for this build.
     *
     * @param build the build as stored
     * @param needsExecutable whether an executable answers if no source has debug information
     * @param early takes types of a file that answers for the build, unless it turns out to be unusable
     */
    RoundResult run(Build build, boolean needsExecutable, WorkProgress progress, EarlyTypes<UnstoredBuild> early)
            throws InterruptedException {
        Map<String, SourceOutcome> lately =
                build.checked().stream().collect(Collectors.toMap(SourceOutcome::source, Function.identity()));
        boolean sameExtractor = !build.versions().areBehind(OffsetExtractor.VERSIONS);
        List<SourceOutcome> outcomes = new ArrayList<>();
        List<RoundResult.Symbols> symbols = new ArrayList<>();
        // Every upstream finds the file of an earlier one in the disk cache; it is not read twice.
        Map<String, SourceOutcome> tried = new HashMap<>();
        List<DebugFileSource> queried = new ArrayList<>();
        // A damaged file answers if no other source has a better one.
        RoundResult.Extracted damaged = null;
        // Sources know builds by their GNU build-id only.
        for (DebugFileSource source : build.id().isGnu() ? sources : List.<DebugFileSource>of()) {
            SourceOutcome last = lately.get(source.name());
            if (last != null && last.stillHolds() && holdsFor(last, sameExtractor)) {
                outcomes.add(last);
                continue;
            }
            progress.querying();
            queried.add(source);
            FetchOutcome answer = ask(source, build.id(), () -> source.fetch(build.id(), progress::received));
            if (answer instanceof FetchOutcome.Fetched(CachedFile file)) {
                progress.reading();
                try (file) {
                    Optional<RoundResult.SymbolsAgain> again = symbolsAgain(build, source, file, outcomes);
                    if (again.isPresent()) {
                        return again.get();
                    }
                    SourceOutcome before = tried.get(file.sha256());
                    if (before != null) {
                        outcomes.add(outcome(source, before.failure(), before.retryAfter()));
                        continue;
                    }
                    Optional<RoundResult.Extracted> extracted = serve(
                            build,
                            source,
                            file,
                            last,
                            outcomes,
                            answersUnstored(build, source) ? early : EarlyTypes.notTaken());
                    if (extracted.isPresent() && !extracted.get().content().isDamaged()) {
                        return extracted.get().with(rival(build.id(), source, file.sha256(), progress));
                    }
                    damaged = damaged == null ? extracted.orElse(null) : damaged;
                    tried.put(file.sha256(), outcomes.getLast());
                    if (outcomes.getLast().means(BuildState.UNUSABLE)) {
                        symbolsOf(build.id(), source, file)
                                .filter(found -> found.only().count() > 0)
                                .ifPresent(symbols::add);
                    }
                }
            } else {
                outcomes.add(without(source, answer, last));
            }
        }
        if (damaged != null) {
            return damaged.with(outcomes);
        }
        List<RoundResult.StrippedProgram> programs = new ArrayList<>();
        if (needsExecutable && maxExecutableBytes > 0) {
            Optional<RoundResult.Extracted> described = fromExecutable(build, queried, progress, outcomes, programs);
            if (described.isPresent()) {
                return described.get();
            }
        }
        outcomes.addAll(uploads(build));
        if (outcomes.isEmpty() && !build.id().isGnu()) {
            return new RoundResult.Without(
                    new Failure(
                            Cause.NOT_FOUND,
                            "no uploaded file has this key, and sources know builds by their GNU build-id only"),
                    retryTimes.afterNotFoundLocally(),
                    outcomes);
        }
        return CombinedFailure.of(outcomes, retryTimes)
                .with(
                        symbols.stream()
                                .max(Comparator.comparingInt(
                                        found -> found.only().count())),
                        programs.stream().findFirst());
    }

    /**
     * Returns whether the file of a source answers for the build whatever else is found: a rival of a local file may have other
     * layouts.
     */
    private static boolean answersUnstored(Build build, DebugFileSource source) {
        return build.file().isEmpty() && !build.shared() && source.origin().isRemote();
    }

    /** Returns the outcomes of earlier uploads, which cannot be queried again. */
    private List<SourceOutcome> uploads(Build build) {
        return build.checked().stream()
                .filter(outcome -> outcome.origin().isUpload())
                .map(upload -> new SourceOutcome(
                        upload.source(),
                        upload.origin(),
                        upload.failure(),
                        upload.skipped(),
                        upload.misses(),
                        upload.askedAt(),
                        retryTimes.afterUnusable()))
                .toList();
    }

    /**
     * Returns another file of the build in the local folders behind this one. Upstreams are not compared, because that would fetch
     * every file twice.
     */
    private Optional<RoundResult.Rival> rival(BuildId id, DebugFileSource chosen, String sha256, WorkProgress progress)
            throws InterruptedException {
        if (chosen.origin().isRemote()) {
            return Optional.empty();
        }
        for (DebugFileSource source : sources.subList(sources.indexOf(chosen) + 1, sources.size())) {
            if (!source.origin().isRemote()
                    && ask(source, id, () -> source.fetch(id, progress::received))
                            instanceof FetchOutcome.Fetched(CachedFile file)) {
                try (file) {
                    if (!file.sha256().equals(sha256)) {
                        DebugFileReader.ExtractedContent content =
                                reader.readInItsTurn(file.path(), null, EarlyTypes.notTaken());
                        if (content.isDamaged()) {
                            // The types that it lacks say nothing of the program.
                            continue;
                        }
                        StoredFile stored = stored(source, file, content.architecture());
                        return Optional.of(new RoundResult.Rival(stored, content.catalogue()));
                    }
                } catch (IOException | ExtractionException e) {
                    log.info("build {}: {} cannot be compared: {}", id, file.path(), e.getMessage());
                }
            }
        }
        return Optional.empty();
    }

    private static StoredFile stored(DebugFileSource source, CachedFile file, Architecture architecture) {
        return new StoredFile(
                architecture,
                source.origin(),
                file.source(),
                file.sha256(),
                file.bytes(),
                file.verified(),
                OffsetExtractor.VERSIONS,
                Instant.now());
    }

    /** A query to a source. */
    @FunctionalInterface
    private interface Query {
        FetchOutcome send() throws InterruptedException;
    }

    /**
     * Reads the executable of a program that describes its types. Sources without debug information that were queried in
     * this round are queried for it; a failure replaces their outcome.
     *
     * @param programs receives what a program that does not describe its types states
     */
    private Optional<RoundResult.Extracted> fromExecutable(
            Build build,
            List<DebugFileSource> queried,
            WorkProgress progress,
            List<SourceOutcome> outcomes,
            List<RoundResult.StrippedProgram> programs)
            throws InterruptedException {
        BuildId id = build.id();
        FileRequest request = FileRequest.of(id, FileKind.EXECUTABLE, maxExecutableBytes, ForwardedFor.NONE);
        for (DebugFileSource source : queried) {
            SourceOutcome before = outcomes.stream()
                    .filter(outcome -> outcome.source().equals(source.name()))
                    .findFirst()
                    .orElseThrow();
            if (!hasNoDebugInformation(before)) {
                continue;
            }
            FetchOutcome answer = ask(source, id, () -> source.fetch(request));
            if (answer instanceof FetchOutcome.Fetched(CachedFile file)) {
                try (file) {
                    if (file.elf().describesTypes()) {
                        progress.reading();
                        outcomes.remove(before);
                        Optional<RoundResult.Extracted> extracted =
                                serve(build, source, file, before, outcomes, EarlyTypes.notTaken());
                        if (extracted.isPresent()) {
                            return extracted;
                        }
                    } else {
                        reader.names(id, file, source.origin()).ifPresent(programs::add);
                    }
                }
            } else if (!(answer instanceof FetchOutcome.NotFound)
                    && !(answer instanceof FetchOutcome.Failed(Cause cause, String _) && cause == Cause.TOO_LARGE)) {
                outcomes.set(outcomes.indexOf(before), without(source, answer, before));
            }
        }
        return Optional.empty();
    }

    private static boolean hasNoDebugInformation(SourceOutcome outcome) {
        return outcome.failure() != null
                && (outcome.failure().cause() == Cause.NOT_FOUND
                        || outcome.failure().cause() == Cause.NO_DEBUGINFO);
    }

    /** Queries one source. An unexpected exception fails this source only. */
    private static FetchOutcome ask(DebugFileSource source, BuildId id, Query query) throws InterruptedException {
        try {
            return query.send();
        } catch (RuntimeException e) {
            log.error("build {}: the query to {} failed unexpectedly", id, source.name(), e);
            return new FetchOutcome.Failed(Cause.INTERNAL, "unexpected error while querying the source");
        }
    }

    /** Reads the symbols of the stored file, if they alone are behind and no better file may be found. */
    private Optional<RoundResult.SymbolsAgain> symbolsAgain(
            Build build, DebugFileSource source, CachedFile file, List<SourceOutcome> outcomes)
            throws InterruptedException {
        StoredFile stored = build.file().orElse(null);
        if (stored == null
                || !stored.versions().areBehindInSymbolsOnly(OffsetExtractor.VERSIONS)
                || build.mayBeReplaced()
                || !stored.sha256().equals(file.sha256())) {
            return Optional.empty();
        }
        return symbolsOf(build.id(), source, file).map(found -> {
            outcomes.add(outcome(source, null, Duration.ZERO));
            return new RoundResult.SymbolsAgain(stored.withCurrentSymbols(), found.blob(), List.copyOf(outcomes));
        });
    }

    /** Reads the symbols of a file alone. */
    private Optional<RoundResult.Symbols> symbolsOf(BuildId id, DebugFileSource source, CachedFile file)
            throws InterruptedException {
        try {
            return reader.readSymbolsInTheirTurn(file.path())
                    .map(content -> new RoundResult.Symbols(
                            new SymbolsOnly(stored(source, file, content.architecture()), content.count()),
                            content.symbols()));
        } catch (IOException | RuntimeException e) {
            log.error("build {}: the symbols in the file of {} cannot be read", id, source.name(), e);
            return Optional.empty();
        }
    }

    /** Returns whether an earlier outcome can be reused. A newer extractor may read a file that was unusable. */
    private static boolean holdsFor(SourceOutcome last, boolean sameExtractor) {
        Failure failure = last.failure();
        return failure != null
                && !last.skipped()
                && (failure.cause() == Cause.UPSTREAM_REFUSED
                        || last.means(BuildState.NOT_FOUND)
                        || (last.means(BuildState.UNUSABLE) && sameExtractor));
    }

    /** Reads the file with its supplementary file. If it is unusable, adds the failure to the outcomes and returns empty. */
    private Optional<RoundResult.Extracted> serve(
            Build build,
            DebugFileSource source,
            CachedFile file,
            @Nullable SourceOutcome last,
            List<SourceOutcome> outcomes,
            EarlyTypes<UnstoredBuild> early)
            throws InterruptedException {
        SourceOutcome failed;
        try {
            switch (supplementaryFiles.of(file.path(), source)) {
                case Lookup.NotNeeded _ -> {
                    return Optional.of(extracted(build, source, file, null, outcomes, early));
                }
                case Lookup.Found(CachedFile supplementary) -> {
                    try (supplementary) {
                        return Optional.of(extracted(build, source, file, supplementary, outcomes, early));
                    }
                }
                case Lookup.Missing missing -> {
                    try {
                        // It may be next to the debug file, where the extractor finds it.
                        return Optional.of(extracted(build, source, file, null, outcomes, early));
                    } catch (UnsupportedInputException e) {
                        failed = withoutSupplementaryFile(source, file, missing, e, last);
                    }
                }
                case Lookup.Failed failure -> failed = withoutSupplementaryFile(source, failure);
            }
        } catch (ExtractionException e) {
            failed = outcome(source, failure(file, e), retryTimes.afterUnusable());
        } catch (IOException e) {
            log.warn("build {}: {} cannot be read", build.id(), file.path(), e);
            failed = outcome(
                    source,
                    new Failure(Cause.DISK_FAILED, "the debug file was fetched but cannot be read"),
                    retryTimes.afterFailure());
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the file of {}", build.id(), source.name(), e);
            failed = outcome(
                    source,
                    new Failure(Cause.INTERNAL, "the extractor failed on this file"),
                    retryTimes.afterFailure());
        }
        outcomes.add(failed);
        return Optional.empty();
    }

    private RoundResult.Extracted extracted(
            Build build,
            DebugFileSource source,
            CachedFile file,
            @Nullable CachedFile supplementary,
            List<SourceOutcome> outcomes,
            EarlyTypes<UnstoredBuild> early)
            throws IOException, ExtractionException, InterruptedException {
        DebugFileReader.ExtractedContent content = reader.readInItsTurn(
                file.path(),
                supplementary == null ? null : supplementary.path(),
                early.after(types -> new UnstoredBuild(
                        build, stored(source, file, supplementary, types.architecture(), types.readAt()), types)));
        outcomes.add(
                content.isDamaged()
                        ? outcome(source, damage(content), retryTimes.afterUnusable())
                        : outcome(source, null, Duration.ZERO));
        return new RoundResult.Extracted(
                stored(source, file, supplementary, content.architecture(), content.readAt()),
                content.with(file.names()),
                List.copyOf(outcomes),
                reader.goKeys(file.path(), file.sha256()),
                Optional.empty());
    }

    static Failure damage(DebugFileReader.ExtractedContent content) {
        return new Failure(Cause.MALFORMED, "its file answers in part: " + Omission.summary(content.omissions()));
    }

    private static StoredFile stored(
            DebugFileSource source,
            CachedFile file,
            @Nullable CachedFile supplementary,
            Architecture architecture,
            Instant readAt) {
        return new StoredFile(
                architecture,
                source.origin(),
                file.source(),
                file.sha256(),
                file.bytes(),
                file.verified(),
                OffsetExtractor.VERSIONS,
                readAt,
                file.wireBytes() + (supplementary == null ? 0 : supplementary.wireBytes()),
                supplementary == null
                        ? null
                        : new StoredFile.Supplementary(
                                supplementary.elf().buildId().orElseThrow(),
                                supplementary.source(),
                                supplementary.sha256(),
                                supplementary.bytes()),
                null,
                file.headers().imaSignature());
    }

    /** No source has the supplementary file now. As with the debug file itself, one may have it later. */
    private SourceOutcome withoutSupplementaryFile(
            DebugFileSource source,
            CachedFile file,
            Lookup.Missing missing,
            UnsupportedInputException e,
            @Nullable SourceOutcome last) {
        int misses = last != null && last.means(BuildState.UNUSABLE) ? last.misses() + 1 : 1;
        return new SourceOutcome(
                source.name(),
                source.origin(),
                failure(file, e),
                false,
                misses,
                Instant.now(),
                SupplementaryFiles.retryAfter(missing, misses, retryTimes));
    }

    /** The supplementary file could not be fetched: a failure, which says nothing about the build. */
    private SourceOutcome withoutSupplementaryFile(DebugFileSource source, Lookup.Failed failed) {
        SourceOutcome asked = without(failed.asked(), failed.outcome(), null);
        Failure failure = Objects.requireNonNull(asked.failure());
        return outcome(
                source,
                failure.prefixed("supplementary file " + failed.link().buildId() + ": "
                        + failed.asked().name() + ": "),
                asked.retryAfter());
    }

    /** The outcome of a source that provided no file. */
    private SourceOutcome without(DebugFileSource source, FetchOutcome answer, @Nullable SourceOutcome last) {
        return switch (answer) {
            case FetchOutcome.Fetched _ -> throw new IllegalArgumentException(source.name() + " has a file");
            case FetchOutcome.NotFound(FetchOutcome.Finality finality) -> notFound(source, finality, last);
            case FetchOutcome.Skipped(Cause cause, Duration closed, String detail) ->
                new SourceOutcome(
                        source.name(),
                        source.origin(),
                        new Failure(cause, detail),
                        true,
                        // Keep the current backoff step.
                        last == null ? 0 : last.misses(),
                        Instant.now(),
                        retryTimes.afterSkipped(closed));
            case FetchOutcome.Refused(int _, Optional<Duration> retryAfter, String detail) ->
                outcome(source, new Failure(Cause.UPSTREAM_REFUSED, detail), retryTimes.afterRefusal(retryAfter));
            case FetchOutcome.Failed(Cause cause, String detail) ->
                outcome(
                        source,
                        new Failure(cause, detail),
                        cause == Cause.TOO_LARGE
                                ? retryTimes.afterTooLarge(source.origin())
                                : retryTimes.afterFailure());
        };
    }

    private static Failure failure(CachedFile file, ExtractionException e) {
        // Without its section headers, a file does not show whether it has types.
        boolean mayHaveTypes = file.elf().hasTypes() || e instanceof MalformedInputException;
        return Failure.of(mayHaveTypes ? Cause.of(e) : Cause.NO_DEBUGINFO, e);
    }

    private SourceOutcome notFound(
            DebugFileSource source, FetchOutcome.Finality finality, @Nullable SourceOutcome last) {
        int misses = last == null ? 1 : last.misses() + 1;
        Duration retry = source.origin().isRemote()
                ? retryTimes.afterNotFound(finality, source.missTimes(), misses)
                : retryTimes.afterNotFoundLocally();
        return new SourceOutcome(
                source.name(),
                source.origin(),
                new Failure(Cause.NOT_FOUND, "does not have it"),
                false,
                misses,
                Instant.now(),
                retry);
    }

    private static SourceOutcome outcome(DebugFileSource source, @Nullable Failure failure, Duration retryAfter) {
        return new SourceOutcome(source.name(), source.origin(), failure, false, 0, Instant.now(), retryAfter);
    }
}
