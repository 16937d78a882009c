package dev.offsetd.server.admin.diff;

import dev.offsetd.server.admin.format.Badge;
import dev.offsetd.server.admin.map.Drawing;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Content of the page that compares two builds.
 *
 * @param recent builds to suggest
 * @param error why they cannot be compared; null if they can
 * @param waiting a build that is being fetched; null if there is none
 * @param result null unless items of two builds were compared
 * @param all null unless all types of two builds were compared
 */
record DiffPage(
        DiffForm typed,
        List<String> recent,
        @Nullable String error,
        @Nullable String waiting,
        @Nullable Comparison result,
        @Nullable BuildComparison all) {

    DiffPage {
        recent = List.copyOf(recent);
    }

    /** Returns whether two builds were compared. */
    public boolean isCompared() {
        return result != null || all != null;
    }

    /**
     * The form as typed.
     *
     * @param only whether to show only differences
     */
    record DiffForm(String from, String to, String types, boolean only) {}

    /**
     * The comparison.
     *
     * @param types items that differ or cannot be compared
     * @param same names of items that do not differ
     */
    record Comparison(String fromMachine, String toMachine, List<TypeComparison> types, List<String> same) {

        Comparison {
            types = List.copyOf(types);
            same = List.copyOf(same);
        }
    }

    /**
     * The comparison of all types.
     *
     * @param groups types by type set, then the others
     * @param compared number of compared types
     * @param total number of types of both builds
     * @param differing number of types that differ
     */
    record BuildComparison(
            String fromMachine, String toMachine, List<Group> groups, int compared, int total, int differing) {

        BuildComparison {
            groups = List.copyOf(groups);
        }
    }

    /**
     * The types of a set that differ.
     *
     * @param title the set, or "Other types"
     * @param counts number of types by status, as text
     * @param more number of omitted types
     */
    record Group(String title, String counts, List<ChangedType> types, int more) {

        Group {
            types = List.copyOf(types);
        }
    }

    /**
     * A type that differs.
     *
     * @param path of its comparison
     * @param left as for an item
     * @param members what changed in its members
     */
    record ChangedType(
            String name, String path, String sign, Badge status, String left, String right, String members) {}

    /**
     * An item, or a type that an item holds by value.
     *
     * @param sign a character for the status
     * @param left kind and size in the first build; empty if it is missing there
     * @param detail why it cannot be compared; null if it was compared
     * @param more number of omitted rows
     * @param maps null unless a struct, union or class of both builds differs
     */
    record TypeComparison(
            String name,
            String sign,
            Badge status,
            String left,
            String right,
            @Nullable String detail,
            List<MemberRow> rows,
            int more,
            @Nullable Maps maps) {

        TypeComparison {
            rows = List.copyOf(rows);
        }
    }

    /**
     * Memory maps of a type in both builds.
     *
     * @param marks what changed in members, by path
     */
    record Maps(Drawing left, Drawing right, Map<String, String> marks) {}

    /**
     * A member or an enumerator.
     *
     * @param sign as for a type
     * @param change what changed, or "same"
     * @param style class of the row
     */
    record MemberRow(String name, String sign, String change, String style, Cell left, Cell right) {}

    /**
     * A member in one build; all empty if it is missing there.
     *
     * @param offset in bytes, with the bit of a bit-field; the value of an enumerator
     * @param pinned the extracted value of a pinned member; null if it is not pinned
     */
    record Cell(
            String offset,
            String size,
            String type,
            @Nullable String pinned) {

        static final Cell NOTHING = new Cell("", "", "", null);
    }
}
