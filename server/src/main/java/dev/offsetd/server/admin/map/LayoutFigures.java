package dev.offsetd.server.admin.map;

import java.util.List;

/**
 * What the pieces of a type come to.
 *
 * @param size in bytes
 * @param members named ones, those of unnamed members included
 * @param holes runs of whole bytes that no member uses
 * @param holeBytes their bytes
 * @param bitHoles runs of less than a byte
 * @param bitHoleBits their bits
 * @param cacheLines that a value touches if it begins where one does
 */
public record LayoutFigures(
        long size, int members, int holes, long holeBytes, int bitHoles, long bitHoleBits, long cacheLines) {

    /** Bytes of a cache line, on nearly every processor. */
    public static final int CACHE_LINE = 64;

    /**
     * Counts the pieces of a type; those of members with a name, and holes that only alternatives of a union have, are left
     * out.
     */
    public static LayoutFigures of(List<Piece> pieces, long size) {
        Count count = new Count();
        count.add(pieces, false);
        return new LayoutFigures(
                size,
                count.members,
                count.holes,
                count.holeBits / Byte.SIZE,
                count.bitHoles,
                count.bitHoleBits,
                Math.ceilDiv(size, CACHE_LINE));
    }

    /** Percent of the type that no member uses. */
    public double paddingPercent() {
        return size == 0 ? 0 : 100.0 * (holeBytes + bitHoleBits / (double) Byte.SIZE) / size;
    }

    private static final class Count {

        private int members;
        private int holes;
        private long holeBits;
        private int bitHoles;
        private long bitHoleBits;

        void add(List<Piece> pieces, boolean alternatives) {
            for (Piece piece : pieces) {
                if (!piece.isHole()) {
                    if (!piece.path().isEmpty()) {
                        members++;
                    } else {
                        add(piece.inside(), alternatives || piece.kind() == Piece.Kind.UNION);
                    }
                } else if (!alternatives && piece.bits().isWholeBytes()) {
                    holes++;
                    holeBits += piece.bits().length();
                } else if (!alternatives) {
                    bitHoles++;
                    bitHoleBits += piece.bits().length();
                }
            }
        }
    }
}
