package dev.offsetd.server.admin.map;

import java.util.List;

/**
 * Statistics of a layout, as pahole prints them.
 *
 * @param size in bytes
 * @param members named members, including those of unnamed members
 * @param holes number of holes of whole bytes
 * @param bitHoleBits of holes that are not whole bytes
 * @param cacheLines lines of a value that is aligned to one
 */
public record LayoutStatistics(long size, int members, int holes, long holeBytes, long bitHoleBits, long cacheLines) {

    /** Bytes of a cache line on almost every processor. */
    public static final int CACHE_LINE = 64;

    /** Counts the pieces of a type. Members of named members and holes inside alternatives of a union do not count. */
    public static LayoutStatistics of(List<Piece> pieces, long size) {
        Counter count = new Counter();
        count.add(pieces, false);
        return new LayoutStatistics(
                size,
                count.members,
                count.holes,
                count.holeBits / Byte.SIZE,
                count.bitHoleBits,
                Math.ceilDiv(size, CACHE_LINE));
    }

    /** Returns the percentage of the type that no member uses. */
    public double paddingPercent() {
        return size == 0 ? 0 : 100.0 * (holeBytes + bitHoleBits / (double) Byte.SIZE) / size;
    }

    private static final class Counter {

        private int members;
        private int holes;
        private long holeBits;
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
                    bitHoleBits += piece.bits().length();
                }
            }
        }
    }
}
