package dev.offsetd.server.builds;

import java.util.OptionalLong;

/** Progress of a build whose lease this server holds. Thread-safe. */
public final class WorkProgress {

    static final WorkUnderWay BEGUN = new WorkUnderWay(WorkUnderWay.Phase.FETCHING, null, null);

    private volatile WorkUnderWay now = BEGUN;

    WorkProgress() {}

    /** The next source is queried. */
    public void asking() {
        now = BEGUN;
    }

    /**
     * A source sends the debug file.
     *
     * @param bytes received so far
     * @param total size of the file; empty if unknown
     */
    public void received(long bytes, OptionalLong total) {
        now = new WorkUnderWay(WorkUnderWay.Phase.FETCHING, bytes, total.isPresent() ? (Long) total.getAsLong() : null);
    }

    /** The file is complete and is read next. */
    public void reading() {
        now = new WorkUnderWay(WorkUnderWay.Phase.EXTRACTING, null, null);
    }

    WorkUnderWay now() {
        return now;
    }
}
