package dev.offsetd.server.admin.map;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeSet;

/**
 * Where the pieces of a type lie in rows of bytes. Pieces that share bits lie in {@link Lanes}, one below the other; what
 * stands alone takes the whole height of its rows. Of many rows that one piece fills only the first and the last are drawn.
 *
 * @param lines from top to bottom
 * @param nextByte the byte that the next line would begin with, or {@link #NO_MORE}
 */
record MemoryMap(List<Line> lines, long nextByte) {

    /** {@link #nextByte} when everything is drawn. */
    static final long NO_MORE = -1;

    /** From so many rows on that one piece fills, those in the middle are left out. */
    static final int LONG_RUN = 5;

    private static final BitSet ONE_LANE = BitSet.valueOf(new long[] {1});

    MemoryMap {
        lines = List.copyOf(lines);
    }

    /**
     * What part of the type is drawn, and how.
     *
     * @param rowBytes bytes of a row; cache lines are a multiple of it
     * @param firstByte a multiple of that
     * @param maxLines most lines
     */
    record Window(int rowBytes, long firstByte, int maxLines) {

        int rowBits() {
            return rowBytes * Byte.SIZE;
        }
    }

    /** A line of the drawing. */
    sealed interface Line {

        /** Of its first byte, from the start of the type. */
        long offset();

        /**
         * A row of bytes.
         *
         * @param lanes how many lie below each other where there are most
         * @param segments what lies in it, in the order of first bits, then lanes
         * @param ghosts where the debug information has members that a pin has moved
         */
        record Row(long offset, int lanes, List<Segment> segments, List<Segment> ghosts) implements Line {}

        /**
         * Rows that are left out.
         *
         * @param piece what fills them
         */
        record Skipped(long offset, long bytes, Piece piece) implements Line {}
    }

    /**
     * The part of a piece that lies in one row.
     *
     * @param firstBit bits from the start of the row
     * @param endBit the first bit behind it; equal to the first one for what takes no room
     * @param fromLane the first of its lanes
     * @param toLane the first lane behind it
     * @param lanes how many lanes its part of the row is divided into; those that nothing lies in here are not counted
     */
    record Segment(Piece piece, int firstBit, int endBit, int fromLane, int toLane, int lanes) {

        /** Whether it takes the whole height of its row. */
        boolean isFullHeight() {
            return fromLane == 0 && toLane == lanes;
        }
    }

    /**
     * Lays out the pieces of a type.
     *
     * @param size of the type in bytes
     */
    static MemoryMap of(List<Piece> pieces, long size, Window window) {
        List<Placed> placed = new ArrayList<>();
        List<Placed> ghosts = new ArrayList<>();
        List<Lanes.Leaf> leaves = Lanes.of(pieces);
        TreeSet<Long> starts = new TreeSet<>();
        leaves.forEach(leaf -> starts.add(leaf.piece().bits().first()));
        for (Lanes.Leaf leaf : leaves) {
            placed.add(new Placed(leaf, visible(leaf.piece(), window.rowBits(), starts)));
            Piece.Pinned pin = leaf.piece().pin();
            if (pin != null
                    && pin.extracted() != null
                    && !pin.extracted().equals(leaf.piece().bits())) {
                ghosts.add(new Placed(new Lanes.Leaf(leaf.piece(), 0, 1, 1, 0), pin.extracted()));
            }
        }
        return new Reading(placed, ghosts, size, window).read();
    }

    /** The bits that are drawn of a piece: one without a size goes on to the end of its row, or to where another begins. */
    private static Bits visible(Piece piece, int rowBits, TreeSet<Long> starts) {
        Bits bits = piece.bits();
        boolean endless = piece.kind() == Piece.Kind.OPEN || piece.isUnknown();
        long toRowEnd = rowBits - bits.first() % rowBits;
        if (!endless || bits.length() > 0 || bits.first() > Long.MAX_VALUE - toRowEnd) {
            return bits;
        }
        Long next = starts.higher(bits.first());
        return new Bits(bits.first(), next == null ? toRowEnd : Math.min(toRowEnd, next - bits.first()));
    }

    private record Placed(Lanes.Leaf leaf, Bits bits) {

