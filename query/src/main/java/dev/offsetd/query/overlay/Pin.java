package dev.offsetd.query.overlay;

import dev.offsetd.query.item.Item;

/**
 * One pin.
 *
 * @param source key of its provenance in answers
 * @param item a type, for a {@link PinnedValue.Type}, or a member path without indexes, for a {@link PinnedValue.Place}
 * @param value what it says of the item
 */
public record Pin(String source, Item item, PinnedValue value) {

    /** @throws IllegalArgumentException if such a value cannot be pinned to the item, or cannot be at all */
    public Pin {
        PinPath.of(item, value);
        Ranges.require(value);
    }

    PinPath path() {
        return PinPath.of(item, value);
    }
}
