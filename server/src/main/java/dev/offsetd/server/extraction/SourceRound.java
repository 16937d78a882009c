package dev.offsetd.server.extraction;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.Origin;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.SourceOutcome.Kind;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.WorkProgress;
import dev.offsetd.server.extraction.SupplementaryFiles.Lookup;
import dev.offsetd.server.fetch.CachedFile;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.FetchOutcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Asks the sources in turn until one has a file that can serve. A source that fails, or whose file is of no use, never
 * keeps the next one from being asked; a source that said no a short while ago is not asked again. Holds no database
 * connection.
 */
final class SourceRound {

    private static final Logger log = LoggerFactory.getLogger(SourceRound.class);

    private final List<DebugFileSource> sources;
    private final DebugFileReader reader;
    private final RetryTimes retryTimes;
    private final SupplementaryFiles supplementaryFiles;

    SourceRound(List<DebugFileSource> sources, DebugFileReader reader, RetryTimes retryTimes) {
        this.sources = List.copyOf(sources);
        this.reader = reader;
        this.retryTimes = retryTimes;
        this.supplementaryFiles = new SupplementaryFiles(this.sources, reader);
    }

    /**
     * Asks for this build.
     *
     * @param build what is known of it so far
     * @param progress hears how far this is
     */
    RoundResult run(Build build, WorkProgress progress) throws InterruptedException {
        Map<String, SourceOutcome> lately =
                build.checked().stream().collect(Collectors.toMap(SourceOutcome::source, Function.identity()));
        boolean sameExtractor = build.extractorVersion() >= OffsetExtractor.VERSION;
        List<SourceOutcome> outcomes = new ArrayList<>();
        List<RoundResult.Symbols> symbols = new ArrayList<>();
        // What a source delivered is in the disk cache, where the next one finds it: one file is not tried twice.
        Map<String, SourceOutcome> tried = new HashMap<>();
        for (DebugFileSource source : sources) {
            SourceOutcome last = lately.get(source.name());
            if (last != null && last.stillHolds() && holdsFor(last.kind(), sameExtractor)) {
                outcomes.add(last);
                continue;
            }
            progress.asking();
            FetchOutcome answer = ask(source, build.id(), progress);
            if (answer instanceof FetchOutcome.Fetched(CachedFile file)) {
                progress.reading();
                try (file) {
                    SourceOutcome before = tried.get(file.sha256());
                    if (before != null) {
                        outcomes.add(outcome(source, before.kind(), before.problem(), before.retryAfter()));
                        continue;
                    }
                    Optional<RoundResult> extracted = serve(build.id(), source, file, last, outcomes);
                    if (extracted.isPresent()) {
                        return extracted.get();
                    }
                    tried.put(file.sha256(), outcomes.getLast());
                    if (outcomes.getLast().kind() == Kind.UNUSABLE) {
                        symbolsOf(build.id(), source, file).ifPresent(symbols::add);
                    }
                }
            } else {
                outcomes.add(without(source, answer, last));
            }
        }
        build.checked().stream()
                .filter(outcome -> outcome.origin() == Origin.UPLOAD)
                .forEach(upload -> outcomes.add(new SourceOutcome(
                        upload.source(),
                        upload.origin(),
                        upload.kind(),
                        upload.problem(),
                        upload.misses(),
                        upload.askedAt(),
                        // There is nobody to ask again.
                        retryTimes.afterUnusable())));
        return Verdict.of(outcomes, retryTimes)
                .with(symbols.stream()
                        .max(Comparator.comparingInt(found -> found.only().count())));
    }

    /** Asks one source. An unexpected exception is the outcome of this source alone. */
    private static FetchOutcome ask(DebugFileSource source, BuildId id, WorkProgress progress)
            throws InterruptedException {
        try {
            return source.fetch(id, progress::received);
        } catch (RuntimeException e) {
            log.error("build {}: {} cannot be asked", id, source.name(), e);
            return new FetchOutcome.LocalFailure("the source cannot be asked: an unexpected error");
        }
    }

    /** The symbols of a file that cannot serve otherwise. */
    private Optional<RoundResult.Symbols> symbolsOf(BuildId id, DebugFileSource source, CachedFile file)
            throws InterruptedException {
        try {
            return reader.readSymbolsInTheirTurn(file.path())
                    .map(reading -> new RoundResult.Symbols(
                            new SymbolsOnly(
                                    new StoredFile(
                                            reading.architecture(),
                                            origin(source),
                                            file.source(),
                                            file.sha256(),
                                            file.bytes(),
                                            file.verified(),
                                            OffsetExtractor.VERSION,
                                            Instant.now()),
                                    reading.count()),
                            reading.symbols()));
        } catch (IOException | RuntimeException e) {
            log.error("build {}: the symbols in the file of {} cannot be read", id, source.name(), e);
            return Optional.empty();
        }
    }

