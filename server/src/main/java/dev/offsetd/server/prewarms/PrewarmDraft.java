package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.layout.BuildId;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * Batch to create.
 *
 * @param builds without duplicates, in the order sent
 * @param types items to resolve in each build, one per text; may be empty
 */
public record PrewarmDraft(List<BuildId> builds, List<String> types, Priority priority) {

    /** Limit of builds in a batch. */
    public static final int MAX_BUILDS = 1000;

    public PrewarmDraft {
        builds = List.copyOf(new LinkedHashSet<>(builds));
        types = List.copyOf(types);
    }
}
