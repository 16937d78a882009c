package dev.offsetd.server.prewarms;

import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.web.CreationPosition;
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
        PrewarmState state,
        Priority priority,
        List<String> types,
        Instant createdAt,
        String createdBy,
        @Nullable Instant endedAt,
        boolean complete,
        PrewarmCounts counts) {

    /** Letter of the list of batches, for cursors. */
    public static final char LIST = 'w';

    public PrewarmSummary {
        types = List.copyOf(types);
    }

    /** Returns the position in the list of batches. */
    public CreationPosition position() {
        return new CreationPosition(createdAt, id);
    }
}
