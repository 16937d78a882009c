package dev.offsetd.extractor.layout;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A complete struct, union or class (DWARF 5 §5.7).
 *
 * @param kind {@code STRUCT}, {@code UNION} or {@code CLASS}
 * @param name its tag, or null if it has none
 * @param byteSize size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
 * @param alignment alignment in bytes where {@code DW_AT_alignment} says it, else 0
 * @param members base classes and members in the order of the debug information
 */
public record AggregateShape(
        TypeKind kind, @Nullable String name, String spelling, long byteSize, long alignment, List<Member> members)
        implements TypeShape {

    public AggregateShape {
        if (!kind.isAggregate()) {
            throw new IllegalArgumentException("kind is " + kind + "; expected struct, union or class");
        }
        members = List.copyOf(members);
    }

    /** Returns the same type with these members. */
    public AggregateShape withMembers(List<Member> others) {
        return new AggregateShape(kind, name, spelling, byteSize, alignment, others);
    }

    /** {@link #spelling()} of a variant part (DWARF 5 §5.7.10), which no language has a name for. */
    public static final String VARIANT_PART = "variant part";

    /** Returns whether this holds the members of the variants of a type, see {@link Member}. */
    public boolean isVariantPart() {
        return name == null && spelling.equals(VARIANT_PART);
    }
}
