package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.layout.BuildId;
import java.util.LinkedHashSet;
import java.util.List;

/**
 * A batch that somebody wants.
 *
 * @param builds each once, in the order in which they were sent
 * @param types items to look up in each build, one in each text; may be empty
 */
public record PrewarmDraft(List<BuildId> builds, List<String> types, Priority priority) {

    /** Most builds of a batch. */
    public static final int MAX_BUILDS = 1000;

    public PrewarmDraft {
        builds = List.copyOf(new LinkedHashSet<>(builds));
        types = List.copyOf(types);
    }
}
