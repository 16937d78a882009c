package dev.offsetd.server.admin.map;

import java.nio.ByteOrder;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A member or a hole of a type.
 *
 * @param path member path; empty for a hole, a base class and an unnamed member
 * @param name label: the path with the counts of an array; empty for a hole
 * @param type C spelling; empty for a hole
 * @param folding whether its members can be shown in its place
 * @param pin null if it is not pinned
 * @param inside pieces drawn in its place; empty if it is a block itself
 */
public record Piece(
        Kind kind,
        String path,
        String name,
        String type,
        BitRange bits,
        boolean bitField,
        Folding folding,
        @Nullable Pinned pin,
        List<Piece> inside) {

    public Piece {
        inside = List.copyOf(inside);
    }

    static Piece hole(BitRange bits) {
        return new Piece(Kind.HOLE, "", "", "", bits, false, Folding.NONE, null, List.of());
    }

    public boolean isHole() {
        return kind == Kind.HOLE;
    }

    /** Returns the last name of its path, which says more than the first; for a hole its size. */
    public String shortName() {
        return isHole() ? bits.lengthText() : name.substring(path.lastIndexOf('.') + 1);
    }

    /** Returns the names before the last one, which narrow blocks leave out. */
    public String outerNames() {
        return path.substring(0, path.lastIndexOf('.') + 1);
    }

    /** Returns the classes of its block. */
    public String style() {
        String style = bitField
                ? "bits"
                : switch (kind) {
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
        return "map-block map-" + style + (pin == null ? "" : " map-pinned");
    }

    /** Describes the piece in one line. */
    public String describe(ByteOrder order) {
        StringBuilder line = new StringBuilder(
                !isHole() ? type.isEmpty() ? name : name + ": " + type : bits.isWholeBytes() ? "hole" : "unused bits");
        line.append("; offset ").append(bits.offsetText()).append("; ");
        line.append(
                switch (kind) {
                    case UNKNOWN -> "size unknown";
                    case OPEN -> bits.length() == 0 ? "flexible array" : bits.lengthText();
                    default -> bits.lengthText();
                });
        if (bitField) {
            line.append("; ").append(bits.bitsText(order));
        }
        if (pin != null) {
            line.append("; pinned, ").append(pin.extractedText());
        }
        return line.append(folding == Folding.FOLDED ? "; click to expand" : "").toString();
    }

    /** Returns whether its size is unknown; it is drawn up to the next piece. */
    public boolean isUnknown() {
        return kind == Kind.UNKNOWN;
    }

    /** Kinds of pieces, each with a colour. */
    public enum Kind {
        INTEGER,
        FLOATING,
        ENUMERATION,
        POINTER,
        ARRAY,
        STRUCT,
        UNION,
        /** A flexible array member. */
        OPEN,
        /** A member whose size is known only at run time. */
        UNKNOWN,
        OTHER,
        HOLE
    }

    /** Whether the members of a piece are shown in its place. */
    public enum Folding {
        /** It has no members, or they are always shown: those of unnamed members and base classes. */
        NONE,
        FOLDED,
        UNFOLDED
    }

    /**
     * The pin of a piece.
     *
     * @param pin its id
     * @param extracted extracted placement; null if the debug information lacks the member
     */
    public record Pinned(String pin, @Nullable BitRange extracted) {

        /** Returns {@code extracted: 24 (0x18), 8 bytes}. */
        public String extractedText() {
            return extracted == null
                    ? "not in the debug information"
                    : "extracted: " + extracted.offsetText() + ", " + extracted.lengthText();
        }
    }
}
