package dev.offsetd.query.overlay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What a pin says of its item. */
public sealed interface PinnedValue {

    /**
     * Where a member lies.
     *
     * @param offset bytes from the start of the item's outermost type; for a bit-field to the byte that holds its first bit
     * @param size in bytes; for a bit-field the bytes that its bits touch
     * @param bits its bits if it is a bit-field, else null
     * @param type its type as C writes it, or null if the pin does not say
     */
    record Place(
            long offset,
            long size,
            @Nullable Bits bits,
            @Nullable String type) implements PinnedValue {}

    /**
     * The bits of a bit-field.
     *
     * @param bitOffset bits from the start of the item's outermost type to the first bit in memory order
     * @param bitSize how many they are
     */
    record Bits(long bitOffset, int bitSize) {}

    /**
     * A whole type.
     *
     * @param size in bytes
     * @param members all of its members by name, in order; empty if the pin says nothing but the size
     */
    record Type(long size, Map<String, Place> members) implements PinnedValue {

        public Type {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }
    }
}