    /** Whether what a source said lately still counts: a file that one extractor could not read, the next may. */
    private static boolean holdsFor(Kind kind, boolean sameExtractor) {
        return kind == Kind.NOT_FOUND || kind == Kind.REFUSED || (kind == Kind.UNUSABLE && sameExtractor);
    }

    /** Reads the file, with its supplementary file; empty, with the reason added to the outcomes, if it cannot serve. */
    private Optional<RoundResult> serve(
            BuildId id,
            DebugFileSource source,
            CachedFile file,
            @Nullable SourceOutcome last,
            List<SourceOutcome> outcomes)
            throws InterruptedException {
        SourceOutcome failed;
        try {
            switch (supplementaryFiles.of(file.path(), source)) {
                case Lookup.NotNeeded _ -> {
                    return Optional.of(extracted(source, file, null, outcomes));
                }
                case Lookup.Found(CachedFile supplementary) -> {
                    try (supplementary) {
                        return Optional.of(extracted(source, file, supplementary, outcomes));
                    }
                }
                case Lookup.Missing missing -> {
                    try {
                        // It may lie beside the file, which the extractor sees by itself.
                        return Optional.of(extracted(source, file, null, outcomes));
                    } catch (UnsupportedInputException e) {
                        failed = withoutSupplementaryFile(source, file, missing, e, last);
                    }
                }
                case Lookup.Failed failure -> failed = withoutSupplementaryFile(source, failure);
            }
        } catch (ExtractionException e) {
            failed = outcome(source, Kind.UNUSABLE, problem(file, e), retryTimes.afterUnusable());
        } catch (IOException e) {
            log.warn("build {}: {} cannot be read", id, file.path(), e);
            failed = outcome(
                    source,
                    Kind.LOCAL_FAILURE,
                    problem("disk_failed", "the debug file was fetched but cannot be read"),
                    retryTimes.afterFailure());
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the file of {}", id, source.name(), e);
            failed = outcome(
                    source,
                    Kind.LOCAL_FAILURE,
                    problem("internal", "the extractor failed on this file"),
                    retryTimes.afterFailure());
        }
        outcomes.add(failed);
        return Optional.empty();
    }

    private RoundResult extracted(
            DebugFileSource source, CachedFile file, @Nullable CachedFile supplementary, List<SourceOutcome> outcomes)
            throws IOException, ExtractionException, InterruptedException {
        DebugFileReader.Reading reading =
                reader.readInItsTurn(file.path(), supplementary == null ? null : supplementary.path());
        StoredFile stored = new StoredFile(
                reading.architecture(),
                origin(source),
                file.source(),
                file.sha256(),
                file.bytes(),
                file.verified(),
                OffsetExtractor.VERSION,
                Instant.now(),
                file.wireBytes() + (supplementary == null ? 0 : supplementary.wireBytes()),
                supplementary == null
                        ? null
                        : new StoredFile.Supplementary(
                                supplementary.elf().buildId().orElseThrow(),
                                supplementary.source(),
                                supplementary.sha256(),
                                supplementary.bytes()),
                null);
        outcomes.add(outcome(source, Kind.FETCHED, null, Duration.ZERO));
        return new RoundResult.Extracted(stored, reading.catalogue(), reading.symbols(), List.copyOf(outcomes));
    }

    /** Nobody has the supplementary file; somebody may have it later, as with the debug file itself. */
    private SourceOutcome withoutSupplementaryFile(
            DebugFileSource source,
            CachedFile file,
            Lookup.Missing missing,
            UnsupportedInputException e,
            @Nullable SourceOutcome last) {
        int misses = last != null && last.kind() == Kind.UNUSABLE ? last.misses() + 1 : 1;
        return new SourceOutcome(
                source.name(),
                origin(source),
                Kind.UNUSABLE,
                problem(file, e),
                misses,
                Instant.now(),
                SupplementaryFiles.retryAfter(missing, misses, retryTimes));
    }

