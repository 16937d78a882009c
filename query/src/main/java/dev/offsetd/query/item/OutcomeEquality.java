package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import java.util.stream.Collectors;

/**
 * Equality of outcomes in the item that they answer: of types by their layouts, of members by their placements and layouts,
 * of enumerators by their values. Not thread-safe.
 */
public final class OutcomeEquality {

    private final LayoutEquality layouts;

    public OutcomeEquality() {
        this(new LayoutEquality());
    }

    /** @param layouts may be shared with others */
    public OutcomeEquality(LayoutEquality layouts) {
        this.layouts = layouts;
    }

    /**
     * Returns a key that is equal for outcomes that agree. It is a text because a file can have many definitions whose keys
     * share a hash.
     *
     * @throws IllegalArgumentException if the outcome has an address or is a set: these belong to one build
     */
    public String keyOf(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.TypeFound type ->
                "type " + layouts.classOf(type.definition().shape());
            case ItemOutcome.PathFound path -> keyOf(path.placement());
            case ItemOutcome.PlanFound(var _, var _, ReadPlan plan) ->
                plan.pointers().stream()
                        .map(pointer -> whole(keyOf(pointer)))
                        .collect(Collectors.joining("", "behind ", keyOf(plan.target())));
            case ItemOutcome.VariableFound found ->
                "variable " + found.variable().address() + " " + whole(String.valueOf(found.symbol()))
                        + keyOf(found.part());
            case ItemOutcome.EnumeratorFound(EnumeratorDefinition found) ->
                "enumerator " + found.enumerator().value() + " "
                        + found.enumeration().shape().byteSize();
            case ItemOutcome.Ambiguous ambiguous ->
                ambiguous.variants().stream()
                        .map(variant -> whole(keyOf(variant.outcome())))
                        .collect(Collectors.joining("", "any of ", ""));
            case ItemOutcome.CrossesPointer crosses ->
                crosses.status() + " " + whole(crosses.at()) + keyOf(crosses.placement());
            case ItemOutcome.Computed computed ->
                outcome.status() + " " + whole(computed.at()) + whole(computed.reason());
            case ItemOutcome.Missed missed -> missed.status().toString();
            case ItemOutcome.StaticFound _,
                    ItemOutcome.SymbolsFound _,
                    ItemOutcome.TlsFound _,
                    ItemOutcome.SetFound _ ->
                throw new IllegalArgumentException("outcomes of one build cannot be compared: " + outcome.status());
        };
    }

    /** Returns a part of a key whose end can be told. */
    private static String whole(String part) {
        return part.length() + ":" + part;
    }

    private String keyOf(Placement.Fixed place) {
        return "at " + place.bitOffset() + " " + place.bitSize() + (place.pastEnd() ? " past the end " : " ")
                + layouts.classOfValue(place.type());
    }
}
