package dev.offsetd.server.builds.lease;

import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Progress of this server's work on a build. Thread-safe. */
public final class WorkProgress {

    private final StoredProgress begun =
            new StoredProgress(Instant.now(), StoredProgress.Phase.FETCHING, null, null, null);
    private volatile StoredProgress now = begun;
    private volatile boolean computing;

    WorkProgress() {}

    /** Reports that the next source is queried. */
    public void querying() {
        now = begun;
        computing = false;
    }

    /**
     * Reports that more of the debug file was received.
     *
     * @param total size of the file; null if unknown
     */
    public void received(long bytes, @Nullable Long total) {
        Instant began = now.transferBegan();
        now = new StoredProgress(
                begun.startedAt(), StoredProgress.Phase.FETCHING, bytes, total, began == null ? Instant.now() : began);
    }

    /** Reports that the file is complete and is read next. */
    public void reading() {
        now = new StoredProgress(begun.startedAt(), StoredProgress.Phase.EXTRACTING, null, null, null);
    }

    /** Reports that the file is being read. */
    public void computing() {
        computing = true;
    }

    boolean isComputing() {
        return computing;
    }

    StoredProgress begun() {
        return begun;
    }

    StoredProgress now() {
        return now;
    }
}
