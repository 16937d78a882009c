package dev.offsetd.server.extraction;

import dev.offsetd.server.builds.BuildProblem;
import dev.offsetd.server.builds.BuildState;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import java.time.Duration;
import java.util.List;

/** What came of asking all sources for one build. */
sealed interface RoundResult {

    /** What each source said, in the order in which they were asked. */
    List<SourceOutcome> outcomes();

    /** A source had a file that served. */
    // Two of these are never compared, and blobs of many megabytes are not copied to be safe from their own package.
    @SuppressWarnings("ArrayRecordComponent")
    record Extracted(StoredFile file, byte[] catalogue, byte[] symbols, List<SourceOutcome> outcomes)
            implements RoundResult {}

    /** No source had. */
    record Without(BuildState state, BuildProblem problem, Duration retryAfter, List<SourceOutcome> outcomes)
            implements RoundResult {}
}
