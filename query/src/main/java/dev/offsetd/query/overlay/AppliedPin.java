package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import org.jspecify.annotations.Nullable;

/**
 * A pin as answers name it.
 *
 * @param source key of its provenance in answers
 * @param item the pinned item
 * @param extracted the item by the debug information; null if it has none, or several that differ
 */
public record AppliedPin(
        String source, String item, @Nullable Extent extracted) {

    /** Location or size of an item. */
    public sealed interface Extent {

        /** Returns the value as text formats write it. */
        default String words() {
            return switch (this) {
                case OfType(long bytes) -> size(bytes);
                case OfMember(long bitOffset, long bytes, int bits) ->
                    bits == Member.NOT_A_BIT_FIELD
                            ? "offset " + Math.floorDiv(bitOffset, Byte.SIZE) + ", " + size(bytes)
                            : "bit " + bitOffset + ", " + bits + (bits == 1 ? " bit" : " bits");
            };
        }

        private static String size(long bytes) {
            return bytes == TypeShape.UNKNOWN_SIZE ? "size unknown" : "size " + bytes;
        }

        /**
         * A member.
         *
         * @param bitOffset bits from the start of the item's outermost type to the first bit in memory order
         * @param byteSize in bytes, for a bit-field the bytes that its bits touch; {@link TypeShape#UNKNOWN_SIZE} if unknown
         * @param bitSize width in bits of a bit-field, or {@link Member#NOT_A_BIT_FIELD}
         */
        record OfMember(long bitOffset, long byteSize, int bitSize) implements Extent {

            static OfMember of(Placement.Fixed place) {
                return new OfMember(
                        place.bitOffset(), place.size(), place.isBitField() ? place.bitSize() : Member.NOT_A_BIT_FIELD);
            }
        }

        /**
         * A type.
         *
         * @param byteSize in bytes, or {@link TypeShape#UNKNOWN_SIZE}
         */
        record OfType(long byteSize) implements Extent {}
    }
}
