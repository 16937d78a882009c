package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.item.UnfoldedMembers;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Unit of comparison: a member or base class of a type or of its unnamed members.
 *
 * @param bitOffset bits from the start of the type; null if only the running program knows
 */
record ComparedMember(@Nullable Long bitOffset, Member member) {

    /** Returns the fields of a type by the names under which they are compared. */
    static Map<String, ComparedMember> of(AggregateShape shape) throws TooManyMembersException {
        if (UnfoldedMembers.areTooMany(shape)) {
            throw new TooManyMembersException("more than " + UnfoldedMembers.MAX
                    + " members with those of unnamed members, or the same ones too often");
        }
        Map<String, ComparedMember> fields = new LinkedHashMap<>();
        collect(shape, 0L, fields, new HashMap<>());
        return fields;
    }

    /** @param numbers the last number that was given to a name */
    private static void collect(
            AggregateShape shape,
            @Nullable Long start,
            Map<String, ComparedMember> fields,
            Map<String, Integer> numbers) {
        for (Member member : shape.members()) {
            Long bitOffset = start != null && member.location() instanceof MemberLocation.Fixed(long bits)
                    ? Long.valueOf(start + bits)
                    : null;
            if (member.isUnnamedAggregate() && member.type().peeled() instanceof AggregateShape unnamed) {
                collect(unnamed, bitOffset, fields, numbers);
            } else if (member.name() != null || member.role() == Member.Role.BASE_CLASS) {
                String name = member.role() == Member.Role.BASE_CLASS
                        ? "(base) " + MemberChange.comparable(member.type().spelling())
                        : Objects.requireNonNullElse(member.name(), "");
                fields.put(free(name, fields, numbers), new ComparedMember(bitOffset, member));
            }
        }
    }

    /** Returns the name, with a number if the type has another member of that name. */
    private static String free(String name, Map<String, ComparedMember> fields, Map<String, Integer> numbers) {
        if (!fields.containsKey(name)) {
            return name;
        }
        int number = numbers.getOrDefault(name, 1);
        String free;
        do {
            free = name + "#" + ++number;
        } while (fields.containsKey(free));
        numbers.put(name, number);
        return free;
    }

    TypeShape type() {
        return member.type();
    }

    MemberLayout place() {
        return new MemberLayout(
                bitOffset,
                member.isBitField() ? member.storageBytes() : type().byteSize(),
                member.bitSize(),
                MemberLayout.spelled(type()),
                placement());
    }

    private Placement.@Nullable Fixed placement() {
        if (bitOffset == null || !(Placement.of(member) instanceof Placement.Fixed own)) {
            return null;
        }
        Placement.Fixed parent =
                new Placement.Fixed(type(), bitOffset - own.bitOffset(), Member.NOT_A_BIT_FIELD, 0, false, null);
        return own.through(parent);
    }
}
