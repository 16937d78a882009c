package dev.offsetd.server.admin.map;

import dev.offsetd.server.admin.format.Format;
import dev.offsetd.server.admin.map.MemoryMap.MapLine;
import dev.offsetd.server.admin.map.MemoryMap.Segment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A memory map as shapes and texts of an SVG, in its units. Bytes that bit-fields share are drawn again below their row, each
 * as wide as a row.
 *
 * @param columns headings of the columns
 * @param marks offsets on the left
 * @param skips texts in place of omitted rows
 * @param blocks in the order of the layout
 * @param ghosts extracted placements of members that a pin moves
 * @param nextByte first byte of the next map; -1 if this is the last
 */
public record Drawing(
        int width,
        int height,
        List<Text> columns,
        List<Text> marks,
        List<CacheLine> cacheLines,
        List<Text> skips,
        List<Block> blocks,
        List<Ghost> ghosts,
        long nextByte) {

    /** Lines of one map. */
    public static final int MAX_LINES = 160;

    private static final int GUTTER = 108;
    private static final int HEAD = 26;
    private static final int MAP_WIDTH = 640;
    private static final int NARROW_WIDTH = 340;
    static final int ROW = 40;
    private static final int LANE = 28;
    private static final int STRIP = 24;
    private static final int GAP = 4;
    private static final int SKIP = 26;
    private static final int CACHE_LINE_GAP = 22;
    static final int PADDING = 7;

    /** A text with its classes. */
    public record Text(double x, double y, String style, String text) {}

    /** The start of a cache line; numbers count from 0. */
    public record CacheLine(double y, long number) {}

    /**
     * The block of a piece.
     *
     * @param title description
     * @param paths one or more rectangles
     * @param sign position of the pin sign; null if it is not pinned or too small
     */
    public record Block(
            Piece piece,
            String style,
            String title,
            List<String> paths,
            List<Text> texts,
            @Nullable PinSign sign) {}

    public record PinSign(double x, double y) {}

    /** An outline with its description. */
    public record Ghost(String path, String title) {}

    /**
     * Draws a type.
     *
     * @param size in bytes
     * @param rowBytes 8 or 16
     * @param firstByte a byte of the first row
     * @param withCacheLines whether to mark the starts of cache lines
     */
    public static Drawing of(
            List<Piece> pieces, long size, int rowBytes, long firstByte, ByteOrder order, boolean withCacheLines) {
        return draw(pieces, size, rowBytes, firstByte, new Pen(rowBytes, MAP_WIDTH, order, withCacheLines));
    }

    /** Draws the start of a type in rows of 8 bytes, at the width of half a page. */
    public static Drawing narrow(List<Piece> pieces, long size, ByteOrder order) {
        return draw(pieces, size, Long.BYTES, 0, new Pen(Long.BYTES, NARROW_WIDTH, order, true));
    }

    private static Drawing draw(List<Piece> pieces, long size, int rowBytes, long firstByte, Pen pen) {
        long rowStart = Math.max(0, firstByte) / rowBytes * rowBytes;
        return pen.draw(MemoryMap.of(pieces, size, new MemoryMap.Window(rowBytes, rowStart, MAX_LINES)));
    }

    /** Draws a map line by line. */
    private static final class Pen {

        private final int rowBytes;
        private final int mapWidth;
        private final ByteOrder order;
        private final boolean withCacheLines;
        private final List<Text> marks = new ArrayList<>();
        private final List<CacheLine> cacheLines = new ArrayList<>();
        private final List<Text> skips = new ArrayList<>();
        private final List<Ghost> ghosts = new ArrayList<>();
        private final IdentityHashMap<Piece, BlockParts> blocks = new IdentityHashMap<>();
        private final List<BlockParts> inOrder = new ArrayList<>();
        private double y = HEAD;

        Pen(int rowBytes, int mapWidth, ByteOrder order, boolean withCacheLines) {
            this.rowBytes = rowBytes;
            this.mapWidth = mapWidth;
            this.order = order;
            this.withCacheLines = withCacheLines;
        }

        Drawing draw(MemoryMap map) {
            for (MapLine line : map.lines()) {
                if (withCacheLines
                        && line.offset() % LayoutStatistics.CACHE_LINE == 0
                        && line instanceof MapLine.ByteRow) {
                    cacheLine(line.offset());
                }
                switch (line) {
                    case MapLine.ByteRow row -> row(row);
                    case MapLine.SkippedRows skipped -> skip(skipped);
                }
            }
            List<Text> columns = new ArrayList<>();
            for (int column = 0; column < rowBytes; column++) {
                columns.add(new Text(
                        GUTTER + (column + 0.5) * mapWidth / rowBytes,
                        HEAD - 10,
                        "map-column",
                        "+" + Integer.toHexString(column)));
            }
            return new Drawing(
                    GUTTER + mapWidth + 2,
                    (int) Math.ceil(y) + 2,
                    columns,
                    marks,
                    cacheLines,
                    skips,
                    inOrder.stream().map(parts -> parts.block(order)).toList(),
                    ghosts,
                    map.nextByte());
        }

        private void cacheLine(long offset) {
            if (offset > 0) {
                y += CACHE_LINE_GAP - GAP;
            }
            if (offset > 0 || !marks.isEmpty()) {
                cacheLines.add(new CacheLine(y - CACHE_LINE_GAP / 2.0, offset / LayoutStatistics.CACHE_LINE));
            }
        }

        private void row(MapLine.ByteRow row) {
            double height = Math.max(ROW, row.lanes() * LANE);
            marks.add(new Text(GUTTER - 46, y + ROW / 2.0 + 4, "map-hex", PlacementText.hex(row.offset())));
            marks.add(new Text(GUTTER - 10, y + ROW / 2.0 + 4, "map-dec", Format.count(row.offset())));
            Map<Shared, List<Segment>> strips = strips(row.segments());
            for (Segment segment : row.segments()) {
                double top = y + height * segment.fromLane() / segment.lanes();
                double bottom = y + height * segment.toLane() / segment.lanes();
                Rectangle place = new Rectangle(x(segment.firstBit()), x(segment.endBit()), top, bottom);
                block(segment.piece()).add(place, segment.isFullHeight() && strips.isEmpty());
            }
            for (Segment ghost : row.ghosts()) {
                ghosts.add(new Ghost(
                        new Rectangle(x(ghost.firstBit()), x(ghost.endBit()), y, y + height).path(),
                        "extracted placement of " + ghost.piece().name()));
            }
            y += height + GAP;
            strips.forEach((shared, segments) -> strip(row.offset(), shared.at(), segments));
        }

        /** Returns the bytes that several segments share. */
        private static Map<Shared, List<Segment>> strips(List<Segment> segments) {
            Map<Shared, List<Segment>> strips =
                    new TreeMap<>(Comparator.comparingInt(Shared::at).thenComparingInt(Shared::lane));
            for (Segment segment : segments) {
                for (int at = segment.firstBit() / Byte.SIZE; at * Byte.SIZE < segment.endBit(); at++) {
                    boolean whole = segment.firstBit() <= at * Byte.SIZE && segment.endBit() >= (at + 1) * Byte.SIZE;
                    if (!whole) {
                        strips.computeIfAbsent(new Shared(at, segment.fromLane()), key -> new ArrayList<>())
                                .add(segment);
                    }
                }
            }
            return strips;
        }

        private void strip(long rowOffset, int at, List<Segment> segments) {
            marks.add(new Text(
                    GUTTER - 46, y + STRIP / 2.0 + 4, "map-hex map-hex-soft", PlacementText.hex(rowOffset + at)));
            marks.add(new Text(
                    GUTTER - 10,
                    y + STRIP / 2.0 + 4,
                    "map-dec",
                    order == ByteOrder.LITTLE_ENDIAN ? "b0\u20267" : "b7\u20260"));
            double bit = mapWidth / (double) Byte.SIZE;
            for (Segment segment : segments) {
                int first = Math.max(0, segment.firstBit() - at * Byte.SIZE);
                int end = Math.min(Byte.SIZE, segment.endBit() - at * Byte.SIZE);
                block(segment.piece()).addStrip(new Rectangle(GUTTER + first * bit, GUTTER + end * bit, y, y + STRIP));
            }
            y += STRIP + GAP;
        }

        private void skip(MapLine.SkippedRows skipped) {
            skips.add(new Text(
                    GUTTER + PADDING,
                    y + SKIP / 2.0 + 4,
                    "map-skip",
                    Format.count(skipped.bytes(), "byte") + " more of "
                            + BlockParts.cut(
                                    skipped.piece().isHole()
                                            ? "this hole"
                                            : skipped.piece().name(),
                                    48)));
            marks.add(new Text(GUTTER - 10, y + SKIP / 2.0 + 4, "map-dec", "\u22ee"));
            blocks.values().forEach(BlockParts::interrupt);
            y += SKIP;
        }

        private double x(int bit) {
            return GUTTER + bit * (double) mapWidth / (rowBytes * Byte.SIZE);
        }

        private BlockParts block(Piece piece) {
            return blocks.computeIfAbsent(piece, key -> {
                BlockParts parts = new BlockParts(key);
                inOrder.add(parts);
                return parts;
            });
        }
    }

    /** A byte of the row, in one lane. */
    private record Shared(int at, int lane) {}
}
