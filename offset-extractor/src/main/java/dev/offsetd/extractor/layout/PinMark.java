package dev.offsetd.extractor.layout;

import org.jspecify.annotations.Nullable;

/**
 * What a value is marked with that somebody has pinned: it does not come from the debug information.
 *
 * @param source key of its provenance in answers
 * @param item what the pin is about, as an item
 * @param extracted what the debug information says of that item; null if nothing, or nothing clear
 */
public record PinMark(String source, String item, @Nullable Extent extracted) {

    /** Returns what texts say of a value with this mark. */
    public String remark(@Nullable Extent extractedThere) {
        return "pinned: " + source + ", extracted: " + (extractedThere == null ? "nothing" : extractedThere.words());
    }

    /** Where an item lies, or how large it is. */
    public sealed interface Extent {

        /** As texts say it. */
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
        record OfMember(long bitOffset, long byteSize, int bitSize) implements Extent {}

        /**
         * A type.
         *
         * @param byteSize in bytes, or {@link TypeShape#UNKNOWN_SIZE}
         */
        record OfType(long byteSize) implements Extent {}
    }
}
