package dev.offsetd.server.admin.map;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Pieces of a type arranged in rows of bytes. Pieces that share bits are stacked in {@link Lanes}; others take the full
 * height of their rows. If one piece fills a long run of rows, only the first and the last are drawn.
 *
 * @param nextByte first byte of the next line, or {@link #NO_MORE}
 */
record MemoryMap(List<MapLine> lines, long nextByte) {

    /** {@link #nextByte} when everything is drawn. */
    static final long NO_MORE = -1;

    /** Rows of one piece from which those in the middle are omitted. */
    static final int LONG_RUN = 5;

    private static final BitSet ONE_LANE = BitSet.valueOf(new long[] {1});

    MemoryMap {
        lines = List.copyOf(lines);
    }

    /**
     * The part of the type to draw.
     *
     * @param rowBytes a divisor of the size of a cache line
     * @param firstByte a multiple of {@code rowBytes}
     */
    record Window(int rowBytes, long firstByte, int maxLines) {

        int rowBits() {
            return rowBytes * Byte.SIZE;
        }
    }

    sealed interface MapLine {

        /** Returns the offset of its first byte in the type. */
        long offset();

        /**
         * A row of bytes.
         *
         * @param lanes highest number of stacked lanes
         * @param segments sorted by first bit, then lane
         * @param ghosts extracted placements of members that a pin moves
         */
        record ByteRow(long offset, int lanes, List<Segment> segments, List<Segment> ghosts) implements MapLine {}

        /** Omitted rows that the piece fills. */
        record SkippedRows(long offset, long bytes, Piece piece) implements MapLine {}
    }

    /**
     * The part of a piece in one row.
     *
     * @param firstBit from the start of the row, inclusive
     * @param endBit exclusive; equal to the first for a piece without bits
     * @param fromLane inclusive
     * @param toLane exclusive
     * @param lanes number of lanes of its cluster that are used in this row
     */
    record Segment(Piece piece, int firstBit, int endBit, int fromLane, int toLane, int lanes) {

        /** Returns whether it takes the full height of its row. */
        boolean isFullHeight() {
            return fromLane == 0 && toLane == lanes;
        }
    }

    /** Arranges the pieces of a type of this size in bytes. */
    static MemoryMap of(List<Piece> pieces, long size, Window window) {
        List<PlacedPiece> placed = new ArrayList<>();
        List<PlacedPiece> ghosts = new ArrayList<>();
        List<Lanes.Leaf> leaves = Lanes.of(pieces);
        TreeSet<Long> starts = new TreeSet<>();
        leaves.forEach(leaf -> starts.add(leaf.piece().bits().first()));
        for (Lanes.Leaf leaf : leaves) {
            placed.add(new PlacedPiece(leaf, visible(leaf.piece(), window.rowBits(), starts)));
            Piece.Pinned pin = leaf.piece().pin();
            if (pin != null
                    && pin.extracted() != null
                    && !pin.extracted().equals(leaf.piece().bits())) {
                ghosts.add(new PlacedPiece(new Lanes.Leaf(leaf.piece(), 0, 1, 1, 0), pin.extracted()));
            }
        }
        return new RowBuilder(placed, ghosts, size, window).build();
    }

    /**
     * Returns the bits to draw. A piece of unknown size extends to the next piece, a flexible array to the end of its row at
     * most; so does the last piece.
     */
    private static BitRange visible(Piece piece, int rowBits, TreeSet<Long> starts) {
        BitRange bits = piece.bits();
        boolean endless = piece.kind() == Piece.Kind.OPEN || piece.isUnknown();
        long toRowEnd = rowBits - bits.first() % rowBits;
        if (!endless || bits.length() > 0 || bits.first() > Long.MAX_VALUE - toRowEnd) {
            return bits;
        }
        Long next = starts.higher(bits.first());
        if (next == null) {
            return new BitRange(bits.first(), toRowEnd);
        }
        long toNext = next - bits.first();
        return new BitRange(bits.first(), piece.isUnknown() ? toNext : Math.min(toRowEnd, toNext));
    }

    private record PlacedPiece(Lanes.Leaf leaf, BitRange bits) {

        /** Returns whether part of it is in the row of these bits. A piece without bits is in the row of its offset. */
        boolean isIn(long rowStart, long rowEnd) {
            return bits.first() < rowEnd && (bits.end() > rowStart || (bits.length() == 0 && bits.first() >= rowStart));
        }

        /** @param used lanes of its cluster with a piece in this row; other lanes get no height */
        Segment segment(long rowStart, long rowEnd, BitSet used) {
            return new Segment(
                    leaf.piece(),
                    (int) (Math.max(bits.first(), rowStart) - rowStart),
                    (int) (Math.min(bits.end(), rowEnd) - rowStart),
                    used.get(0, leaf.fromLane()).cardinality(),
                    used.get(0, leaf.toLane()).cardinality(),
                    used.cardinality());
        }
    }

    /** Builds the rows from top to bottom. */
    private static final class RowBuilder {

        private final List<PlacedPiece> waiting;
        private final List<PlacedPiece> ghosts;
        private final Window window;
        private final long endBit;
        private final List<PlacedPiece> open = new ArrayList<>();
        private final List<MapLine> lines = new ArrayList<>();
        private int taken;

        RowBuilder(List<PlacedPiece> placed, List<PlacedPiece> ghosts, long size, Window window) {
            this.waiting = placed.stream()
                    .sorted(Comparator.comparingLong(one -> one.bits().first()))
                    .toList();
            this.ghosts = ghosts;
            this.window = window;
            long end = Math.min(size, Long.MAX_VALUE / Byte.SIZE) * Byte.SIZE;
            for (PlacedPiece one : placed) {
                // A piece without bits at the very end needs a row too.
                end = Math.max(
                        end,
                        one.bits().length() == 0
                                ? Math.addExact(one.bits().first(), 1)
                                : one.bits().end());
            }
            for (PlacedPiece ghost : ghosts) {
                end = Math.max(end, ghost.bits().end());
            }
            // The offsets of later rows would overflow.
            this.endBit = Math.min(end, Long.MAX_VALUE - 2L * window.rowBits());
        }

        MemoryMap build() {
            long rowStart = window.firstByte() * Byte.SIZE;
            while (rowStart < endBit) {
                if (lines.size() >= window.maxLines()) {
                    return new MemoryMap(lines, rowStart / Byte.SIZE);
                }
                rowStart = row(rowStart);
            }
            return new MemoryMap(lines, NO_MORE);
        }

        /** Adds a row, and the omitted rows after it; returns the start of the next one. */
        private long row(long rowStart) {
            long rowEnd = rowStart + window.rowBits();
            open.removeIf(one -> !one.isIn(rowStart, Long.MAX_VALUE));
            while (taken < waiting.size() && waiting.get(taken).bits().first() < rowEnd) {
                PlacedPiece next = waiting.get(taken++);
                if (next.isIn(rowStart, rowEnd)) {
                    open.add(next);
                }
            }
            Map<Integer, BitSet> used = new HashMap<>();
            for (PlacedPiece one : open) {
                used.computeIfAbsent(one.leaf().cluster(), key -> new BitSet())
                        .set(one.leaf().fromLane(), one.leaf().toLane());
            }
            List<Segment> segments = open.stream()
                    .map(one -> one.segment(
                            rowStart, rowEnd, used.getOrDefault(one.leaf().cluster(), new BitSet())))
                    .sorted(Comparator.comparingInt(Segment::firstBit).thenComparingInt(Segment::fromLane))
                    .toList();
            lines.add(new MapLine.ByteRow(
                    rowStart / Byte.SIZE,
                    segments.stream().mapToInt(Segment::lanes).max().orElse(1),
                    segments,
                    ghosts.stream()
                            .filter(ghost -> ghost.isIn(rowStart, rowEnd))
                            .map(ghost -> ghost.segment(rowStart, rowEnd, ONE_LANE))
                            .toList()));
            return open.size() == 1 ? behindLongRun(open.getFirst(), rowStart, rowEnd) : rowEnd;
        }

        private long behindLongRun(PlacedPiece only, long rowStart, long rowEnd) {
            long end = Math.min(only.bits().end(), taken < waiting.size() ? nextFirst() : Long.MAX_VALUE);
            for (PlacedPiece ghost : ghosts) {
                if (ghost.bits().end() > rowStart && ghost.bits().first() < end) {
                    end = Math.max(rowEnd, ghost.bits().first());
                }
            }
            long full = only.bits().first() <= rowStart ? (end - rowStart) / window.rowBits() : 0;
            if (full < LONG_RUN) {
                return rowEnd;
            }
            long last = rowStart + (full - 1) * window.rowBits();
            lines.add(new MapLine.SkippedRows(
                    rowEnd / Byte.SIZE, (last - rowEnd) / Byte.SIZE, only.leaf().piece()));
            return last;
        }

        private long nextFirst() {
            return waiting.get(taken).bits().first();
        }
    }
}
