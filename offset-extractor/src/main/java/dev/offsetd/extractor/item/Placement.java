package dev.offsetd.extractor.item;

import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Where a member lies in the type that the item starts from. */
public sealed interface Placement {

    /** The member's type. */
    TypeShape type();

    /**
     * A place fixed by the compiler.
     *
     * @param bitOffset bits from the start of the outermost type to the first bit in memory order
     * @param bitSize width in bits of a bit-field, or {@link Member#NOT_A_BIT_FIELD}
     * @param storageBytes for a bit-field the size in bytes of its declared type, else 0
     * @param pastEnd whether an index on the way lies past the end of its array
     */
    record Fixed(TypeShape type, long bitOffset, int bitSize, long storageBytes, boolean pastEnd) implements Placement {

        public boolean isBitField() {
            return bitSize != Member.NOT_A_BIT_FIELD;
        }

        /** Bytes from the start of the outermost type; for a bit-field to the byte that holds its first bit. */
        public long offset() {
            return Math.floorDiv(bitOffset, Byte.SIZE);
        }

        /** Size in bytes, for a bit-field the bytes that its bits touch; {@link TypeShape#UNKNOWN_SIZE} if unknown. */
        public long size() {
            return isBitField() ? bytesTouched(bitOffset, bitSize) : type.byteSize();
        }

        /** Whether a bit-field is read with a sign; empty where its type does not say. */
        public Optional<Boolean> signed() {
            return switch (type.peeled()) {
                case EnumShape enumeration -> Optional.of(enumeration.signed());
                case BaseShape base ->
                    switch (base.encoding()) {
                        case SIGNED -> Optional.of(true);
                        case UNSIGNED, BOOLEAN -> Optional.of(false);
                        case FLOATING, OTHER -> Optional.empty();
                    };
                default -> Optional.empty();
            };
        }
    }

    /**
     * A place that only the running program knows.
     *
     * @param reason why, in a few words
     */
    record Computed(TypeShape type, String reason) implements Placement {}

    /** Bytes that {@code bitSize} bits from {@code bitOffset} lie in. */
    static long bytesTouched(long bitOffset, long bitSize) {
        return bitSize == 0
                ? 0
                : Math.floorDiv(bitOffset + bitSize - 1, Byte.SIZE) - Math.floorDiv(bitOffset, Byte.SIZE) + 1;
    }

    /**
     * Elements of each dimension of an array, outermost first, those of arrays in typedefs and in arrays included;
     * {@link ArrayShape#FLEXIBLE} for one that has no count. Empty if the type is no array.
     */
    static List<Long> counts(TypeShape type) {
        if (!(type.peeled() instanceof ArrayShape array)) {
            return List.of();
        }
        TypeShape element = array.element();
        if (!(element.peeled() instanceof ArrayShape)) {
            return array.counts();
        }
        List<Long> counts = new ArrayList<>(array.counts());
        while (element.peeled() instanceof ArrayShape inner) {
            counts.addAll(inner.counts());
            element = inner.element();
        }
        return counts;
    }
}
