package dev.offsetd.server.extraction;

import dev.offsetd.extractor.catalogue.CatalogueWriter;
import dev.offsetd.extractor.extract.ExtractionReport;
import dev.offsetd.extractor.extract.OffsetExtractor;
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
import dev.offsetd.server.fetch.CachedFile;
import dev.offsetd.server.fetch.DebugFileSource;
import dev.offsetd.server.fetch.FetchOutcome;
import java.io.IOException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Semaphore;
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
    private final OffsetExtractor extractor;
    private final Semaphore parsing;
    private final RetryTimes retryTimes;

    /** @param parsing a permit for each file that may be read at a time */
    SourceRound(List<DebugFileSource> sources, OffsetExtractor extractor, Semaphore parsing, RetryTimes retryTimes) {
        this.sources = List.copyOf(sources);
        this.extractor = extractor;
        this.parsing = parsing;
        this.retryTimes = retryTimes;
    }

    /**
     * Asks for this build.
     *
     * @param build what is known of it so far
     */
    RoundResult run(Build build) throws InterruptedException {
        Map<String, SourceOutcome> before =
                build.checked().stream().collect(Collectors.toMap(SourceOutcome::source, Function.identity()));
        boolean sameExtractor = build.extractorVersion() >= OffsetExtractor.VERSION;
        List<SourceOutcome> outcomes = new ArrayList<>();
        for (DebugFileSource source : sources) {
            SourceOutcome last = before.get(source.name());
            if (last != null && last.stillHolds() && holdsFor(last.kind(), sameExtractor)) {
                outcomes.add(last);
                continue;
            }
            switch (source.fetch(build.id())) {
                case FetchOutcome.Fetched(CachedFile file) -> {
                    try (file) {
                        Optional<RoundResult> extracted = read(build.id(), source, file, outcomes);
                        if (extracted.isPresent()) {
                            return extracted.get();
                        }
                    }
                }
                case FetchOutcome.NotFound(boolean authoritative) ->
                    outcomes.add(notFound(source, authoritative, last));
                case FetchOutcome.Refused(int status, Optional<Duration> retryAfter, String detail) ->
                    outcomes.add(outcome(
                            source,
                            Kind.REFUSED,
                            problem("upstream_refused", detail),
                            retryTimes.afterRefusal(retryAfter)));
                case FetchOutcome.TimedOut(String detail) ->
                    outcomes.add(outcome(
                            source, Kind.TIMED_OUT, problem("upstream_silent", detail), retryTimes.afterFailure()));
                case FetchOutcome.Broken(String detail) ->
                    outcomes.add(outcome(
                            source, Kind.BROKEN, problem("upstream_broken", detail), retryTimes.afterFailure()));
                case FetchOutcome.TooLarge(long limitBytes, String detail) ->
                    outcomes.add(
                            outcome(source, Kind.UNUSABLE, problem("too_large", detail), retryTimes.afterUnusable()));
                case FetchOutcome.LocalFailure(String detail) ->
                    outcomes.add(outcome(
                            source, Kind.LOCAL_FAILURE, problem("disk_failed", detail), retryTimes.afterFailure()));
            }
        }
        return Verdict.of(outcomes, retryTimes);
    }

    /** Whether what a source said lately still counts: a file that one extractor could not read, the next may. */
    private static boolean holdsFor(Kind kind, boolean sameExtractor) {
        return kind == Kind.NOT_FOUND || kind == Kind.REFUSED || (kind == Kind.UNUSABLE && sameExtractor);
    }

    /** Reads the file; empty, with the reason added to the outcomes, if it cannot serve. */
    private Optional<RoundResult> read(
            BuildId id, DebugFileSource source, CachedFile file, List<SourceOutcome> outcomes)
            throws InterruptedException {
        BuildProblem problem;
        Kind kind = Kind.UNUSABLE;
        parsing.acquire();
        try {
            ExtractionReport report = extractor.extractAll(file.path());
            byte[] catalogue = CatalogueWriter.encode(report.types());
            StoredFile stored = new StoredFile(
                    report.elf().architecture(),
                    origin(source),
                    file.source(),
                    file.sha256(),
                    file.bytes(),
                    file.verified(),
                    OffsetExtractor.VERSION,
                    Instant.now());
            outcomes.add(outcome(source, Kind.FETCHED, null, Duration.ZERO));
            return Optional.of(new RoundResult.Extracted(stored, catalogue, List.copyOf(outcomes)));
        } catch (ExtractionException e) {
            problem = new BuildProblem(
                    file.elf().hasDwarf() || file.elf().hasBtf() ? code(e) : "no_debuginfo",
                    String.valueOf(e.getMessage()),
                    e.section(),
                    e.offset() == ExtractionException.NO_OFFSET ? null : e.offset());
        } catch (IOException e) {
            log.warn("build {}: {} cannot be read", id, file.path(), e);
            kind = Kind.LOCAL_FAILURE;
            problem = problem("disk_failed", "the debug file was fetched but cannot be read");
        } catch (RuntimeException e) {
            log.error("build {}: the extractor failed on the file of {}", id, source.name(), e);
            kind = Kind.LOCAL_FAILURE;
            problem = problem("internal", "the extractor failed on this file");
        } finally {
            parsing.release();
        }
        Duration retry = kind == Kind.UNUSABLE ? retryTimes.afterUnusable() : retryTimes.afterFailure();
        outcomes.add(outcome(source, kind, problem, retry));
        return Optional.empty();
    }

    private static String code(ExtractionException e) {
        return switch (e) {
            case MalformedInputException _ -> "malformed";
            case UnsupportedInputException _ -> "unsupported";
            case LimitExceededException _ -> "limit_exceeded";
        };
    }

    private SourceOutcome notFound(DebugFileSource source, boolean authoritative, @Nullable SourceOutcome last) {
        int misses = last != null && last.kind() == Kind.NOT_FOUND ? last.misses() + 1 : 1;
        Duration retry = source.origin() == DebugFileSource.Origin.LOCAL
                ? retryTimes.afterNotFoundLocally()
                : retryTimes.afterNotFound(authoritative, misses);
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
