package dev.offsetd.server.prewarms;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.web.ProblemException;
import java.util.Collections;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;

/**
 * Batch to create.
 *
 * @param builds without duplicates, in the order sent
 * @param names paths of files of some of these builds, each with the names inside of archives after {@code !}
 * @param types items to resolve in each build, one per text; may be empty
 */
public record PrewarmDraft(List<BuildId> builds, Map<BuildId, String> names, List<String> types, Priority priority) {

    public static final int MAX_BUILDS = 1000;

    /**
     * Most characters of the types with those of their sets. Each build may lack all of them, and is stored with what it lacks. All
     * built-in sets have 20,000.
     */
    static final int MAX_TYPE_CHARACTERS = 64 << 10;

    /** Longest name, in code points. */
    static final int MAX_NAME = 1_000;

    public PrewarmDraft {
        builds = List.copyOf(new LinkedHashSet<>(builds));
        names = Collections.unmodifiableMap(new HashMap<>(names));
        types = List.copyOf(types);
    }

    /** Returns the problem of a fault at a place of a draft, such as {@code builds[3]}: 400. */
    static ProblemException bad(String place, String detail) {
        return ProblemException.badRequest("bad_prewarm", "The prewarm is invalid", detail)
                .with("place", place);
    }
}
