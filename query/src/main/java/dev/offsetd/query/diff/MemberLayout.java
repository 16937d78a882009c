package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Offset, size and type of a member on one side of a comparison.
 *
 * @param bitOffset bits from the start of the type to the first bit in memory order; null if only the running program knows
 * @param size in bytes, of a bit-field those of its declared type; {@link TypeShape#UNKNOWN_SIZE} if unknown
 * @param bitSize width in bits of a bit-field, or {@link Member#NOT_A_BIT_FIELD}
 * @param type {@link #spelled} type
 * @param placement the placement of the member; null for the target of a typedef, and if it is known only at run time
 */
public record MemberLayout(
        @Nullable Long bitOffset, long size, int bitSize, String type, Placement.@Nullable Fixed placement) {

    /** Returns the layout of a member with this placement. */
    public static MemberLayout of(Placement placement) {
        return switch (placement) {
            case Placement.Fixed fixed ->
                new MemberLayout(
                        fixed.bitOffset(),
                        fixed.isBitField() ? fixed.storageBytes() : fixed.size(),
                        fixed.bitSize(),
                        spelled(fixed.type()),
                        fixed);
            case Placement.Computed computed ->
                new MemberLayout(
                        null, computed.type().byteSize(), Member.NOT_A_BIT_FIELD, spelled(computed.type()), null);
        };
    }

    /** Returns a type as C spells it, with its byte order if that is not the one of the build. */
    static String spelled(TypeShape type) {
        ByteOrder order = type.byteOrder();
        return order == null
                ? type.spelling()
                : type.spelling() + (order == ByteOrder.BIG_ENDIAN ? " (big-endian)" : " (little-endian)");
    }

    public boolean isBitField() {
        return bitSize != Member.NOT_A_BIT_FIELD;
    }
}