        /** The part in the row of these bits; what takes no room lies in the row that its place is in. */
        boolean isIn(long rowStart, long rowEnd) {
            return bits.first() < rowEnd && (bits.end() > rowStart || (bits.length() == 0 && bits.first() >= rowStart));
        }

        /** @param used the lanes of its cluster that have something in this row; others take no room in it */
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

    /** Goes down the rows with the pieces that reach into them. */
    private static final class Reading {

        private final List<Placed> waiting;
        private final List<Placed> ghosts;
        private final Window window;
        private final long endBit;
        private final List<Placed> open = new ArrayList<>();
        private final List<Line> lines = new ArrayList<>();
        private int taken;

        Reading(List<Placed> placed, List<Placed> ghosts, long size, Window window) {
            this.waiting = placed.stream()
                    .sorted(Comparator.comparingLong(one -> one.bits().first()))
                    .toList();
            this.ghosts = ghosts;
            this.window = window;
            long end = Math.min(size, Long.MAX_VALUE / Byte.SIZE) * Byte.SIZE;
            for (Placed one : placed) {
                // What takes no room at the very end needs a row too.
                end = Math.max(
                        end,
                        one.bits().length() == 0
                                ? Math.addExact(one.bits().first(), 1)
                                : one.bits().end());
            }
            for (Placed ghost : ghosts) {
                end = Math.max(end, ghost.bits().end());
            }
            // Rows behind this one could not be counted.
            this.endBit = Math.min(end, Long.MAX_VALUE - 2L * window.rowBits());
        }

        MemoryMap read() {
            long rowStart = window.firstByte() * Byte.SIZE;
            while (rowStart < endBit) {
                if (lines.size() >= window.maxLines()) {
                    return new MemoryMap(lines, rowStart / Byte.SIZE);
                }
                rowStart = row(rowStart);
            }
            return new MemoryMap(lines, NO_MORE);
        }

        /** Adds the row that begins here, and what is left out behind it; the start of the next one. */
        private long row(long rowStart) {
            long rowEnd = rowStart + window.rowBits();
            open.removeIf(one -> !one.isIn(rowStart, Long.MAX_VALUE));
            while (taken < waiting.size() && waiting.get(taken).bits().first() < rowEnd) {
                Placed next = waiting.get(taken++);
                if (next.isIn(rowStart, rowEnd)) {
                    open.add(next);
                }
            }
            Map<Integer, BitSet> used = new HashMap<>();
            for (Placed one : open) {
                used.computeIfAbsent(one.leaf().cluster(), key -> new BitSet())
                        .set(one.leaf().fromLane(), one.leaf().toLane());
            }
            List<Segment> segments = open.stream()
                    .map(one -> one.segment(
                            rowStart, rowEnd, used.getOrDefault(one.leaf().cluster(), new BitSet())))
                    .sorted(Comparator.comparingInt(Segment::firstBit).thenComparingInt(Segment::fromLane))
                    .toList();
            lines.add(new Line.Row(
                    rowStart / Byte.SIZE,
                    segments.stream().mapToInt(Segment::lanes).max().orElse(1),
                    segments,
                    ghosts.stream()
                            .filter(ghost -> ghost.isIn(rowStart, rowEnd))
                            .map(ghost -> ghost.segment(rowStart, rowEnd, ONE_LANE))
                            .toList()));
            return open.size() == 1 ? behindLongRun(open.getFirst(), rowStart, rowEnd) : rowEnd;
        }

        private long behindLongRun(Placed only, long rowStart, long rowEnd) {
            long end = Math.min(only.bits().end(), taken < waiting.size() ? nextFirst() : Long.MAX_VALUE);
            for (Placed ghost : ghosts) {
                if (ghost.bits().end() > rowStart && ghost.bits().first() < end) {
                    end = Math.max(rowEnd, ghost.bits().first());
                }
            }
            long full = only.bits().first() <= rowStart ? (end - rowStart) / window.rowBits() : 0;
            if (full < LONG_RUN) {
                return rowEnd;
            }
            long last = rowStart + (full - 1) * window.rowBits();
            lines.add(new Line.Skipped(
                    rowEnd / Byte.SIZE, (last - rowEnd) / Byte.SIZE, only.leaf().piece()));
            return last;
        }

        private long nextFirst() {
            return waiting.get(taken).bits().first();
        }
    }
}
