package dev.offsetd.query.item;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Members of a struct, union or class in the order of the debug information, with the padding between them. Only for types
 * that have a {@link FieldScope}, which checks that bit offsets do not overflow.
 */
public final class MemberTree {

    /** Most members of structs in structs that one answer expands. */
    private static final int MAX_EXPANDED = 10_000;

    /** Members that may still be expanded: structs in structs can have more than memory. */
    private long left = MAX_EXPANDED;

    private final int levels;
    private final UnfoldedMembers unfolded = new UnfoldedMembers();

    /**
     * Creates the trees of one answer with the members of the structs, unions and classes that are members, or elements of
     * members. After 10,000 of these the rest stays closed.
     *
     * @param levels how many levels of them to expand
     */
    public MemberTree(int levels) {
        this.levels = levels;
    }

    /** A member, or a gap. */
    public sealed interface Entry {

        /**
         * A member or base class.
         *
         * @param nested the members of an unnamed struct or union, of a base class, of an expanded struct or of the first
         *     element of an expanded array, else empty
         */
        record MemberEntry(Member member, Placement placement, List<Entry> nested) implements Entry {}

        /**
         * Bits that no member uses: whole bytes, or less than one.
         *
         * @param bitOffset bits from the start of the outermost type
         */
        record Padding(long bitOffset, long bitSize) implements Entry {

            public boolean isWholeBytes() {
                return bitOffset % Byte.SIZE == 0 && bitSize % Byte.SIZE == 0;
            }
        }
    }

    /** Returns the tree of the type of an {@link ItemOutcome.TypeFound}, or of a part of one, with nothing expanded. */
    public static List<Entry> of(AggregateShape shape) {
        return new MemberTree(0).entries(shape);
    }

    /** Returns the tree of the type of an {@link ItemOutcome.TypeFound}, or of a part of one; empty if it is too large. */
    public List<Entry> entries(AggregateShape shape) {
        return UnfoldedMembers.areTooMany(shape) ? List.of() : entries(shape, Placement.Fixed.start(shape), levels);
    }

    /** Returns the tree of a type inside another one; empty if it is too large, or if the answer has too many of them. */
    public List<Entry> expanded(AggregateShape shape) {
        return take(shape) ? entries(shape, Placement.Fixed.start(shape), 0) : List.of();
    }

    private boolean take(AggregateShape shape) {
        long count = unfolded.count(shape);
        if (count > left || UnfoldedMembers.areTooMany(shape)) {
            return false;
        }
        left -= count;
        return true;
    }

    private List<Entry> entries(AggregateShape shape, Placement origin, int levels) {
        Deadline.checkCurrent();
        List<Entry> entries = new ArrayList<>();
        Map<Long, Long> gaps = origin instanceof Placement.Fixed start ? gaps(shape, start) : new HashMap<>();
        for (Member member : shape.members()) {
            if (isPadding(member)) {
                continue;
            }
            Placement placement = FieldScope.place(member, origin);
            if (placement instanceof Placement.Fixed fixed) {
                Long gap = gaps.remove(fixed.bitOffset());
                if (gap != null) {
                    addPadding(entries, gap, fixed.bitOffset());
                }
            }
            boolean open = UnfoldedMembers.isUnfolded(member);
            List<Entry> nested = List.of();
            if (open && member.type().peeled() instanceof AggregateShape inner) {
                nested = entries(inner, placement, levels);
            } else if (!open && levels > 0) {
                nested = expanded(placement, levels - 1);
            }
            entries.add(new Entry.MemberEntry(member, placement, nested));
        }
        gaps.forEach((end, start) -> addPadding(entries, start, end));
        return entries;
    }

    /**
     * Returns the members of a struct or of the first element of an array of them; empty for other types, and if a member ends
     * past the last bit that can be counted, because no {@link FieldScope} checked it.
     */
    private List<Entry> expanded(Placement member, int levels) {
        Placement origin = member;
        while (origin instanceof Placement.Fixed array && array.type().peeled() instanceof ArrayShape shape) {
            boolean computed = shape.indexing() != null && shape.indexing().computed() != null;
            Optional<Placement.Fixed> first = computed ? Optional.empty() : array.element(shape.lowerBound(0));
            if (first.isEmpty()) {
                return List.of();
            }
            origin = first.get();
        }
        if (!(origin.type().peeled() instanceof AggregateShape shape) || !take(shape)) {
            return List.of();
        }
        try {
            return entries(shape, origin, levels);
        } catch (ArithmeticException e) {
            return List.of();
        }
    }

    /**
     * Returns the gaps between members and after the last, as starts by ends: a gap ends at a member or at the end of the
     * type. Members may overlap and be out of order. Where a member may lie anywhere, no gap is claimed.
     */
    private static Map<Long, Long> gaps(AggregateShape shape, Placement.Fixed start) {
        List<Placement.Fixed> placed = new ArrayList<>();
        for (Member member : shape.members()) {
            if (isPadding(member)) {
                continue;
            }
            if (!(FieldScope.place(member, start) instanceof Placement.Fixed fixed)) {
                return new HashMap<>();
            }
            placed.add(fixed);
        }
        placed.sort(Comparator.comparingLong(Placement.Fixed::bitOffset));
        Map<Long, Long> gaps = new HashMap<>();
        long origin = start.bitOffset();
        long end = origin;
        boolean endKnown = true;
        for (Placement.Fixed member : placed) {
            if (member.bitOffset() > end) {
                if (endKnown) {
                    gaps.put(member.bitOffset(), end);
                }
                end = member.bitOffset();
                endKnown = true;
            }
            if (member.isBitField()) {
                end = Math.max(end, member.bitOffset() + member.bitSize());
            } else if (member.size() == TypeShape.UNKNOWN_SIZE) {
                endKnown = false;
            } else {
                end = Math.max(end, member.bitOffset() + member.size() * Byte.SIZE);
            }
        }
        long size = shape.byteSize();
        if (endKnown && size != TypeShape.UNKNOWN_SIZE && origin + size * Byte.SIZE > end) {
            gaps.put(origin + size * Byte.SIZE, end);
        }
        return gaps;
    }

    /** Returns whether the member is unnamed padding: {@code int : 5}. */
    private static boolean isPadding(Member member) {
        return member.isBitField() && member.name() == null;
    }

    private static void addPadding(List<Entry> entries, long start, long end) {
        long firstByte = Math.ceilDiv(start, Byte.SIZE) * Byte.SIZE;
        long lastByte = Math.floorDiv(end, Byte.SIZE) * Byte.SIZE;
        if (firstByte > lastByte) {
            entries.add(new Entry.Padding(start, end - start));
            return;
        }
        if (start < firstByte) {
            entries.add(new Entry.Padding(start, firstByte - start));
        }
        if (firstByte < lastByte) {
            entries.add(new Entry.Padding(firstByte, lastByte - firstByte));
        }
        if (lastByte < end) {
            entries.add(new Entry.Padding(lastByte, end - lastByte));
        }
    }
}
