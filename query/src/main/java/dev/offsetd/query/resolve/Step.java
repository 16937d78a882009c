package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step on the way from a variable or type to what lies at a byte of it. Where several members share the byte (in a
 * union, bit-fields, members that overlap) the way branches.
 *
 * @param kind what it is
 * @param name of the variable, type or member; the index of an element ({@code [1][2]}); null for what has no name
 * @param path how C reaches it from the outermost name: {@code _rtld_global._dl_ns[0]._ns_loaded}; of what has no name that
 *     of the step before
 * @param offset bytes from the start of the outermost to its first byte, of bits to the byte that holds the first of them
 * @param offsetInParent the same from the start of the step before
 * @param size in bytes, of bits the bytes that they touch; {@link TypeShape#UNKNOWN_SIZE} if it is not known
 * @param bitOffset bits from the start of the outermost to the first in memory order, for a bit-field and for padding of less
 *     than whole bytes; else that of {@code offset}
 * @param bitSize width in bits of a bit-field, and of padding of less than whole bytes, or
 *     {@link Member#NOT_A_BIT_FIELD}
 * @param type its type as C spells it; empty for padding, and the reason for what only the running program knows
 * @param pastEnd whether it is an element behind the last that the array's type has
 * @param placement of a member or element; null for the outermost, padding, and what only the running program knows
 * @param contents what of it the byte belongs to; empty for a leaf
 */
public record Step(
        Kind kind,
        @Nullable String name,
        String path,
        long offset,
        long offsetInParent,
        long size,
        long bitOffset,
        long bitSize,
        String type,
        boolean pastEnd,
        Placement.@Nullable Fixed placement,
        List<Step> contents) {

    public Step {
        contents = List.copyOf(contents);
    }

    /** What a step is. */
    public enum Kind {
        VARIABLE("variable"),
        TYPE("type"),
        MEMBER("member"),
        BASE_CLASS("base"),
        /** What says which of several variants is there. */
        DISCRIMINANT("discriminant"),
        ELEMENT("element"),
        /** Bytes or bits that no member has. */
        PADDING("padding"),
        /** A member whose place only the running program knows, so that it may be here. */
        COMPUTED("computed");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** As answers spell it. */
        public String word() {
            return word;
        }
    }

    public boolean hasBits() {
        return bitSize != Member.NOT_A_BIT_FIELD;
    }

    public boolean isLeaf() {
        return contents.isEmpty();
    }

    /** Whether both lead to the same places; what types are called does not count. */
    boolean leadsWhere(Step other) {
        if (kind != other.kind
                || !path.equals(other.path)
                || bitOffset != other.bitOffset
                || size != other.size
                || bitSize != other.bitSize
                || pastEnd != other.pastEnd
                || contents.size() != other.contents.size()) {
            return false;
        }
        for (int i = 0; i < contents.size(); i++) {
            if (!contents.get(i).leadsWhere(other.contents.get(i))) {
                return false;
            }
        }
        return true;
    }
}
