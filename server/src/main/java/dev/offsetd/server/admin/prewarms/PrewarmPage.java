package dev.offsetd.server.admin.prewarms;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page shows on which builds are asked for ahead of the hosts.
 *
 * @param text what was typed
 * @param error what is wrong with it; null if nothing is
 * @param asked the builds whose state is shown
 * @param demand builds that hosts ask for in vain
 * @param moving whether one of the builds has no result yet
 * @param here path of the part that shows the builds
 */
record PrewarmPage(
        String text,
        @Nullable String error,
        int most,
        List<Asked> asked,
        List<Wanted> demand,
        boolean moving,
        String here) {

    PrewarmPage {
        asked = List.copyOf(asked);
        demand = List.copyOf(demand);
    }

    /**
     * A build that was asked for.
     *
     * @param badge class of its badge
     * @param told what came of it, in words
     */
    record Asked(String id, String state, String badge, String told) {}

    /** A build that hosts asked for in vain. */
    record Wanted(String id, String asked, Moment last, String cause) {}
}
