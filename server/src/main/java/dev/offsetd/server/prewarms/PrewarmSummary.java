package dev.offsetd.server.prewarms;

import dev.offsetd.server.web.CreationPosition;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A batch without its items.
 *
 * @param createdBy label of the token, name of the user, or the operator
 * @param endedAt when the last item ended, or somebody has cancelled it; null while it is active
 * @param complete whether every build is done and has all that was asked of it
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

    /** Of the list of batches, in cursors. */
    public static final char LIST = 'w';

    public PrewarmSummary {
        types = List.copyOf(types);
    }

    /** Where it stands among all. */
    public CreationPosition place() {
        return new CreationPosition(createdAt, id);
    }
}
