package dev.offsetd.server.admin.map;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What takes up bits of a type: a member, or a hole.
 *
 * @param path names from the type to the member, with dots; empty for a hole, a base class and an unnamed member
 * @param name what is written on it: the path, with the counts of an array; empty for a hole
 * @param type as C writes it; empty for a hole
 * @param bits where it lies
 * @param bitField whether it is a bit-field
 * @param folding whether its members can be shown in its place
 * @param pin what overrides it; null if nothing does
 * @param inside what is drawn in its place; empty if it is drawn itself
 */
public record Piece(
        Kind kind,
        String path,
        String name,
        String type,
        Bits bits,
        boolean bitField,
        Folding folding,
        @Nullable Pinned pin,
        List<Piece> inside) {

    public Piece {
        inside = List.copyOf(inside);
    }

    /** A hole. */
    static Piece hole(Bits bits) {
        return new Piece(Kind.HOLE, "", "", "", bits, false, Folding.NONE, null, List.of());
    }

    public boolean isHole() {
        return kind == Kind.HOLE;
    }

    /** Whether its size is not known; it is drawn as far as nothing else begins. */
    public boolean isUnknown() {
        return kind == Kind.UNKNOWN;
    }

    /** What a piece is, as far as a reader of memory cares. */
    public enum Kind {
        INTEGER,
        FLOATING,
        ENUMERATION,
        POINTER,
        ARRAY,
        STRUCT,
        UNION,
        /** An array without a count: it goes on behind the type's end. */
        OPEN,
        /** A member that only the running program knows the size of. */
        UNKNOWN,
        OTHER,
        HOLE
    }

    /** Whether a piece's members can be shown in its place. */
    public enum Folding {
        /** It has none, or they are always shown: those of unnamed members and base classes. */
        NONE,
        FOLDED,
        UNFOLDED
    }

    /**
     * A pin's work.
     *
     * @param pin the pin's id
     * @param extracted where the debug information has the member; null if it says nothing of it
     */
    public record Pinned(String pin, @Nullable Bits extracted) {}
}
