package dev.offsetd.server.prewarms;

/** Number of items of a batch by state. */
public record PrewarmCounts(int waiting, int fetching, int extracting, int done, int failed, int cancelled) {

    public int total() {
        return unfinished() + done + failed + cancelled;
    }

    /** Returns the number of items without a result. */
    public int unfinished() {
        return waiting + fetching + extracting;
    }
}
