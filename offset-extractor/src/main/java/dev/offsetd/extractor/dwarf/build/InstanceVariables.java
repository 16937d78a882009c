package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.IdentityHashMap;
import java.util.List;

/**
 * Instance variables of Objective-C. Under a non-fragile runtime, the superclass may grow after the program was compiled:
 * the runtime sets the offsets when it loads a class, and clang writes 0 for each of them. Offset 0 is true for {@code isa}
 * alone, and recognizable as that filler where several variables, or one and the superclass, would share the place.
 */
final class InstanceVariables {

    private static final MemberLocation SET_AT_RUN_TIME = new MemberLocation.Computed("set by the Objective-C runtime");

    private final List<Member> members;

    /** Types that have no contents, or have. Structs of structs share their types: looked at once each. */
    private final IdentityHashMap<TypeShape, Boolean> empty = new IdentityHashMap<>();

    private InstanceVariables(List<Member> members) {
        this.members = members;
    }

    /** Returns the members of a class, of which those at byte 0 are computed if two of them cannot both be there. */
    static List<Member> located(List<Member> members) {
        return new InstanceVariables(members).located();
    }

    private List<Member> located() {
        for (int i = 0; i < members.size(); i++) {
            Member variable = members.get(i);
            if (isVariableAtStart(variable)
                    && (overlapsAny(variable, members.subList(0, i))
                            || overlapsAny(variable, members.subList(i + 1, members.size())))) {
                return members.stream()
                        .map(member -> isVariableAtStart(member) ? member.withLocation(SET_AT_RUN_TIME) : member)
                        .toList();
            }
        }
        return members;
    }

    /**
     * Returns whether a member is a variable in the first byte. GCC writes the superclass as a member without a name, and puts
     * variables into the padding at its end.
     */
    private boolean isVariableAtStart(Member member) {
        return member.role() == Member.Role.FIELD
                && member.name() != null
                && member.location() instanceof MemberLocation.Fixed(long place)
                && place >= 0
                && place < Byte.SIZE
                && !isEmpty(member);
    }

    private boolean overlapsAny(Member variable, List<Member> others) {
        return others.stream().anyMatch(other -> overlap(variable, other));
    }

    private boolean overlap(Member variable, Member other) {
        return variable.location() instanceof MemberLocation.Fixed(long place)
                && other.location() instanceof MemberLocation.Fixed(long otherPlace)
                && !isEmpty(other)
                && place < otherPlace + bits(other)
                && otherPlace < place + bits(variable);
    }

    /** Returns the bits that a member occupies at least. */
    private static long bits(Member member) {
        return member.isBitField()
                ? member.bitSize()
                : Math.clamp(member.type().byteSize(), 1, Long.MAX_VALUE / (2 * Byte.SIZE)) * Byte.SIZE;
    }

    private boolean isEmpty(Member member) {
        return member.isBitField() ? member.bitSize() == 0 : isEmpty(member.type());
    }

    /** Returns whether a type has no contents, whatever its size: an empty class of C++ has a byte. */
    private boolean isEmpty(TypeShape type) {
        Boolean known = empty.get(type);
        if (known == null) {
            known = type.byteSize() == 0
                    || switch (type.peeled()) {
                        case AggregateShape aggregate ->
                            aggregate.members().stream().allMatch(this::isEmpty);
                        case ArrayShape array -> isEmpty(array.element());
                        default -> false;
                    };
            empty.put(type, known);
        }
        return known;
    }
}
