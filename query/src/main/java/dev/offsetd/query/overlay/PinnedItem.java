package dev.offsetd.query.overlay;

import dev.offsetd.query.item.Item;

/**
 * An administrator's override of one item of one build.
 *
 * @param source key of its provenance in answers
 * @param item a type, for a {@link PinnedValue.OfType}, or a member path without indexes, for a {@link PinnedValue.OfMember}
 * @param value the pinned value
 */
public record PinnedItem(String source, Item item, PinnedValue value) {

    /** Checks that the value fits the kind of item and is in range. */
    public PinnedItem {
        PinPath.of(item, value);
        ValueLimits.require(value);
    }

    PinPath path() {
        return PinPath.of(item, value);
    }
}
