package dev.offsetd.server.admin.map;

import dev.offsetd.server.admin.map.MemoryMap.Line;
import dev.offsetd.server.admin.map.MemoryMap.Segment;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.TreeMap;
import org.jspecify.annotations.Nullable;

/**
 * A memory map as shapes and texts of an SVG, in its units. Below a row in which bit-fields share bytes these bytes are drawn
 * once more, each as wide as a row.
 *
 * @param width of all
 * @param height of all
 * @param columns heads of the columns
 * @param marks what stands on the left of lines
 * @param cacheLines where they begin
 * @param skips texts in the place of rows that are left out
 * @param blocks in the order of their places
 * @param ghosts where the debug information has members that a pin has moved
 * @param nextByte of the type that the next map would begin with; -1 if all is drawn
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

    /** Most lines of one map. */
    public static final int MAX_LINES = 160;

    private static final int GUTTER = 108;
    private static final int HEAD = 26;
    private static final int MAP_WIDTH = 640;
    private static final int ROW = 40;
    private static final int LANE = 28;
    private static final int STRIP = 24;
    private static final int GAP = 4;
    private static final int SKIP = 26;
    private static final int CACHE_LINE_GAP = 22;
    private static final double INSET = 1;

    /** Width of a character of the names, which are set in a face whose characters are all as wide. */
    private static final double CHARACTER = 7.4;

    private static final double SMALL_CHARACTER = 6.3;
    private static final int PADDING = 7;

    /**
     * A text.
     *
     * @param style classes
     */
    public record Text(double x, double y, String style, String text) {}

    /**
     * The line where a cache line begins.
     *
     * @param number of it, from 0
     */
    public record CacheLine(double y, long number) {}

    /**
     * A piece as it is drawn.
     *
     * @param style classes
     * @param title everything about it in words
     * @param paths its outlines, one or more
     * @param sign where a pin's sign stands; null if it is not pinned, or has no room for one
     */
    public record Block(
            Piece piece,
            String style,
            String title,
            List<String> paths,
            List<Text> texts,
            @Nullable Sign sign) {}

    /** A place for a sign. */
    public record Sign(double x, double y) {}

    /** The outline of a place, and what it is in words. */
    public record Ghost(String path, String title) {}

    /**
     * Draws a type.
     *
     * @param size of it in bytes
     * @param rowBytes bytes of a row, 8 or 16
     * @param firstByte the drawing begins with the row that has it
     */
    public static Drawing of(List<Piece> pieces, long size, int rowBytes, long firstByte, ByteOrder order) {
        long rowStart = Math.max(0, firstByte) / rowBytes * rowBytes;
        MemoryMap map = MemoryMap.of(pieces, size, new MemoryMap.Window(rowBytes, rowStart, MAX_LINES));
        return new Pen(rowBytes, order).draw(map);
    }

    /** Puts a map on paper, line by line. */
    private static final class Pen {

        private final int rowBytes;
        private final ByteOrder order;
        private final List<Text> marks = new ArrayList<>();
        private final List<CacheLine> cacheLines = new ArrayList<>();
        private final List<Text> skips = new ArrayList<>();
        private final List<Ghost> ghosts = new ArrayList<>();
        private final IdentityHashMap<Piece, Outline> outlines = new IdentityHashMap<>();
        private final List<Outline> inOrder = new ArrayList<>();
        private double y = HEAD;

        Pen(int rowBytes, ByteOrder order) {
            this.rowBytes = rowBytes;
            this.order = order;
        }

        Drawing draw(MemoryMap map) {
            for (Line line : map.lines()) {
                if (line.offset() % LayoutFigures.CACHE_LINE == 0 && line instanceof Line.Row) {
                    cacheLine(line.offset());
                }
                switch (line) {
                    case Line.Row row -> row(row);
                    case Line.Skipped skipped -> skip(skipped);
                }
            }
            List<Text> columns = new ArrayList<>();
            for (int column = 0; column < rowBytes; column++) {
                columns.add(new Text(
                        GUTTER + (column + 0.5) * MAP_WIDTH / rowBytes,
                        HEAD - 10,
                        "map-column",
                        "+" + Integer.toHexString(column)));
            }
            return new Drawing(
                    GUTTER + MAP_WIDTH + 2,
                    (int) Math.ceil(y) + 2,
                    columns,
                    marks,
                    cacheLines,
                    skips,
                    inOrder.stream().map(outline -> outline.block(order)).toList(),
                    ghosts,
                    map.nextByte());
        }

        private void cacheLine(long offset) {
            if (offset > 0) {
                y += CACHE_LINE_GAP - GAP;
            }
            if (offset > 0 || !marks.isEmpty()) {
                cacheLines.add(new CacheLine(y - CACHE_LINE_GAP / 2.0, offset / LayoutFigures.CACHE_LINE));
            }
        }

        private void row(Line.Row row) {
            double height = Math.max(ROW, row.lanes() * LANE);
            marks.add(new Text(GUTTER - 46, y + ROW / 2.0 + 4, "map-hex", Words.hex(row.offset())));
            marks.add(new Text(GUTTER - 10, y + ROW / 2.0 + 4, "map-dec", Long.toString(row.offset())));
            Map<Shared, List<Segment>> strips = strips(row.segments());
            for (Segment segment : row.segments()) {
                double top = y + height * segment.fromLane() / segment.lanes();
                double bottom = y + height * segment.toLane() / segment.lanes();
                Rectangle place = new Rectangle(x(segment.firstBit()), x(segment.endBit()), top, bottom);
                outline(segment.piece()).add(place, segment.isFullHeight() && strips.isEmpty());
            }
            for (Segment ghost : row.ghosts()) {
                ghosts.add(new Ghost(
                        new Rectangle(x(ghost.firstBit()), x(ghost.endBit()), y, y + height).path(),
                        "where the debug information has " + ghost.piece().name()));
            }
            y += height + GAP;
            strips.forEach((shared, segments) -> strip(row.offset(), shared.at(), segments));
        }

        /** The bytes that bit-fields share, with what is in them. */
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
            marks.add(new Text(GUTTER - 46, y + STRIP / 2.0 + 4, "map-hex map-hex-soft", Words.hex(rowOffset + at)));
            marks.add(new Text(
                    GUTTER - 10,
                    y + STRIP / 2.0 + 4,
                    "map-dec",
                    order == ByteOrder.LITTLE_ENDIAN ? "b0\u20267" : "b7\u20260"));
            double bit = MAP_WIDTH / (double) Byte.SIZE;
            for (Segment segment : segments) {
                int first = Math.max(0, segment.firstBit() - at * Byte.SIZE);
                int end = Math.min(Byte.SIZE, segment.endBit() - at * Byte.SIZE);
                outline(segment.piece())
                        .addStrip(new Rectangle(GUTTER + first * bit, GUTTER + end * bit, y, y + STRIP));
            }
            y += STRIP + GAP;
        }

        private void skip(Line.Skipped skipped) {
            skips.add(new Text(
                    GUTTER + PADDING,
                    y + SKIP / 2.0 + 4,
                    "map-skip",
                    Words.count(skipped.bytes(), "byte") + " more of "
                            + cut(
                                    skipped.piece().isHole()
                                            ? "this hole"
                                            : skipped.piece().name(),
                                    48)));
            marks.add(new Text(GUTTER - 10, y + SKIP / 2.0 + 4, "map-dec", "\u22ee"));
            outlines.values().forEach(Outline::interrupt);
            y += SKIP;
        }

        private double x(int bit) {
            return GUTTER + bit * (double) MAP_WIDTH / (rowBytes * Byte.SIZE);
        }

        private Outline outline(Piece piece) {
            return outlines.computeIfAbsent(piece, key -> {
                Outline outline = new Outline(key);
                inOrder.add(outline);
                return outline;
            });
        }
    }

    /** A byte in one lane, by its number in the row. */
    private record Shared(int at, int lane) {}

    /** A rectangle; {@code top} is less than {@code bottom}. */
    private record Rectangle(double left, double right, double top, double bottom) {

        double width() {
            return right - left;
        }

        /** Whether something can go from the one straight down into the other. */
        boolean meets(Rectangle below) {
            return Math.min(right, below.right) - Math.max(left, below.left) > 2 * INSET;
        }

        String path() {
            return outline(List.of(this));
        }

        /** The outline around rectangles of which each meets the one below. */
        static String outline(List<Rectangle> parts) {
            List<String> down = new ArrayList<>();
            List<String> up = new ArrayList<>();
            Rectangle above = parts.getFirst().inset();
            down.add(point(above.right, above.top));
            up.add(point(above.left, above.top));
            for (Rectangle part : parts.subList(1, parts.size())) {
                Rectangle below = part.inset();
                double rightTurn = above.right > below.right ? above.bottom : below.top;
                double leftTurn = above.left < below.left ? above.bottom : below.top;
                down.add(point(above.right, rightTurn));
                down.add(point(below.right, rightTurn));
                up.add(point(above.left, leftTurn));
                up.add(point(below.left, leftTurn));
                above = below;
            }
            down.add(point(above.right, above.bottom));
            up.add(point(above.left, above.bottom));
            return "M" + String.join("L", down) + "L" + String.join("L", up.reversed()) + "Z";
        }

        /** A little smaller, so that neighbours do not touch; never so small that it cannot be seen. */
        private Rectangle inset() {
            return new Rectangle(left + INSET, Math.max(right - INSET, left + INSET + 3), top, bottom);
        }

        private static String point(double x, double y) {
            return String.format(Locale.ROOT, "%.1f %.1f", x, y);
        }
    }

    /** The outline of one piece while it is drawn: one or more runs of parts, each below the one before it. */
    private static final class Outline {

        private final Piece piece;
        private final List<String> paths = new ArrayList<>();
        private final List<Text> texts = new ArrayList<>();
        private final List<Rectangle> run = new ArrayList<>();
        private @Nullable Sign sign;
        private boolean named;
        private boolean goesOn;

        Outline(Piece piece) {
            this.piece = piece;
        }

        /** @param goesOn whether the next part may be drawn together with this one */
        void add(Rectangle part, boolean goesOn) {
            if (!run.isEmpty() && !(this.goesOn && run.getLast().meets(part))) {
                endRun();
            }
            run.add(part);
            this.goesOn = goesOn;
        }

        void addStrip(Rectangle part) {
            paths.add(part.path());
            boolean before = named;
            label(part);
            named = before;
        }

        void interrupt() {
            goesOn = false;
        }

        private void endRun() {
            paths.add(Rectangle.outline(run));
            // The name stands in the first part, unless the second has far more room.
            Rectangle place = run.getFirst();
            if (run.size() > 1 && run.get(1).width() > 1.6 * place.width()) {
                place = run.get(1);
            }
            label(place);
            if (piece.pin() != null && sign == null && place.width() >= 22) {
                sign = new Sign(place.right() - 15, place.top() + 5);
            }
            run.clear();
        }

        private void label(Rectangle place) {
            double room = place.width() - 2 * PADDING;
            String name = piece.isHole() ? Words.length(piece.bits()) : piece.name();
            int fits = (int) (room / CHARACTER);
            if (name.length() > fits && !piece.path().isEmpty()) {
                // The last name of a path tells more than the first.
                name = name.substring(piece.path().lastIndexOf('.') + 1);
            }
            if (fits < (piece.isHole() ? name.length() : Math.min(3, name.length()))) {
                return;
            }
            boolean tall = place.bottom() - place.top() >= ROW;
            boolean two = tall
                    && !named
                    && !piece.isHole()
                    && room / SMALL_CHARACTER >= Math.min(4, piece.type().length());
            double middle = (place.top() + Math.min(place.bottom(), place.top() + ROW)) / 2 + 4;
            double x = place.left() + PADDING;
            texts.add(
                    new Text(x, two ? middle - 7 : middle, named ? "map-name map-again" : "map-name", cut(name, fits)));
            if (two) {
                texts.add(new Text(x, middle + 8, "map-type", cut(piece.type(), (int) (room / SMALL_CHARACTER))));
            }
            named = true;
        }

        Block block(ByteOrder order) {
            if (!run.isEmpty()) {
                endRun();
            }
            return new Block(piece, style(piece), Words.tell(piece, order), paths, texts, sign);
        }

        private static String style(Piece piece) {
            String kind = piece.bitField()
                    ? "bits"
                    : switch (piece.kind()) {
                        case INTEGER, FLOATING, ENUMERATION -> "number";
                        case POINTER -> "pointer";
                        case ARRAY -> "array";
                        case OPEN -> "array map-open";
                        case STRUCT -> "aggregate";
                        case UNION -> "union";
                        case UNKNOWN -> "unknown";
                        case OTHER -> "other";
                        case HOLE -> "hole";
                    };
            return "map-block map-" + kind + (piece.pin() == null ? "" : " map-pinned");
        }
    }

    /** The beginning of a text that has room; characters that would disturb the line are replaced. */
    private static String cut(String text, int characters) {
        StringBuilder kept = new StringBuilder();
        int count = 0;
        int room = Math.max(1, characters);
        for (int at = 0; at < text.length(); ) {
            int point = text.codePointAt(at);
            at += Character.charCount(point);
            if (count == room - 1 && at < text.length()) {
                return kept.append('\u2026').toString();
            }
            boolean disturbs = switch (Character.getType(point)) {
                case Character.CONTROL, Character.FORMAT, Character.SURROGATE, Character.LINE_SEPARATOR -> true;
                default -> false;
            };
            kept.appendCodePoint(disturbs ? '\ufffd' : point);
            count++;
        }
        return kept.toString();
    }
}
