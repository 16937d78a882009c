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

    /** Returns whether it has members that the program does not describe: an unnamed one stands for them. */
    public boolean isPartial() {
        return !members.isEmpty()
                && members.getLast().name() == null
                && members.getLast().type() instanceof IncompleteShape rest
                && rest.reason() instanceof IncompleteShape.Reason.NotInBinary;
    }

    /** Returns whether a partial description of this type is right: its size, and the places of the members that it has. */
    public boolean contains(AggregateShape partial) {
        return (partial.byteSize == UNKNOWN_SIZE || partial.byteSize == byteSize)
                && partial.members.stream()
                        .allMatch(member -> !(member.location() instanceof MemberLocation.Fixed(long place))
                                || hasMember(String.valueOf(member.name()), place));
    }

    /**
     * Returns whether a member starts at this bit.
     *
     * @param path its name, behind those of the members that it is in, with dots between
     */
    private boolean hasMember(String path, long bitOffset) {
        int dot = path.indexOf('.');
        String first = dot < 0 ? path : path.substring(0, dot);
        for (Member member : members) {
            if (!(member.location() instanceof MemberLocation.Fixed(long place))) {
                continue;
            }
            if (first.equals(member.name()) && dot < 0 && place == bitOffset) {
                return true;
            }
            String rest = member.name() == null ? path : path.substring(dot + 1);
            boolean onPath = member.name() == null || (dot >= 0 && first.equals(member.name()));
            if (onPath
                    && member.type().peeled() instanceof AggregateShape inner
                    && inner.hasMember(rest, bitOffset - place)) {
                return true;
            }
        }
        return false;
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
