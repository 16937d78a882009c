package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.Build;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.lease.WorkProgress;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.stream.Stream;

/**
 * Queries the sources in turn until one provides a usable file. A source that fails or has an unusable file does not prevent
 * the query to the next one. Recent negative answers, refusals and unusable files are not queried for again. Holds no database
 * connection.
 *
 * @param maxExecutableBytes largest executable that is fetched; 0 to fetch none
 */
record SourceRound(
        List<DebugFileSource> sources,
        DebugFileReader reader,
        ExtractionProperties.Retry retry,
        long maxExecutableBytes) {

    /**
     * Queries the sources for this build.
     *
     * @param needsExecutable whether an executable answers if no source has debug information
     * @param early consumes types of a file that answers for the build, unless it turns out to be unusable
     */
    AttemptResult run(Build build, boolean needsExecutable, WorkProgress progress, EarlyConsumer<EarlyBuild> early)
            throws InterruptedException {
        SourceQueries queries = new SourceQueries(sources, reader, retry, build, progress);
        List<SourceResult> results = new ArrayList<>();
        if (!build.id().isGnu()) {
            // Sources know builds by their GNU build-id only.
            return withoutUsableFile(build, results);
        }
        for (DebugFileSource source : sources) {
            SourceResult result = queries.debugFile(source, results, early);
            results.add(result);
            if (result.content() instanceof SourceResult.RenewedSymbols(byte[] symbols)) {
                StoredFile stored = Objects.requireNonNull(build.file()).withCurrentSymbols();
                return new AttemptResult.SymbolsAgain(stored, symbols, outcomes(results));
            }
            if (result.content() instanceof AttemptResult.UsableFile usable
                    && !usable.content().isDamaged()) {
                return new AttemptResult.Extracted(usable, outcomes(results), queries.rival(result));
            }
        }
        // A damaged file answers if no other source has a better one.
        for (SourceResult result : results) {
            if (result.content() instanceof AttemptResult.UsableFile damaged) {
                return new AttemptResult.Extracted(damaged, outcomes(results), null);
            }
        }
        if (!needsExecutable || maxExecutableBytes <= 0) {
            return withoutUsableFile(build, results);
        }
        for (SourceResult before : List.copyOf(results)) {
            if (before.hasNoDebugInformation()) {
                SourceResult result = queries.executable(before, maxExecutableBytes);
                Collections.replaceAll(results, before, result);
                if (result.content() instanceof AttemptResult.UsableFile usable) {
                    return new AttemptResult.Extracted(usable, outcomes(results), null);
                }
            }
        }
        return withoutUsableFile(build, results);
    }

    private static List<SourceOutcome> outcomes(List<SourceResult> results) {
        return results.stream().map(SourceResult::outcome).toList();
    }

    private AttemptResult.Without withoutUsableFile(Build build, List<SourceResult> results) {
        List<SourceOutcome> outcomes =
                Stream.concat(outcomes(results).stream(), uploads(build)).toList();
        if (outcomes.isEmpty() && !build.id().isGnu()) {
            return new AttemptResult.Without(
                    new Failure(
                            Cause.NOT_FOUND,
                            "no uploaded file has this key, and sources know builds by their GNU build-id only"),
                    retry.notFoundLocally(),
                    outcomes);
        }
        return CombinedFailure.of(outcomes, retry)
                .with(
                        results.stream()
                                .map(SourceResult::content)
                                .filter(AttemptResult.Symbols.class::isInstance)
                                .map(AttemptResult.Symbols.class::cast)
                                .max(Comparator.comparingInt(
                                        symbols -> symbols.only().count()))
                                .orElse(null),
                        results.stream()
                                .map(SourceResult::program)
                                .filter(Objects::nonNull)
                                .findFirst()
                                .orElse(null));
    }

    /** Returns the outcomes of earlier uploads, which cannot be queried again. */
    private Stream<SourceOutcome> uploads(Build build) {
        return build.checked().stream()
                .filter(outcome -> outcome.origin().isUpload())
                .map(upload -> upload.retriedAfter(retry.unusable()));
    }
}
