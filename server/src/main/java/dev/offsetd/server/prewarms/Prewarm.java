package dev.offsetd.server.prewarms;

import java.util.List;

/**
 * A batch of builds to have ready before hosts ask.
 *
 * @param items one for each build, in the order in which they were sent
 */
public record Prewarm(PrewarmSummary summary, List<PrewarmItem> items) {

    public Prewarm {
        items = List.copyOf(items);
    }
}
