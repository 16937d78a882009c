package dev.offsetd.server.admin.pins;

import dev.offsetd.query.overlay.PinnedValue;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Two values compared part by part.
 *
 * @param lines one for each part that a value has
 */
record Comparison(List<Line> lines) {

    /**
     * A part.
     *
     * @param left empty if the left value lacks it
     */
    record Line(String part, String left, String right, boolean differs) {}

    /** Compares two values; null stands for a missing one. */
    static Comparison of(@Nullable PinnedValue left, @Nullable PinnedValue right) {
        List<Line> lines = new ArrayList<>();
        PinnedValue.Place leftPlace = left instanceof PinnedValue.Place place ? place : null;
        PinnedValue.Place rightPlace = right instanceof PinnedValue.Place place ? place : null;
        if (leftPlace != null || rightPlace != null) {
            add(
                    lines,
                    "offset",
                    number(leftPlace, PinnedValue.Place::offset),
                    number(rightPlace, PinnedValue.Place::offset));
            add(lines, "size", number(leftPlace, PinnedValue.Place::size), number(rightPlace, PinnedValue.Place::size));
            add(lines, "bits", bits(leftPlace), bits(rightPlace));
            add(lines, "type", type(leftPlace), type(rightPlace));
        }
        PinnedValue.Type leftType = left instanceof PinnedValue.Type type ? type : null;
        PinnedValue.Type rightType = right instanceof PinnedValue.Type type ? type : null;
        if (leftType != null || rightType != null) {
            add(lines, "size", size(leftType), size(rightType));
            addMembers(lines, leftType, rightType);
        }
        return new Comparison(lines);
    }

    private static void addMembers(
            List<Line> lines, PinnedValue.@Nullable Type left, PinnedValue.@Nullable Type right) {
        if (right != null && right.members().isEmpty()) {
            // A pin of the size alone does not pin members.
            return;
        }
        Set<String> names = new LinkedHashSet<>();
        if (left != null) {
            names.addAll(left.members().keySet());
        }
        if (right != null) {
            names.addAll(right.members().keySet());
        }
        for (String name : names) {
            add(
                    lines,
                    name,
                    place(left == null ? null : left.members().get(name)),
                    place(right == null ? null : right.members().get(name)));
        }
    }

    private static void add(List<Line> lines, String part, String left, String right) {
        if (!left.isEmpty() || !right.isEmpty()) {
            // The spelling of a type does not affect answers.
            lines.add(new Line(part, left, right, !part.equals("type") && !Objects.equals(left, right)));
        }
    }

    private interface Part {
        long of(PinnedValue.Place place);
    }

    private static String number(PinnedValue.@Nullable Place place, Part part) {
        if (place == null) {
            return "";
        }
        long number = part.of(place);
        return number + " (0x" + Long.toHexString(number) + ")";
    }

    private static String bits(PinnedValue.@Nullable Place place) {
        PinnedValue.Bits bits = place == null ? null : place.bits();
        return bits == null ? "" : bits.bitSize() + " from bit " + bits.bitOffset();
    }

    private static String type(PinnedValue.@Nullable Place place) {
        String type = place == null ? null : place.type();
        return type == null ? "" : type;
    }

    private static String size(PinnedValue.@Nullable Type type) {
        return type == null ? "" : Long.toString(type.size());
    }

    private static String place(PinnedValue.@Nullable Place place) {
        return place == null
                ? ""
                : "offset " + place.offset() + ", size " + place.size()
                        + (place.bits() == null ? "" : ", " + bits(place));
    }
}
