package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.List;
import java.util.Locale;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Comparison of one type or item.
 *
 * @param name of the type; of an unnamed one the path of the member that has it ({@code rb_vm_struct.ractor})
 * @param from the old side, or null if it is new or was not found
 * @param to the new side, or null if it was removed or not found
 * @param members the changed members: in the old order, then added ones in the new order
 * @param enumerators the changed enumerators, in the same order
 * @param detail why it cannot be compared or has no size, or which definition of several this is; else null
 */
public record TypeDiff(
        String name,
        Status status,
        @Nullable TypeSide from,
        @Nullable TypeSide to,
        List<MemberChange> members,
        List<EnumeratorChange> enumerators,
        @Nullable String detail) {

    public TypeDiff {
        members = List.copyOf(members);
        enumerators = List.copyOf(enumerators);
    }

    TypeDiff ofDefinitions(Definition old, Definition now) {
        return new TypeDiff(name, status, of(from, old), of(to, now), members, enumerators, detail);
    }

    TypeDiff withDetail(String other) {
        return new TypeDiff(name, status, from, to, members, enumerators, other);
    }

    /** Returns this difference with changes on the way to the value, which come first. */
    TypeDiff withMembers(List<MemberChange> first) {
        return new TypeDiff(
                name,
                Status.CHANGED,
                from,
                to,
                Stream.concat(first.stream(), members.stream()).toList(),
                enumerators,
                detail);
    }

    private static @Nullable TypeSide of(@Nullable TypeSide side, Definition definition) {
        return side == null ? null : new TypeSide(side.kind, side.size, side.place, definition);
    }

    /** Result of a comparison. */
    public enum Status {
        SAME,
        CHANGED,
        ADDED,
        REMOVED,
        /** Found on neither side. */
        NOT_FOUND,
        /** One side is ambiguous, or has no definition to compare. */
        NOT_COMPARABLE;

        /** Returns the word in answers. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One side of a type.
     *
     * @param kind such as {@code struct}
     * @param size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
     * @param place the layout of the member, if the item is a path
     * @param definition the definition of a type in the query, else null
     */
    public record TypeSide(
            String kind,
            long size,
            @Nullable MemberLayout place,
            @Nullable Definition definition) {}
}
