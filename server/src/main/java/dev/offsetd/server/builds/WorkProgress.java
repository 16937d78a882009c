package dev.offsetd.server.builds;

import java.util.OptionalLong;

/** Progress of a build whose lease this server holds. Thread-safe. */
public final class WorkProgress {

    static final StoredProgress BEGUN = new StoredProgress(StoredProgress.Phase.FETCHING, null, null);

    private volatile StoredProgress now = BEGUN;

    WorkProgress() {}

    /** Reports that the next source is queried. */
    public void querying() {
        now = BEGUN;
    }

    /**
     * Reports that more of the debug file was received.
     *
     * @param bytes received so far, decompressed
     * @param total size of the file; empty if unknown
     */
    public void received(long bytes, OptionalLong total) {
        now = new StoredProgress(
                StoredProgress.Phase.FETCHING, bytes, total.isPresent() ? (Long) total.getAsLong() : null);
    }

    /** Reports that the file is complete and is read next. */
    public void reading() {
        now = new StoredProgress(StoredProgress.Phase.EXTRACTING, null, null);
    }

    StoredProgress now() {
        return now;
    }
}
