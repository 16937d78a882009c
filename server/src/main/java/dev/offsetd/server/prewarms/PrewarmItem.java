package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.layout.BuildId;
import java.time.Instant;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * One build of a batch.
 *
 * @param bytes of the debug file that are here, decompressed; null unless it is being fetched and that takes a while
 * @param totalBytes of the whole file; null also if the upstream did not say
 * @param attempts that have ended
 * @param nextAttemptAt when the next one may begin; null unless the item waits after one that has failed
 * @param cause why the item has failed, or why the last attempt did; null if nothing went wrong
 * @param result what the build has of the types; null unless the item is done
 */
public record PrewarmItem(
        BuildId buildId,
        State state,
        @Nullable Long bytes,
        @Nullable Long totalBytes,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable PrewarmCause cause,
        @Nullable PrewarmResult result) {

    /** Where an item is. */
    public enum State {
        /** For its turn, or for the time of its next attempt. */
        WAITING,
        /** A server asks sources for the build's debug file, whoever wanted it first. */
        FETCHING,
        /** A server reads the file. */
        EXTRACTING,
        /** The build is stored. */
        DONE,
        /** The build cannot be had, or not now and not after many attempts. */
        FAILED,
        /** Somebody has ended the batch before the item's turn had come. */
        CANCELLED;

        /** As the database and answers spell it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        static State ofWord(String word) {
            return valueOf(word.toUpperCase(Locale.ROOT));
        }
    }

    /** Whether nothing more will come of it. */
    public boolean ended() {
        return state == State.DONE || state == State.FAILED || state == State.CANCELLED;
    }

    /** Whether the build is stored and has all that was asked of it. */
    public boolean complete() {
        return result != null && result.complete();
    }
}
