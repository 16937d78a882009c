package dev.offsetd.query.overlay;

import java.util.Collections;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Value of a pin. */
public sealed interface PinnedValue {

    /** Largest offset and size in bytes; bit counts do not overflow. */
    long MAX_BYTES = 1L << 40;

    /** Longest text of a type. */
    int MAX_TYPE_CHARS = 1_000;

    /** Returns the size in bytes. */
    long size();

    /**
     * Offset and size of a member.
     *
     * @param offset bytes from the start of the item's outermost type; for a bit-field to the byte that holds its first bit
     * @param size in bytes; for a bit-field the bytes that its bits touch
     * @param bits the bits of a bit-field, else null
     * @param type its type in C syntax, or null if the pin has none
     */
    record OfMember(
            long offset,
            long size,
            @Nullable Bits bits,
            @Nullable String type) implements PinnedValue {}

    /**
     * The bits of a bit-field.
     *
     * @param bitOffset bits from the start of the item's outermost type to the first bit in memory order
     * @param bitSize the number of bits
     */
    record Bits(long bitOffset, int bitSize) {}

    /**
     * A type.
     *
     * @param size in bytes
     * @param members all of its members by name, in order; empty if only the size is pinned
     */
    record OfType(long size, Map<String, OfMember> members) implements PinnedValue {

        public OfType {
            members = Collections.unmodifiableMap(new LinkedHashMap<>(members));
        }
    }
}
