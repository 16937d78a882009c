package dev.offsetd.server.admin.demand;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page of demand shows.
 *
 * @param sort word of the order
 * @param cause that is asked for; empty for any
 * @param next path of the next page; null if this is the last
 * @param csv path of the same as CSV
 */
record DemandPage(
        List<Row> rows,
        List<String> causes,
        String sort,
        String cause,
        @Nullable String next,
        boolean first,
        String csv) {

    DemandPage {
        rows = List.copyOf(rows);
        causes = List.copyOf(causes);
    }

    /** A build that was asked for in vain. */
    record Row(String id, String asked, Moment firstAsked, Moment lastAsked, String cause) {}
}
