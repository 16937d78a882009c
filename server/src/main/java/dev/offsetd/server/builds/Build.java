package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Failure;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A build as stored.
 *
 * @param running whether a server works on it
 * @param paused whether no file of it is read until its retry time, because a server had to end itself while it read one
 * @param generation increases whenever the build's answers may change; never reused
 * @param shared whether sources have shown that different programs have this build-id; then it answers for none of them
 * @param file what is stored; null unless the state is {@link BuildState#EXTRACTED}
 * @param symbolsOnly symbols that are stored without types, or null; they answer while the state is {@link BuildState#UNUSABLE}
 * @param claimedName what a caller calls the build; null if none did, and once a file is stored
 * @param failure why nothing is stored; null unless an attempt has failed
 * @param versions of the extractor that read the file, or that made the last attempt if no file is stored; 0 before the first
 * @param retryAfter time until the next attempt may start; zero if it may start now
 * @param settledAttempt attempt that led to the state; 0 before the first one has ended
 * @param checked outcomes of the sources, folders first, then by name
 */
public record Build(
        BuildId id,
        BuildState state,
        boolean running,
        boolean paused,
        boolean shared,
        long generation,
        @Nullable StoredFile file,
        @Nullable SymbolsOnly symbolsOnly,
        @Nullable ClaimedName claimedName,
        @Nullable Failure failure,
        PartVersions versions,
        Duration retryAfter,
        long settledAttempt,
        List<SourceOutcome> checked) {

    public Build {
        checked = List.copyOf(checked);
    }

    /** Returns whether a source may have a better file than the one that answers: that is an upload, or damaged. */
    public boolean mayBeReplaced() {
        boolean uploaded = file != null && file.origin().isUpload();
        boolean damaged = file != null
                && checked.stream().anyMatch(outcome -> outcome.means(BuildState.UNUSABLE))
                && checked.stream().noneMatch(outcome -> outcome.failure() == null);
        return uploaded || damaged;
    }

    /** Returns whether a file with this SHA-256 in hex is stored, or its symbols are. */
    public boolean isFrom(String sha256) {
        StoredFile stored = file == null && symbolsOnly != null ? symbolsOnly.file() : file;
        return stored != null && stored.sha256().equals(sha256);
    }

    /** Returns the file whose symbols are usable, if any. */
    public Optional<StoredFile> symbolsFile() {
        return state == BuildState.UNUSABLE
                ? Optional.ofNullable(symbolsOnly).map(SymbolsOnly::file)
                : Optional.ofNullable(file);
    }
}
