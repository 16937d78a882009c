package dev.offsetd.server.prewarms;

import java.util.List;

/**
 * Batch of builds to extract before clients request them.
 *
 * @param items one per build, in the order sent
 */
public record Prewarm(PrewarmSummary summary, List<PrewarmItem> items) {

    public Prewarm {
        items = List.copyOf(items);
    }
}