    /** The supplementary file could not be had: a failure, which says nothing about the build. */
    private SourceOutcome withoutSupplementaryFile(DebugFileSource source, Lookup.Failed failure) {
        SourceOutcome asked = without(failure.asked(), failure.outcome(), null);
        String code = asked.problem() == null ? "internal" : asked.problem().code();
        Kind kind = failure.outcome() instanceof FetchOutcome.NotAsked(FetchOutcome.Reason reason, var _, var _)
                ? failureOf(reason)
                : asked.kind();
        return outcome(
                source,
                kind,
                problem(
                        code,
                        "supplementary file " + failure.link().buildId() + ": "
                                + failure.asked().name() + ": " + asked.detail()),
                asked.retryAfter());
    }

    /** What a source said that has no file for us. */
    private SourceOutcome without(DebugFileSource source, FetchOutcome answer, @Nullable SourceOutcome last) {
        return switch (answer) {
            case FetchOutcome.Fetched _ -> throw new IllegalArgumentException(source.name() + " has a file");
            case FetchOutcome.NotFound(FetchOutcome.Finality finality) -> notFound(source, finality, last);
            case FetchOutcome.NotAsked(FetchOutcome.Reason reason, Duration closed, String detail) ->
                new SourceOutcome(
                        source.name(),
                        origin(source),
                        Kind.NOT_ASKED,
                        problem(code(reason), detail),
                        // So that the ladder goes on where it was.
                        last == null ? 0 : last.misses(),
                        Instant.now(),
                        retryTimes.afterNotAsked(closed));
            case FetchOutcome.Refused(int _, Optional<Duration> retryAfter, String detail) ->
                outcome(source, Kind.REFUSED, problem("upstream_refused", detail), retryTimes.afterRefusal(retryAfter));
            case FetchOutcome.TimedOut(String detail) ->
                outcome(source, Kind.TIMED_OUT, problem("upstream_silent", detail), retryTimes.afterFailure());
            case FetchOutcome.Broken(String detail) ->
                outcome(source, Kind.BROKEN, problem("upstream_broken", detail), retryTimes.afterFailure());
            case FetchOutcome.TooLarge(long _, String detail) ->
                outcome(source, Kind.UNUSABLE, problem("too_large", detail), retryTimes.afterTooLarge(source.origin()));
            case FetchOutcome.LocalFailure(String detail) ->
                outcome(source, Kind.LOCAL_FAILURE, problem("disk_failed", detail), retryTimes.afterFailure());
        };
    }

    private static String code(FetchOutcome.Reason reason) {
        return switch (reason) {
            case SILENT -> "upstream_silent";
            case BROKEN -> "upstream_broken";
            case REFUSED -> "upstream_refused";
        };
    }

    private static Kind failureOf(FetchOutcome.Reason reason) {
        return switch (reason) {
            case SILENT -> Kind.TIMED_OUT;
            case BROKEN -> Kind.BROKEN;
            case REFUSED -> Kind.REFUSED;
        };
    }

    private static BuildProblem problem(CachedFile file, ExtractionException e) {
        return new BuildProblem(
                file.elf().hasDwarf() || file.elf().hasBtf() ? code(e) : "no_debuginfo",
                String.valueOf(e.getMessage()),
                e.section(),
                e.offset() == ExtractionException.NO_OFFSET ? null : e.offset());
    }

    private static String code(ExtractionException e) {
        return switch (e) {
            case MalformedInputException _ -> "malformed";
            case UnsupportedInputException _ -> "unsupported";
            case LimitExceededException _ -> "limit_exceeded";
        };
    }

    private SourceOutcome notFound(
            DebugFileSource source, FetchOutcome.Finality finality, @Nullable SourceOutcome last) {
        int misses = last == null ? 1 : last.misses() + 1;
        Duration retry = source.origin() == DebugFileSource.Origin.LOCAL
                ? retryTimes.afterNotFoundLocally()
                : retryTimes.afterNotFound(finality, source.missTimes(), misses);
        return new SourceOutcome(
                source.name(),
                origin(source),
                Kind.NOT_FOUND,
                problem("not_found", "does not have it"),
                misses,
                Instant.now(),
                retry);
    }

    private static SourceOutcome outcome(
            DebugFileSource source, Kind kind, @Nullable BuildProblem problem, Duration retryAfter) {
        return new SourceOutcome(source.name(), origin(source), kind, problem, 0, Instant.now(), retryAfter);
    }

    private static BuildProblem problem(String code, String detail) {
        return new BuildProblem(code, detail, null, null);
    }

    private static Origin origin(DebugFileSource source) {
        return switch (source.origin()) {
            case LOCAL -> Origin.LOCAL;
            case DEBUGINFOD -> Origin.DEBUGINFOD;
        };
    }
}
