package dev.offsetd.server.admin.pins;

import dev.offsetd.query.overlay.PinnedValue;
import dev.offsetd.query.overlay.PinnedValue.OfMember;
import dev.offsetd.query.overlay.PinnedValue.OfType;
import dev.offsetd.server.admin.Format;
import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/** Two values compared part by part. */
final class ValueComparison {

    private final List<ComparedPart> parts = new ArrayList<>();

    private ValueComparison() {}

    /**
     * A part.
     *
     * @param left empty if the left value lacks it
     */
    record ComparedPart(String part, String left, String right, boolean differs) {}

    /** Compares two values; null stands for a missing one. */
    static List<ComparedPart> of(@Nullable PinnedValue left, @Nullable PinnedValue right) {
        ValueComparison comparison = new ValueComparison();
        OfMember leftPlace = left instanceof OfMember place ? place : null;
        OfMember rightPlace = right instanceof OfMember place ? place : null;
        comparison.add("offset", leftPlace, rightPlace, place -> number(place.offset()));
        comparison.add("size", leftPlace, rightPlace, place -> number(place.size()));
        comparison.add("bits", leftPlace, rightPlace, ValueComparison::bits);
        comparison.add("type", leftPlace, rightPlace, place -> Objects.toString(place.type(), ""));
        OfType leftType = left instanceof OfType type ? type : null;
        OfType rightType = right instanceof OfType type ? type : null;
        comparison.add("size", leftType, rightType, type -> Format.count(type.size()));
        // A pin of the size alone does not pin members.
        if (rightType == null || !rightType.members().isEmpty()) {
            Map<String, OfMember> leftMembers = leftType == null ? Map.of() : leftType.members();
            Map<String, OfMember> rightMembers = rightType == null ? Map.of() : rightType.members();
            Set<String> names = new LinkedHashSet<>(leftMembers.keySet());
            names.addAll(rightMembers.keySet());
            names.forEach(name ->
                    comparison.add(name, leftMembers.get(name), rightMembers.get(name), ValueComparison::place));
        }
        return comparison.parts;
    }

    private <T> void add(String part, @Nullable T left, @Nullable T right, Function<T, String> text) {
        String leftText = left == null ? "" : text.apply(left);
        String rightText = right == null ? "" : text.apply(right);
        if (!leftText.isEmpty() || !rightText.isEmpty()) {
            // The spelling of a type does not affect answers.
            parts.add(new ComparedPart(part, leftText, rightText, !part.equals("type") && !leftText.equals(rightText)));
        }
    }

    private static String number(long number) {
        return Format.count(number) + " (" + Format.hex(number) + ")";
    }

    private static String bits(OfMember place) {
        PinnedValue.Bits bits = place.bits();
        return bits == null ? "" : Format.count(bits.bitSize()) + " from bit " + Format.count(bits.bitOffset());
    }

    private static String place(OfMember place) {
        return "offset " + Format.count(place.offset()) + ", size " + Format.count(place.size())
                + (place.bits() == null ? "" : ", " + bits(place));
    }
}
