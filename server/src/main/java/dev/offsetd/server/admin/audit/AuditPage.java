package dev.offsetd.server.admin.audit;

import dev.offsetd.server.admin.shell.Moment;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page of changes shows.
 *
 * @param actions what was ever done
 * @param next path of the next page; null if this is the last
 * @param csv path of all that is asked for as CSV
 */
record AuditPage(
        List<Row> rows,
        Asked asked,
        List<String> actions,
        @Nullable String next,
        boolean first,
        String csv) {

    AuditPage {
        rows = List.copyOf(rows);
        actions = List.copyOf(actions);
    }

    /** What is asked for, as it was typed; empty where nothing was. */
    record Asked(String who, String action, String subject, String from, String until) {}

    /**
     * A change.
     *
     * @param build whether the subject is a build-id
     * @param token id of the token that did it; null if it was none
     */
    record Row(
            long id,
            Moment at,
            String who,
            @Nullable String token,
            String address,
            String action,
            String subject,
            boolean build,
            String requestId,
            List<JsonChanges.Change> changes) {

        Row {
            changes = List.copyOf(changes);
        }
    }
}
