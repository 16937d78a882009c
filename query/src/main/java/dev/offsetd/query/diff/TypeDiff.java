package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * What became of one type, or of one item that was asked for.
 *
 * @param name of the type; of an unnamed one the path of the member that has it ({@code rb_vm_struct.ractor})
 * @param from what it was, or null if it is new or could not be found
 * @param to what it is now, or null if it has gone or could not be found
 * @param members those that changed: in the old order, then the new ones in theirs
 * @param enumerators those that changed, in the same order
 * @param detail why it cannot be compared, or what it is where it has no size: only declared; else null
 */
public record TypeDiff(
        String name,
        Status status,
        @Nullable Side from,
        @Nullable Side to,
        List<MemberChange> members,
        List<EnumeratorChange> enumerators,
        @Nullable String detail) {

    public TypeDiff {
        members = List.copyOf(members);
        enumerators = List.copyOf(enumerators);
    }

    /** Returns the same with what the names on both sides stand for. */
    TypeDiff ofDefinitions(Definition old, Definition now) {
        return new TypeDiff(name, status, of(from, old), of(to, now), members, enumerators, detail);
    }

    private static @Nullable Side of(@Nullable Side side, Definition definition) {
        return side == null ? null : new Side(side.kind, side.size, side.place, definition);
    }

    /** What became of a type. */
    public enum Status {
        SAME,
        CHANGED,
        ADDED,
        REMOVED,
        /** On neither side. */
        NOT_FOUND,
        /** One side has several definitions that differ, or none that could be compared. */
        NOT_COMPARABLE;

        /** As answers spell it. */
        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /**
     * One side of a type.
     *
     * @param kind such as {@code struct}
     * @param size in bytes, or {@link TypeShape#UNKNOWN_SIZE}
     * @param place where it lies, if the item was a path
     * @param definition of a type that was asked for, else null
     */
    public record Side(
            String kind,
            long size,
            @Nullable Place place,
            @Nullable Definition definition) {}
}
