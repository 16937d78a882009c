package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.query.item.ItemOutcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * A pin with the value of its item by the debug information.
 *
 * @param mark the pin in answers
 * @param clear whether the debug information does not have several values that differ
 */
record ResolvedPin(AppliedPin mark, boolean clear) {

    /** Reads the extracted value from the outcome of the item; empty without debug information. */
    static ResolvedPin of(PinnedItem pin, Optional<ItemOutcome> outcome) {
        return new ResolvedPin(
                new AppliedPin(
                        pin.source(),
                        pin.item().text(),
                        outcome.map(ResolvedPin::extent).orElse(null)),
                outcome.filter(ItemOutcome.Ambiguous.class::isInstance).isEmpty());
    }

    private static AppliedPin.@Nullable Extent extent(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.PathFound path ->
                new AppliedPin.Extent.OfMember(
                        path.placement().bitOffset(),
                        path.placement().size(),
                        path.placement().isBitField() ? path.placement().bitSize() : Member.NOT_A_BIT_FIELD);
            case ItemOutcome.TypeFound type ->
                new AppliedPin.Extent.OfType(type.definition().shape().byteSize());
            default -> null;
        };
    }
}
