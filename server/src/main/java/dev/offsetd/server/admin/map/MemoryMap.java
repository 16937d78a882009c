package dev.offsetd.server.admin.map;

import dev.offsetd.extractor.input.Deadline;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Pieces of a type arranged in rows of bytes. Pieces that share bits are stacked in {@link LaneLayout}; others take the full
 * height of their rows. If one piece fills a long run of rows, only the first and the last are drawn.
 *
 * <p>The template {@code admin/builds/map} shows a map as a grid of bits.
 *
 * @param order of the bits in a byte
 * @param nextByte first byte of the next line, or {@link #NO_MORE}
 */
public record MemoryMap(int rowBytes, ByteOrder order, List<MapLine> lines, long nextByte) {

    /** {@link #nextByte} when everything is drawn. */
    static final long NO_MORE = -1;

    /** Lines of one map. */
    public static final int MAX_LINES = 160;

    /**
     * Segments from which on a map ends with its row: twice those of rows full of bytes. Unions in unions may have many thousands in
     * each row.
     */
    static final int MANY_SEGMENTS = 5_000;

    /** Rows of one piece from which those in the middle are omitted. */
    static final int LONG_RUN = 5;

    private static final BitSet ONE_LANE = BitSet.valueOf(new long[] {1});

    public MemoryMap {
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

    /** Returns the offsets of the columns in a row. */
    public List<Integer> columns() {
        return IntStream.range(0, rowBytes).boxed().toList();
    }

    public boolean isLittleEndian() {
        return order == ByteOrder.LITTLE_ENDIAN;
    }

    public String describe(Piece piece) {
        return piece.describe(order);
    }

    /** Returns whether a later map shows more. */
    public boolean isCut() {
        return nextByte != NO_MORE;
    }

    /** A row, or rows that are omitted. */
    public sealed interface MapLine {

        /** Returns the offset of its first byte in the type. */
        long offset();

        /**
         * A row of bytes.
         *
         * @param lanes highest number of stacked lanes
         * @param joined whether one piece fills this row and the one above
         * @param segments sorted by first bit, then lane
         * @param ghosts extracted placements of members that a pin moves
         */
        record ByteRow(long offset, int lanes, boolean joined, List<Segment> segments, List<Segment> ghosts)
                implements MapLine {

            /** Returns the bytes that several segments share, which are drawn again below the row. */
            public List<SharedByte> sharedBytes() {
                Map<Integer, SharedByte> shared = new TreeMap<>();
                for (Segment segment : segments) {
                    for (int at = segment.firstBit / Byte.SIZE; at * Byte.SIZE < segment.endBit; at++) {
                        int first = Math.max(0, segment.firstBit - at * Byte.SIZE);
                        int end = Math.min(Byte.SIZE, segment.endBit - at * Byte.SIZE);
                        if (end - first < Byte.SIZE) {
                            shared.computeIfAbsent(
                                            at * lanes + segment.fromLane,
                                            key -> new SharedByte(offset + key / lanes, new ArrayList<>()))
                                    .segments
                                    .add(new Segment(segment.piece, first, end, 0, 1, 1, false));
                        }
                    }
                }
                return List.copyOf(shared.values());
            }

            /** Returns the number of the cache line that starts here; 0 if none does. */
            public long cacheLine() {
                return offset % LayoutStatistics.CACHE_LINE == 0 ? offset / LayoutStatistics.CACHE_LINE : 0;
            }
        }

        /** Omitted rows that the piece fills. */
        record SkippedRows(long offset, long bytes, Piece piece) implements MapLine {}

        default boolean isSkip() {
            return this instanceof SkippedRows;
        }
    }

    /** A byte of bit-fields in one lane; segments are relative to it. */
    public record SharedByte(long offset, List<Segment> segments) {}

    /**
     * The part of a piece in one row.
     *
     * @param firstBit from the start of the row, inclusive
     * @param endBit exclusive; equal to the first for a piece without bits
     * @param fromLane inclusive
     * @param toLane exclusive
     * @param lanes number of lanes of its cluster that are used in this row
     * @param again whether a row above has the start of the piece
     */
    public record Segment(Piece piece, int firstBit, int endBit, int fromLane, int toLane, int lanes, boolean again) {}

    /**
     * Arranges the pieces of a type.
     *
     * @param size in bytes
     * @param rowBytes 8 or 16
     * @param firstByte a byte of the first row
     */
    public static MemoryMap of(List<Piece> pieces, long size, int rowBytes, long firstByte, ByteOrder order) {
        long rowStart = Math.max(0, firstByte) / rowBytes * rowBytes;
        return of(pieces, size, new Window(rowBytes, rowStart, MAX_LINES), order);
    }

    static MemoryMap of(List<Piece> pieces, long size, Window window, ByteOrder order) {
        List<PlacedPiece> placed = new ArrayList<>();
        List<PlacedPiece> ghosts = new ArrayList<>();
        List<LaneLayout.Leaf> leaves = LaneLayout.of(pieces);
        TreeSet<Long> starts = new TreeSet<>();
        leaves.forEach(leaf -> starts.add(leaf.piece().bits().first()));
        for (LaneLayout.Leaf leaf : leaves) {
            placed.add(new PlacedPiece(leaf, visible(leaf.piece(), window.rowBits(), starts)));
            Piece.Pinned pin = leaf.piece().pin();
            if (pin != null
                    && pin.extracted() != null
                    && !pin.extracted().equals(leaf.piece().bits())) {
                ghosts.add(new PlacedPiece(new LaneLayout.Leaf(leaf.piece(), 0, 1, 0), pin.extracted()));
            }
        }
        return new RowBuilder(placed, ghosts, size, window).build(order);
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

    private record PlacedPiece(LaneLayout.Leaf leaf, BitRange bits) {

        /** Returns whether part of it is in the row of these bits. A piece without bits is in the row of its offset. */
        boolean isIn(long rowStart, long rowEnd) {
            return bits.first() < rowEnd && (bits.end() > rowStart || (bits.length() == 0 && bits.first() >= rowStart));
        }

        /** @param used lanes of its cluster with a piece in this row; other lanes get no height */
        Segment segment(long rowStart, long rowEnd, BitSet used, boolean firstRow) {
            return new Segment(
                    leaf.piece(),
                    (int) (Math.max(bits.first(), rowStart) - rowStart),
                    (int) (Math.min(bits.end(), rowEnd) - rowStart),
                    used.get(0, leaf.fromLane()).cardinality(),
                    used.get(0, leaf.toLane()).cardinality(),
                    used.cardinality(),
                    !firstRow && bits.first() < rowStart);
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
        private int segmentCount;

        /** The piece that fills the row above alone; null if none does. */
        private @Nullable Piece above;

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

        MemoryMap build(ByteOrder order) {
            long rowStart = window.firstByte() * Byte.SIZE;
            while (rowStart < endBit) {
                Deadline.checkCurrent();
                if (lines.size() >= window.maxLines() || segmentCount >= MANY_SEGMENTS) {
                    return new MemoryMap(window.rowBytes(), order, lines, rowStart / Byte.SIZE);
                }
                rowStart = row(rowStart);
            }
            return new MemoryMap(window.rowBytes(), order, lines, NO_MORE);
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
                            rowStart, rowEnd, used.getOrDefault(one.leaf().cluster(), new BitSet()), lines.isEmpty()))
                    .sorted(Comparator.comparingInt(Segment::firstBit).thenComparingInt(Segment::fromLane))
                    .toList();
            Piece whole = segments.size() == 1
                            && segments.getFirst().endBit()
                                            - segments.getFirst().firstBit()
                                    == window.rowBits()
                    ? segments.getFirst().piece()
                    : null;
            segmentCount += segments.size();
            boolean joined = whole != null && whole.equals(above);
            above = whole;
            lines.add(new MapLine.ByteRow(
                    rowStart / Byte.SIZE,
                    segments.stream().mapToInt(Segment::lanes).max().orElse(1),
                    joined,
                    segments,
                    ghosts.stream()
                            .filter(ghost -> ghost.isIn(rowStart, rowEnd))
                            .map(ghost -> ghost.segment(rowStart, rowEnd, ONE_LANE, false))
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
            above = null;
            lines.add(new MapLine.SkippedRows(
                    rowEnd / Byte.SIZE, (last - rowEnd) / Byte.SIZE, only.leaf().piece()));
            return last;
        }

        private long nextFirst() {
            return waiting.get(taken).bits().first();
        }
    }
}
