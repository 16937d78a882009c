package dev.offsetd.server.builds.extraction;

import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.sources.DebugFileSource;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import org.jspecify.annotations.Nullable;

/**
 * Contribution of one source to an attempt.
 *
 * @param sha256 hash of its file; null if it has none, or was not queried
 * @param usable its file, which may be damaged; null without a usable one
 * @param again symbols that were read again of the stored file, which an earlier version read; null if that file is up to date, or
 *     more of it than the symbols is not
 * @param symbols symbols of a file that is unusable otherwise; null for none
 * @param program what its executable states; null if that was not read
 * @param queried whether the source was queried in this attempt; otherwise its last outcome still holds
 */
record SourceResult(
        DebugFileSource source,
        SourceOutcome outcome,
        @Nullable String sha256,
        AttemptResult.@Nullable UsableFile usable,
        AttemptResult.@Nullable Symbols again,
        AttemptResult.@Nullable Symbols symbols,
        AttemptResult.@Nullable StrippedProgram program,
        boolean queried) {

    /** Returns the result of a source whose last outcome still holds. */
    static SourceResult reused(DebugFileSource source, SourceOutcome last) {
        return new SourceResult(source, last, null, null, null, null, null, false);
    }

    static SourceResult of(DebugFileSource source, SourceOutcome outcome) {
        return new SourceResult(source, outcome, null, null, null, null, null, true);
    }

    SourceResult ofFile(String hash, AttemptResult.@Nullable UsableFile read) {
        return new SourceResult(source, outcome, hash, read, again, symbols, program, queried);
    }

    SourceResult withAgain(AttemptResult.Symbols stored) {
        return new SourceResult(source, outcome, sha256, usable, stored, symbols, program, queried);
    }

    SourceResult withSymbols(AttemptResult.Symbols found) {
        return new SourceResult(source, outcome, sha256, usable, again, found, program, queried);
    }

    /** Replaces the outcome and the file by those of the executable. */
    SourceResult withExecutable(SourceOutcome executable, AttemptResult.@Nullable UsableFile read) {
        return new SourceResult(source, executable, sha256, read, again, symbols, program, queried);
    }

    SourceResult withProgram(AttemptResult.@Nullable StrippedProgram stated) {
        return new SourceResult(source, outcome, sha256, usable, again, symbols, stated, queried);
    }

    /** Returns whether the source was queried for debug information and has none. */
    boolean hasNoDebugInformation() {
        Failure failure = outcome.failure();
        return queried
                && failure != null
                && (failure.cause() == Cause.NOT_FOUND || failure.cause() == Cause.NO_DEBUGINFO);
    }
}
