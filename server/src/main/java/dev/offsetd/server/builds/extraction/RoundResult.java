package dev.offsetd.server.builds.extraction;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.Identity;
import dev.offsetd.server.builds.SourceOutcome;
import dev.offsetd.server.builds.StoredFile;
import dev.offsetd.server.builds.SymbolsOnly;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Failure;
import dev.offsetd.server.sources.outcome.Origin;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** Result of querying all sources for one build. */
sealed interface RoundResult {

    /** The outcome of each source, in query order. */
    List<SourceOutcome> outcomes();

    /**
     * A source provided a usable file.
     *
     * @param keys the alias keys of the build that the file has
     * @param rival another file of equal trust; empty for none
     */
    record Extracted(
            StoredFile file,
            DebugFileReader.ExtractedContent content,
            List<SourceOutcome> outcomes,
            FileKeys keys,
            Optional<Rival> rival)
            implements RoundResult {

        Extracted with(List<SourceOutcome> all) {
            return new Extracted(file, content, List.copyOf(all), keys, rival);
        }

        Extracted with(Optional<Rival> other) {
            return new Extracted(file, content, outcomes, keys, other);
        }
    }

    /** A file that another source of equal trust has for the build. */
    // Never compared, and copying blobs of many megabytes to protect them within the package is too expensive.
    @SuppressWarnings("ArrayRecordComponent")
    record Rival(StoredFile file, byte[] catalogue) {}

    /**
     * A source has the stored file, and the symbols of it were read again. The stored types stay.
     *
     * @param file the stored file with its new versions
     */
    // As above.
    @SuppressWarnings("ArrayRecordComponent")
    record SymbolsAgain(StoredFile file, byte[] symbols, List<SourceOutcome> outcomes) implements RoundResult {}

    /**
     * No source provided a usable file.
     *
     * @param symbols symbols of a file that is unusable otherwise; empty if no such file was read
     * @param program what the executable states; empty if no source has it
     */
    record Without(
            Failure failure,
            Duration retryAfter,
            List<SourceOutcome> outcomes,
            Optional<Symbols> symbols,
            Optional<StrippedProgram> program)
            implements RoundResult {

        Without(Failure failure, Duration retryAfter, List<SourceOutcome> outcomes) {
            this(failure, retryAfter, outcomes, Optional.empty(), Optional.empty());
        }

        BuildState state() {
            return failure.cause().state();
        }

        Without with(Optional<Symbols> found, Optional<StrippedProgram> executable) {
            return new Without(failure, retryAfter, outcomes, found, executable);
        }
    }

    /**
     * Names and keys of an executable without debug information.
     *
     * @param origin of the source that has it
     */
    record StrippedProgram(Architecture architecture, Identity identity, FileKeys keys, Origin origin) {}

    /** Symbols to be stored without types. */
    // As above.
    @SuppressWarnings("ArrayRecordComponent")
    record Symbols(SymbolsOnly only, byte[] blob) {}
}
