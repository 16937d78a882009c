package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import java.util.List;

/**
 * Equality of outcomes in the item that they answer: of types by their layouts, of members by their placements and layouts,
 * of enumerators by their values. Not thread-safe.
 */
public final class OutcomeEquality {

    private final LayoutEquality layouts;

    public OutcomeEquality() {
        this(new LayoutEquality());
    }

    OutcomeEquality(LayoutEquality layouts) {
        this.layouts = layouts;
    }

    /**
     * Returns a key that is equal for outcomes that agree.
     *
     * @throws IllegalArgumentException if the outcome has an address or is a set: these belong to one build
     */
    public Object keyOf(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound type -> layouts.classOf(type.definition().shape());
            case ItemOutcome.PathFound path -> keyOf(path.placement());
            case ItemOutcome.EnumeratorFound(EnumeratorDefinition found) ->
                List.of(found.enumerator().value(), found.enumeration().shape().byteSize());
            case ItemOutcome.Ambiguous ambiguous ->
                ambiguous.variants().stream()
                        .map(variant -> keyOf(variant.outcome()))
                        .toList();
            case ItemOutcome.CrossesPointer crosses ->
                List.of(crosses.status(), crosses.at(), keyOf(crosses.placement()));
            case ItemOutcome.Computed computed -> List.of(outcome.status(), computed.at(), computed.reason());
            case ItemOutcome.Missed missed -> missed.status();
            case ItemOutcome.StaticFound _,
                    ItemOutcome.SymbolsFound _,
                    ItemOutcome.TlsFound _,
                    ItemOutcome.SetFound _ ->
                throw new IllegalArgumentException("outcomes of one build cannot be compared: " + outcome.status());
        };
    }

    private PlacementKey keyOf(Placement.Fixed place) {
        return new PlacementKey(
                place.bitOffset(), place.bitSize(), place.pastEnd(), layouts.classOfValue(place.type()));
    }

    private record PlacementKey(long bitOffset, int bitSize, boolean pastEnd, int layout) {}
}
