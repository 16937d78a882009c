package dev.offsetd.server.operations.changes;

import dev.offsetd.extractor.builds.BuildId;
import java.util.Map;

/**
 * Listener to changes of builds, for caches derived from them. Called on one thread of every server within a second of the
 * change, and again after an exception.
 */
public interface ChangeListener {

    /**
     * Called when builds have changed.
     *
     * @param generations the new generation of each build
     */
    void changed(Map<BuildId, Long> generations);

    /**
     * Called when this server has committed changes, on the thread that did, before {@link #changed}. Must not use the
     * database, whose connection still belongs to that transaction.
     *
     * @param generations the new generation of each build
     */
    default void committed(Map<BuildId, Long> generations) {
        changed(generations);
    }

    /** Called when this server has committed a change that may concern any build, as {@link #committed}. */
    default void everythingCommitted() {
        anyMayHaveChanged();
    }

    /** Called when any build may have changed. */
    void anyMayHaveChanged();
}
