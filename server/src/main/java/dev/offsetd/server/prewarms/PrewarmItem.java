package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Word;
import java.time.Instant;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * One build of a batch.
 *
 * @param name path of a file of the build; null if the client did not say
 * @param bytes received of the debug file, decompressed; null unless a fetch reports progress
 * @param totalBytes size of the file; null also if the upstream does not state it
 * @param attempts that have ended
 * @param nextAttemptAt earliest time of the next attempt; null unless the last one failed and the item waits
 * @param cause of the failure of the item or of its last attempt; null if nothing failed
 * @param byConsensus whether similar builds answered when the item failed; null if it has not failed or requests
 *     no types
 * @param result coverage of the types; null unless the item is done
 */
public record PrewarmItem(
        BuildId buildId,
        @Nullable String name,
        State state,
        @Nullable Long bytes,
        @Nullable Long totalBytes,
        int attempts,
        @Nullable Instant nextAttemptAt,
        @Nullable PrewarmCause cause,
        @Nullable Boolean byConsensus,
        @Nullable PrewarmResult result) {

    /** State of an item. */
    public enum State implements Word {
        /** Waits for a free worker or for the time of its next attempt. */
        WAITING,
        /** A server fetches the debug file, for this item or another caller. */
        FETCHING,
        /** A server reads the file. */
        EXTRACTING,
        /** The build is stored. */
        DONE,
        /** The build is unavailable, or all attempts failed. */
        FAILED,
        /** The batch was cancelled before the item started. */
        CANCELLED
    }

    /** How a query that accepts a consensus is answered. */
    public enum Reply implements Word {
        /** From the types of the build. */
        EXACT,
        /** From similar builds. */
        CONSENSUS,
        NONE
    }

    /** Returns how a query for the types is answered; empty if that is not known. */
    public Optional<Reply> reply() {
        return switch (state) {
            case DONE -> Optional.of(Reply.EXACT);
            case FAILED -> Optional.ofNullable(byConsensus).map(similar -> similar ? Reply.CONSENSUS : Reply.NONE);
            case WAITING, FETCHING, EXTRACTING, CANCELLED -> Optional.empty();
        };
    }

    /** Returns whether the item has its final state. */
    public boolean ended() {
        return state == State.DONE || state == State.FAILED || state == State.CANCELLED;
    }

    /** Returns whether the build is stored and has all requested types. */
    public boolean complete() {
        return result != null && result.complete();
    }
}
