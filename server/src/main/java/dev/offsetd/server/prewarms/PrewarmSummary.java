package dev.offsetd.server.prewarms;

import dev.offsetd.server.operations.Word;
import dev.offsetd.server.operations.work.Priority;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Batch without its items.
 *
 * @param createdBy label of the token, name of the user, or the operator
 * @param endedAt when the last item ended or the batch was cancelled; null while it is active
 * @param complete whether every build is done and has all requested types
 */
public record PrewarmSummary(
        UUID id,
        State state,
        Priority priority,
        List<String> types,
        Instant createdAt,
        String createdBy,
        @Nullable Instant endedAt,
        boolean complete,
        Counts counts) {

    public PrewarmSummary {
        types = List.copyOf(types);
    }

    public enum State implements Word {
        /** An item has no result yet. */
        ACTIVE,
        /** All items are done or have failed. */
        DONE,
        /** An administrator cancelled it; items that were running may continue. */
        CANCELLED
    }

    /** Number of items of a batch by state. */
    public record Counts(int waiting, int fetching, int extracting, int done, int failed, int cancelled) {

        public int total() {
            return unfinished() + done + failed + cancelled;
        }

        /** Returns the number of items without a result. */
        public int unfinished() {
            return waiting + fetching + extracting;
        }
    }
}
