package dev.offsetd.server.extraction;

import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** What came of asking all sources for one build. */
sealed interface RoundResult {

    /** What each source said, in the order in which they were asked. */
    List<SourceOutcome> outcomes();

    /** A source had a file that served. */
    // Two of these are never compared, and blobs of many megabytes are not copied to be safe from their own package.
    @SuppressWarnings("ArrayRecordComponent")
    record Extracted(StoredFile file, byte[] catalogue, byte[] symbols, List<SourceOutcome> outcomes)
            implements RoundResult {}

    /**
     * No source had.
     *
     * @param symbols of a file that cannot serve otherwise; empty if no such file was read this time
     */
    record Without(
            BuildState state,
            BuildProblem problem,
            Duration retryAfter,
            List<SourceOutcome> outcomes,
            Optional<Symbols> symbols)
            implements RoundResult {

        Without(BuildState state, BuildProblem problem, Duration retryAfter, List<SourceOutcome> outcomes) {
            this(state, problem, retryAfter, outcomes, Optional.empty());
        }

        Without with(Optional<Symbols> found) {
            return new Without(state, problem, retryAfter, outcomes, found);
        }
    }

    /** Symbols to be stored without types. */
    // As above.
    @SuppressWarnings("ArrayRecordComponent")
    record Symbols(SymbolsOnly only, byte[] blob) {}
}
