package dev.offsetd.server.admin.typesets;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the list of type sets shows.
 *
 * @param next path of the next page; null if this is the last
 */
record TypeSetsPage(List<Row> rows, @Nullable String next, boolean first) {

    TypeSetsPage {
        rows = List.copyOf(rows);
    }

    /** A set. */
    record Row(String name, int version, String title, boolean builtIn, int required, int optional, int items) {}
}
