package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import org.jspecify.annotations.Nullable;

/**
 * Where a member lies on one side of a comparison, and what it is.
 *
 * @param bitOffset bits from the start of the type to the first bit in memory order; null if only the running program knows
 * @param size in bytes, of a bit-field those of its declared type; {@link TypeShape#UNKNOWN_SIZE} if unknown
 * @param bitSize width in bits of a bit-field, or {@link Member#NOT_A_BIT_FIELD}
 * @param type as C spells it
 * @param placement the way to it; null for what a type stands for, and for what only the running program knows
 */
public record Place(
        @Nullable Long bitOffset, long size, int bitSize, String type, Placement.@Nullable Fixed placement) {

    public boolean isBitField() {
        return bitSize != Member.NOT_A_BIT_FIELD;
    }
}
