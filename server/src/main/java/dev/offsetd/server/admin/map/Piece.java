package dev.offsetd.server.admin.map;

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
    public record Pinned(String pin, @Nullable BitRange extracted) {}
}
