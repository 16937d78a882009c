package dev.offsetd.server.admin.diff;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What the page of differences shows.
 *
 * @param asked what was typed
 * @param recent builds that may be meant
 * @param error why there is nothing to show; null if there is, or nothing was asked
 * @param waiting build-id of a build that is being fetched; null if none is
 * @param result null unless two builds were compared
 */
record DiffPage(
        Asked asked,
        List<String> recent,
        @Nullable String error,
        @Nullable String waiting,
        @Nullable Result result) {

    DiffPage {
        recent = List.copyOf(recent);
    }

    /**
     * What was typed.
     *
     * @param only whether only what differs is to be shown
     */
    record Asked(String from, String to, String types, boolean only) {}

    /**
     * Two builds side by side.
     *
     * @param types that differ or cannot be compared
     * @param same names of those that do not differ
     */
    record Result(String fromMachine, String toMachine, List<Type> types, List<String> same) {

        Result {
            types = List.copyOf(types);
            same = List.copyOf(same);
        }
    }

    /**
     * A type, or another item that was asked for.
     *
     * @param sign a character that tells without colour what became of it
     * @param badge class of its badge
     * @param left kind and size on the left; empty if it is not there
     * @param detail why it cannot be compared; null if it was
     * @param more rows that are left out
     */
    record Type(
            String name,
            String sign,
            String word,
            String badge,
            String left,
            String right,
            @Nullable String detail,
            List<Row> rows,
            int more) {

        Type {
            rows = List.copyOf(rows);
        }
    }

    /**
     * A member or an enumerator.
     *
     * @param sign as for a type
     * @param words what has happened to it; "same" if nothing has
     * @param look class of the row
     */
    record Row(String name, String sign, String words, String look, Cell left, Cell right) {}

    /**
     * One side of a member; all empty if it is not there.
     *
     * @param place where it is, in bytes, of a bit-field with its bits; of an enumerator its value
     * @param size in bytes or bits
     * @param pinned what to say of a place that somebody has pinned; null if nobody has
     */
    record Cell(
            String place,
            String size,
            String type,
            @Nullable String pinned) {

        static final Cell NOTHING = new Cell("", "", "", null);
    }
}
