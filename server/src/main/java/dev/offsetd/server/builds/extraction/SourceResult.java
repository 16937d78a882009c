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
 * @param content what its file, or else its executable, has for the build; null for nothing
 * @param program what its executable states; null if that was not read
 * @param queried whether the source was queried in this attempt; otherwise its last outcome still holds
 */
record SourceResult(
        DebugFileSource source,
        SourceOutcome outcome,
        @Nullable String sha256,
        @Nullable FileContent content,
        AttemptResult.@Nullable StrippedProgram program,
        boolean queried) {

    /** A usable file, which may be damaged, or only symbols. */
    sealed interface FileContent permits AttemptResult.UsableFile, AttemptResult.Symbols, RenewedSymbols {}

    /** Symbols of the stored file, read again because an earlier version of the server read them. */
    // Never compared, and copied nowhere.
    @SuppressWarnings("ArrayRecordComponent")
    record RenewedSymbols(byte[] blob) implements FileContent {}

    /** Returns the result of a source whose last outcome still holds. */
    static SourceResult reused(DebugFileSource source, SourceOutcome last) {
        return new SourceResult(source, last, null, null, null, false);
    }

    static SourceResult of(
            DebugFileSource source, SourceOutcome outcome, @Nullable String sha256, @Nullable FileContent content) {
        return new SourceResult(source, outcome, sha256, content, null, true);
    }

    SourceResult with(SourceOutcome other, @Nullable FileContent better) {
        return new SourceResult(source, other, sha256, better == null ? content : better, program, queried);
    }

    SourceResult withProgram(AttemptResult.StrippedProgram stated) {
        return new SourceResult(source, outcome, sha256, content, stated, queried);
    }

    /** Returns whether the source was queried for debug information and has none. */
    boolean hasNoDebugInformation() {
        Failure failure = outcome.failure();
        return queried
                && failure != null
                && (failure.cause() == Cause.NOT_FOUND || failure.cause() == Cause.NO_DEBUGINFO);
    }
}
