package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.UnfoldedMembers;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;

/** Finds members that overlap, except in unions. */
final class Overlaps {

    /** Most overlaps reported; a member that is much too large has many. */
    static final int MAX_TOLD = 8;

    private Overlaps() {}

    /** Bits of a member from the start of the outermost type; {@code to} is exclusive. */
    private record BitRange(String name, long from, long to) {

        boolean meets(BitRange other) {
            return from < other.to && other.from < to;
        }

        String words() {
            return HostileText.quote(name)
                    + (from % Byte.SIZE == 0 && to % Byte.SIZE == 0
                            ? " (bytes " + from / Byte.SIZE + " to " + (to / Byte.SIZE - 1) + ")"
                            : " (bits " + from + " to " + (to - 1) + ")");
        }
    }

    /** Describes the members that overlap the one at the end of the path. */
    // Members are compared by identity: equality of their types visits all that these hold.
    @SuppressWarnings("ReferenceEquality")
    static List<String> with(AggregateShape shape, List<String> path, PinnedValue.OfMember place) {
        BitRange own = range(path.getLast(), place);
        List<BitRange> others = new ArrayList<>();
        TypeShape type = shape;
        long start = 0;
        for (String name : path) {
            List<Member> way =
                    type.peeled() instanceof AggregateShape aggregate && !UnfoldedMembers.areTooMany(aggregate)
                            ? MemberPatch.way(aggregate, name)
                            : List.of();
            if (way.isEmpty()) {
                break;
            }
            for (Member member : way) {
                if (type.peeled() instanceof AggregateShape around && around.kind() != TypeKind.UNION) {
                    for (Member other : around.members()) {
                        if (other != member) {
                            addRanges(other, start, others);
                        }
                    }
                }
                start += member.bitOffset();
                type = member.type();
            }
        }
        return told(others.stream()
                .filter(own::meets)
                .map(other -> "it overlaps member " + other.words())
                .toList());
    }

    /** Describes the members that overlap one before them. */
    static List<String> among(Map<String, PinnedValue.OfMember> members) {
        List<BitRange> ranges = new ArrayList<>();
        members.forEach((name, place) -> ranges.add(range(name, place)));
        ranges.removeIf(range -> range.from == range.to);
        ranges.sort(Comparator.comparingLong(BitRange::from));
        List<String> found = new ArrayList<>();
        BitRange furthest = null;
        for (BitRange range : ranges) {
            if (furthest != null && range.meets(furthest)) {
                found.add("member " + HostileText.quote(range.name) + " overlaps " + furthest.words());
            }
            furthest = furthest == null || range.to > furthest.to ? range : furthest;
        }
        return told(found);
    }

    private static List<String> told(List<String> found) {
        if (found.size() <= MAX_TOLD) {
            return found;
        }
        List<String> told = new ArrayList<>(found.subList(0, MAX_TOLD));
        told.add("and " + (found.size() - MAX_TOLD) + " more members overlap");
        return told;
    }

    /** Adds the bits of a member; for an unnamed member or base class, those of each of its members. */
    private static void addRanges(Member member, long start, List<BitRange> ranges) {
        if (!(member.location() instanceof MemberLocation.Fixed(long bits))) {
            return;
        }
        boolean unfolded = MemberPatch.isEntered(member, false) || MemberPatch.isEntered(member, true);
        if (unfolded && member.type().peeled() instanceof AggregateShape inner) {
            inner.members().forEach(each -> addRanges(each, start + bits, ranges));
        } else if (member.name() != null) {
            long length = member.isBitField()
                    ? member.bitSize()
                    : Math.max(member.type().byteSize(), 0) * Byte.SIZE;
            ranges.add(new BitRange(member.name(), start + bits, start + bits + length));
        }
    }

    private static BitRange range(String name, PinnedValue.OfMember place) {
        PinnedValue.Bits bits = place.bits();
        return bits == null
                ? new BitRange(name, place.offset() * Byte.SIZE, (place.offset() + place.size()) * Byte.SIZE)
                : new BitRange(name, bits.bitOffset(), bits.bitOffset() + bits.bitSize());
    }
}
