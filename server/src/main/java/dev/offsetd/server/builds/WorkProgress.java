package dev.offsetd.server.builds;

import java.util.OptionalLong;

/** How far this server is with a build whose lease it holds. Whoever does the work says so, on any thread. */
public final class WorkProgress {

    /** As good as nothing: a source is about to be asked. */
    static final WorkUnderWay BEGUN = new WorkUnderWay(WorkUnderWay.Phase.FETCHING, null, null);

    private volatile WorkUnderWay now = BEGUN;

    WorkProgress() {}

    /** A source is asked next. */
    public void asking() {
        now = BEGUN;
    }

    /**
     * A source sends the debug file.
     *
     * @param bytes that are here
     * @param total of the whole file; empty if the source did not say
     */
    public void received(long bytes, OptionalLong total) {
        now = new WorkUnderWay(WorkUnderWay.Phase.FETCHING, bytes, total.isPresent() ? (Long) total.getAsLong() : null);
    }

    /** The file is here. */
    public void reading() {
        now = new WorkUnderWay(WorkUnderWay.Phase.EXTRACTING, null, null);
    }

    WorkUnderWay now() {
        return now;
    }
}
