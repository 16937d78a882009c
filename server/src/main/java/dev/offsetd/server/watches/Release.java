package dev.offsetd.server.watches;

import dev.offsetd.extractor.builds.BuildId;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A package or image that a watch has read, or failed to read.
 *
 * @param id position among those that were read at the same time
 * @param builds those to which a type set of the watch applies
 * @param cause why it cannot be read; null if it was
 */
public record Release(
        UUID id,
        String watch,
        String name,
        String version,
        String architecture,
        Instant seenAt,
        List<BuildId> builds,
        Watch.@Nullable Cause cause) {

    /** Marks the cursors of releases. */
    static final char LIST = 'e';

    public Release {
        builds = List.copyOf(builds);
    }
}
