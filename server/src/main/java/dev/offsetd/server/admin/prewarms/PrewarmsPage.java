package dev.offsetd.server.admin.prewarms;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the list of batches shows.
 *
 * @param next path of the page after this one; null if it is the last
 * @param first whether nothing comes before this page
 * @param moving whether one of the batches is not over yet
 * @param demand builds that hosts ask for in vain
 */
record PrewarmsPage(
        Form form, List<Batch> batches, @Nullable String next, boolean first, boolean moving, List<Wanted> demand) {

    PrewarmsPage {
        batches = List.copyOf(batches);
        demand = List.copyOf(demand);
    }

    /**
     * What was typed, and what is wrong with it.
     *
     * @param most builds that a batch may have
     */
    record Form(
            String builds,
            String types,
            String priority,
            int most,
            @Nullable String wrongBuilds,
            @Nullable String wrongTypes) {

        /** Whether nothing was done because of what was typed. */
        public boolean wrong() {
            return wrongBuilds != null || wrongTypes != null;
        }
    }

    /** A build that hosts asked for in vain. */
    record Wanted(String id, String asked, Moment last, String cause) {}
}
