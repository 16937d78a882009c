package dev.offsetd.query.resolve;

import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * One step of the chain from a variable or type to the member at a byte of it. The chain branches where members share the
 * byte: in unions, bit-fields and overlapping members.
 *
 * @param name of the variable, type or member; the index of an element ({@code [1][2]}); null if unnamed
 * @param path the C expression for it: {@code _rtld_global._dl_ns[0]._ns_loaded}; for an unnamed step that of its parent
 * @param offset bytes from the start of the root; for bits, to the byte that holds the first one
 * @param offsetInParent bytes from the start of the parent
 * @param size in bytes, for bits the bytes that they touch; {@link TypeShape#UNKNOWN_SIZE} if unknown
 * @param bitOffset bits from the start of the root to the first one in memory order, for a bit-field and for padding of
 *     less than whole bytes; else that of {@code offset}
 * @param bitSize width in bits of a bit-field, and of padding of less than whole bytes, or
 *     {@link Member#NOT_A_BIT_FIELD}
 * @param type its type as C spells it; empty for padding, and the reason if the location is known only at run time
 * @param pastEnd whether it is an element past the end of its array
 * @param placement of a member or element; null for the root, padding, and locations known only at run time
 * @param contents the parts of it at the byte; empty for a leaf
 */
public record ResolutionStep(
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
        List<ResolutionStep> contents) {

    public ResolutionStep {
        contents = List.copyOf(contents);
    }

    /** Kind of a step. */
    public enum Kind {
        VARIABLE("variable"),
        TYPE("type"),
        MEMBER("member"),
        BASE_CLASS("base"),
        /** The field that selects one of several variants. */
        DISCRIMINANT("discriminant"),
        ELEMENT("element"),
        /** Bytes or bits that no member covers. */
        PADDING("padding"),
        /** A member whose location is known only at run time, so that it may be here. */
        COMPUTED("computed");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the word in answers. */
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
}
