package dev.offsetd.server.admin.pins;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.server.admin.Format;
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
record ValueComparison(List<ComparedPart> lines) {

    /**
     * A part.
     *
     * @param left empty if the left value lacks it
     */
    record ComparedPart(String part, String left, String right, boolean differs) {}

    /** Compares two values; null stands for a missing one. */
    static ValueComparison of(@Nullable PinnedValue left, @Nullable PinnedValue right) {
        List<ComparedPart> lines = new ArrayList<>();
        PinnedValue.OfMember leftPlace = left instanceof PinnedValue.OfMember place ? place : null;
        PinnedValue.OfMember rightPlace = right instanceof PinnedValue.OfMember place ? place : null;
        if (leftPlace != null || rightPlace != null) {
            add(
                    lines,
                    "offset",
                    number(leftPlace, PinnedValue.OfMember::offset),
                    number(rightPlace, PinnedValue.OfMember::offset));
            add(
                    lines,
                    "size",
                    number(leftPlace, PinnedValue.OfMember::size),
                    number(rightPlace, PinnedValue.OfMember::size));
            add(lines, "bits", bits(leftPlace), bits(rightPlace));
            add(lines, "type", type(leftPlace), type(rightPlace));
        }
        PinnedValue.OfType leftType = left instanceof PinnedValue.OfType type ? type : null;
        PinnedValue.OfType rightType = right instanceof PinnedValue.OfType type ? type : null;
        if (leftType != null || rightType != null) {
            add(lines, "size", size(leftType), size(rightType));
            addMembers(lines, leftType, rightType);
        }
        return new ValueComparison(lines);
    }

    private static void addMembers(
            List<ComparedPart> lines, PinnedValue.@Nullable OfType left, PinnedValue.@Nullable OfType right) {
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

    private static void add(List<ComparedPart> lines, String part, String left, String right) {
        if (!left.isEmpty() || !right.isEmpty()) {
            // The spelling of a type does not affect answers.
            lines.add(new ComparedPart(part, left, right, !part.equals("type") && !Objects.equals(left, right)));
        }
    }

    private interface MemberNumber {
        long of(PinnedValue.OfMember place);
    }

    private static String number(PinnedValue.@Nullable OfMember place, MemberNumber part) {
        if (place == null) {
            return "";
        }
        long number = part.of(place);
        return Format.count(number) + " (0x" + Long.toHexString(number) + ")";
    }

    private static String bits(PinnedValue.@Nullable OfMember place) {
        PinnedValue.Bits bits = place == null ? null : place.bits();
        return bits == null ? "" : Format.count(bits.bitSize()) + " from bit " + Format.count(bits.bitOffset());
    }

    private static String type(PinnedValue.@Nullable OfMember place) {
        String type = place == null ? null : place.type();
        return type == null ? "" : type;
    }

    private static String size(PinnedValue.@Nullable OfType type) {
        return type == null ? "" : Format.count(type.size());
    }

    private static String place(PinnedValue.@Nullable OfMember place) {
        return place == null
                ? ""
                : "offset " + Format.count(place.offset()) + ", size " + Format.count(place.size())
                        + (place.bits() == null ? "" : ", " + bits(place));
    }
}
