package dev.offsetd.server.admin.map;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The rectangles of a piece while it is drawn: one for each row, or for rows that it fills in the same columns. */
final class BlockParts {

    /** Width of a character of the names, in the fixed-width face. */
    private static final double CHARACTER = 7.4;

    private static final double SMALL_CHARACTER = 6.3;

    private final Piece piece;
    private final List<Rectangle> parts = new ArrayList<>();
    private final List<Rectangle> strips = new ArrayList<>();
    private final List<Drawing.Text> texts = new ArrayList<>();
    private boolean named;
    private boolean joins;

    BlockParts(Piece piece) {
        this.piece = piece;
    }

    /** @param joins whether the next part may join this one */
    void add(Rectangle part, boolean joins) {
        if (this.joins && parts.getLast().hasColumnsOf(part)) {
            parts.add(parts.removeLast().to(part));
        } else {
            parts.add(part);
        }
        this.joins = joins;
    }

    void addStrip(Rectangle strip) {
        strips.add(strip);
    }

    void interrupt() {
        joins = false;
    }

    private void label(Rectangle place) {
        double room = place.width() - 2 * Drawing.PADDING;
        String name = piece.isHole() ? PlacementText.length(piece.bits()) : piece.name();
        int fits = (int) (room / CHARACTER);
        if (name.length() > fits && !piece.path().isEmpty()) {
            // The last name of a path says more than the first.
            name = name.substring(piece.path().lastIndexOf('.') + 1);
        }
        if (fits < (piece.isHole() ? name.length() : Math.min(3, name.length()))) {
            return;
        }
        boolean tall = place.bottom() - place.top() >= Drawing.ROW;
        boolean two = tall
                && !named
                && !piece.isHole()
                && room / SMALL_CHARACTER >= Math.min(4, piece.type().length());
        double middle = (place.top() + Math.min(place.bottom(), place.top() + Drawing.ROW)) / 2 + 4;
        double x = place.left() + Drawing.PADDING;
        texts.add(new Drawing.Text(
                x, two ? middle - 7 : middle, named ? "map-name map-again" : "map-name", cut(name, fits)));
        if (two) {
            texts.add(new Drawing.Text(x, middle + 8, "map-type", cut(piece.type(), (int) (room / SMALL_CHARACTER))));
        }
        named = true;
    }

    Drawing.Block block(ByteOrder order) {
        parts.forEach(this::label);
        // A strip names its bit-field again, in full size.
        strips.forEach(strip -> {
            named = false;
            label(strip);
        });
        return new Drawing.Block(
                piece,
                style(piece),
                PlacementText.describe(piece, order),
                Stream.concat(parts.stream(), strips.stream())
                        .map(Rectangle::path)
                        .toList(),
                texts,
                piece.pin() == null ? null : sign());
    }

    private Drawing.@Nullable PinSign sign() {
        return parts.stream()
                .filter(part -> part.width() >= 22)
                .findFirst()
                .map(part -> new Drawing.PinSign(part.right() - 15, part.top() + 5))
                .orElse(null);
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

    /** Truncates a text. Control and format characters, which could reorder or break the line, are replaced. */
    static String cut(String text, int characters) {
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
