package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.builds.identity.ExecutableFacts;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Result of one attempt at a build, not stored yet. */
sealed interface AttemptResult {

    /** The outcome of each source, in query order. */
    List<SourceOutcome> outcomes();

    /** The state in which it leaves a build of which nothing was stored. */
    default BuildState state() {
        return BuildState.EXTRACTED;
    }

    /**
     * A source provided a usable file.
     *
     * @param rival another file of equal trust; null for none
     */
    record Extracted(
            UsableFile usable,
            List<SourceOutcome> outcomes,
            @Nullable Rival rival) implements AttemptResult {}

    /**
     * A usable file.
     *
     * @param keys the alias keys of the build that the file has
     */
    record UsableFile(StoredFile file, DebugFileReader.ExtractedContent content, FileKeys keys)
            implements SourceResult.FileContent {}

    /** A file that another source of equal trust has for the build. */
    // Never compared, and copying blobs of many megabytes to protect them within the package is too expensive.
    @SuppressWarnings("ArrayRecordComponent")
    record Rival(StoredFile file, byte[] catalogue) {}

    /**
     * A source has the stored file, and the symbols of it were read again. The stored types stay.
     *
     * @param file the stored file with its new versions
     */
    // Never compared, and copied nowhere.
    @SuppressWarnings("ArrayRecordComponent")
    record SymbolsAgain(StoredFile file, byte[] symbols, List<SourceOutcome> outcomes) implements AttemptResult {}

    /**
     * No source provided a usable file.
     *
     * @param symbols symbols of a file that is unusable otherwise; null if no such file was read
     * @param program what the executable states; null if no source has it
     */
    record Without(
            Failure failure,
            Duration retryAfter,
            List<SourceOutcome> outcomes,
            @Nullable Symbols symbols,
            @Nullable StrippedProgram program)
            implements AttemptResult {

        Without(Failure failure, Duration retryAfter, List<SourceOutcome> outcomes) {
            this(failure, retryAfter, outcomes, null, null);
        }

        @Override
        public BuildState state() {
            return failure.cause().state();
        }

        Without with(@Nullable Symbols found, @Nullable StrippedProgram executable) {
            return new Without(failure, retryAfter, outcomes, found, executable);
        }
    }

    /** Names, keys and facts of an executable without debug information. */
    record StrippedProgram(
            Architecture architecture, Identity identity, FileKeys keys, Origin origin, ExecutableFacts facts) {}

    /** Symbols to be stored without types. */
    // Never compared, and copied nowhere.
    @SuppressWarnings("ArrayRecordComponent")
    record Symbols(SymbolsOnly only, byte[] blob) implements SourceResult.FileContent {}
}
