package dev.offsetd.server.changes;

import dev.offsetd.extractor.layout.BuildId;
import java.util.Map;

/**
 * Whoever keeps something that follows from a build's answers. Called on one thread, on every server, in less than a
 * second after the change; after an exception the same is told again.
 */
public interface ChangeListener {

    /**
     * Builds have changed.
     *
     * @param generations the builds, with the generation that each has now
     */
    void changed(Map<BuildId, Long> generations);

    /** Any build may have changed; which ones cannot be told. */
    void anyMayHaveChanged();
}
