package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.query.item.Outcome;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * What the debug information says of a pin's item.
 *
 * @param mark of what the pin has a say in
 * @param clear whether it does not say several things that differ
 */
record PinFacts(PinMark mark, boolean clear) {

    /** @param outcome of the item; empty without debug information */
    static PinFacts of(Pin pin, Optional<Outcome> outcome) {
        return new PinFacts(
                new PinMark(
                        pin.source(),
                        pin.item().text(),
                        outcome.map(PinFacts::extent).orElse(null)),
                outcome.filter(Outcome.Ambiguous.class::isInstance).isEmpty());
    }

    private static PinMark.@Nullable Extent extent(Outcome outcome) {
        return switch (outcome) {
            case Outcome.PathFound path ->
                new PinMark.Extent.OfMember(
                        path.place().bitOffset(),
                        path.place().size(),
                        path.place().isBitField() ? path.place().bitSize() : Member.NOT_A_BIT_FIELD);
            case Outcome.TypeFound type ->
                new PinMark.Extent.OfType(type.definition().shape().byteSize());
            default -> null;
        };
    }
}
