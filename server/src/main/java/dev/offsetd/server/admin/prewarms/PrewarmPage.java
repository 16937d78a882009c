package dev.offsetd.server.admin.prewarms;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page of one batch shows.
 *
 * @param lines builds, those first that something happens to
 * @param more how many builds are not shown
 * @param again the builds that have failed, to ask for once more; empty while the batch is active
 * @param here path of this page
 */
record PrewarmPage(Batch batch, List<Line> lines, int more, List<String> again, String here) {

    PrewarmPage {
        lines = List.copyOf(lines);
        again = List.copyOf(again);
    }

    /**
     * A build of the batch.
     *
     * @param badge class of its badge
     * @param bytes of its debug file that are here; null if that is not known
     * @param totalBytes of the whole file; null if that is not known
     * @param transfer the two in words; empty if neither is known
     * @param coverage what it has of the types, in words; empty if nothing was looked up in it
     * @param complete whether it has all that is required
     * @param told why it failed, or what is missing, in words; empty if there is nothing to say
     * @param next when it is tried again; null if that is not due
     */
    record Line(
            String id,
            String state,
            String badge,
            @Nullable Long bytes,
            @Nullable Long totalBytes,
            String transfer,
            String coverage,
            boolean complete,
            String told,
            @Nullable Moment next) {}
}
