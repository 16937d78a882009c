package dev.offsetd.server.prewarms;

/** How many items of a batch are in each state. */
public record PrewarmCounts(int waiting, int fetching, int extracting, int done, int failed, int cancelled) {

    /** All items. */
    public int total() {
        return unfinished() + done + failed + cancelled;
    }

    /** Items that have no result yet. */
    public int unfinished() {
        return waiting + fetching + extracting;
    }
}
