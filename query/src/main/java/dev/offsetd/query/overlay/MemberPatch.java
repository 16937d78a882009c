package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.overlay.PinTargets.ResolvedPin;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/** Applies one pin to the members of a type. */
final class MemberPatch {

    /**
     * Most members visited for one pin, including those of unnamed members and base classes. Types with more have no
     * answer, pinned or not.
     */
    private static final int MAX_LOOKED = 100_000;

    private final Replacements replacements;
    private final ResolvedPin pin;
    private int looked;

    MemberPatch(Replacements replacements, ResolvedPin pin) {
        this.replacements = replacements;
        this.pin = pin;
    }

    /** Returns the pinned members of a type, which replace its own. */
    List<Member> all(AggregateShape shape, Map<String, PinnedValue.OfMember> places) {
        List<Member> members = new ArrayList<>(places.size());
        places.forEach(
                (name, place) -> members.add(replacements.member(name, place, find(shape, name, replacements), pin)));
        return members;
    }

    /** Returns the member of this name with its offset in {@code shape}; null if there is none. */
    static @Nullable Member find(AggregateShape shape, String name, Replacements replacements) {
        List<Member> way = way(shape, name);
        return way.isEmpty() ? null : replacements.moved(way.getLast(), start(way.subList(0, way.size() - 1)));
    }

    /**
     * Returns the unnamed members and base classes down to the member of this name, and that; a type's own members come
     * before those of unnamed members, and these before inherited ones. Empty if there is none.
     */
    static List<Member> way(AggregateShape shape, String name) {
        List<Member> way = new ArrayList<>();
        return addWay(shape, name, way, new AtomicInteger()) ? way : List.of();
    }

    private static boolean addWay(AggregateShape shape, String name, List<Member> way, AtomicInteger looked) {
        Deadline.checkCurrent();
        if (looked.addAndGet(shape.members().size()) > MAX_LOOKED) {
            return false;
        }
        for (Member member : shape.members()) {
            if (isNamed(member, name)) {
                return way.add(member);
            }
        }
        for (boolean bases : new boolean[] {false, true}) {
            for (Member member : shape.members()) {
                if (isEntered(member, bases)) {
                    way.add(member);
                    if (addWay((AggregateShape) member.type().peeled(), name, way, looked)) {
                        return true;
                    }
                    way.removeLast();
                }
            }
        }
        return false;
    }

    /**
     * Returns the type with one member moved to a pinned offset.
     *
     * @param path the names of the members down to the pinned one
     * @param place counted from the start of {@code shape}
     * @return null if the path leads to no member
     */
    @Nullable
    AggregateShape place(AggregateShape shape, List<String> path, PinnedValue.OfMember place) {
        if (path.size() > 1) {
            return inside(shape, path, place);
        }
        MemberMove move = new MemberMove(path.getFirst(), place);
        AggregateShape placed = move.among(shape, 0, true, false);
        if (placed == null) {
            placed = move.among(shape, 0, true, true);
        }
        if (placed == null) {
            return with(shape, replacements.member(path.getFirst(), place, null, pin));
        }
        return move.lifted == null ? placed : with(placed, move.lifted);
    }

    /** Move of one member. */
    private final class MemberMove {

        private final String name;
        private final PinnedValue.OfMember place;
        private boolean done;

        /**
         * The member, counted from the outermost type, if its new offset is outside the unnamed member that contained it.
         */
        private @Nullable Member lifted;

        MemberMove(String name, PinnedValue.OfMember place) {
            this.name = name;
            this.place = place;
        }

        /**
         * Moves the first member of the name and drops others: the pin resolves the ambiguity.
         *
         * @param start bits from the outermost type to {@code shape}
         * @param bases whether to look among inherited members instead of those of unnamed members
         * @return null if there is no such member
         */
        @Nullable
        AggregateShape among(AggregateShape shape, long start, boolean outermost, boolean bases) {
            Deadline.checkCurrent();
            looked += shape.members().size();
            if (looked > MAX_LOOKED) {
                return null;
            }
            List<Member> members = new ArrayList<>(shape.members().size());
            boolean changed = false;
            Member elsewhere = null;
            for (Member member : shape.members()) {
                if (isEntered(member, bases)) {
                    AggregateShape inner = (AggregateShape) member.type().peeled();
                    long from = start + member.bitOffset();
                    AggregateShape placed = among(inner, from, false, false);
                    if (placed == null && bases) {
                        placed = among(inner, from, false, true);
                    }
                    changed |= placed != null;
                    members.add(placed == null ? member : holding(member, placed));
                } else if (bases || !isNamed(member, name)) {
                    members.add(member);
                } else {
                    changed = true;
                    if (done) {
                        continue;
                    }
                    done = true;
                    Member placed = replacements.member(name, place, replacements.moved(member, start), pin);
                    Member here = replacements.moved(placed, -start);
                    if (!outermost && !isInside(here, shape)) {
                        lifted = placed;
                    } else if (shape.kind() == TypeKind.UNION || here.location().equals(member.location())) {
                        members.add(here);
                    } else {
                        elsewhere = here;
                    }
                }
            }
            if (!changed) {
                return null;
            }
            AggregateShape placed = shape.withMembers(members);
            return elsewhere == null ? placed : with(placed, elsewhere);
        }
    }

    private @Nullable AggregateShape inside(AggregateShape shape, List<String> path, PinnedValue.OfMember place) {
        List<Member> way = way(shape, path.getFirst());
        if (way.isEmpty()
                || !(way.getLast().location() instanceof MemberLocation.Fixed)
                || !(way.getLast().type().peeled() instanceof AggregateShape inner)) {
            return null;
        }
        AggregateShape placed = place(inner, path.subList(1, path.size()), moved(place, -start(way) / Byte.SIZE));
        return placed == null ? null : holding(shape, way, placed);
    }

    private static PinnedValue.OfMember moved(PinnedValue.OfMember place, long bytes) {
        PinnedValue.Bits bits = place.bits();
        return new PinnedValue.OfMember(
                place.offset() + bytes,
                place.size(),
                bits == null ? null : new PinnedValue.Bits(bits.bitOffset() + bytes * Byte.SIZE, bits.bitSize()),
                place.type());
    }

    /** Returns the type with another type of the member at the end of a way. */
    // Each member has one object.
    @SuppressWarnings("ReferenceEquality")
    private AggregateShape holding(AggregateShape shape, List<Member> way, AggregateShape inner) {
        Member first = way.getFirst();
        AggregateShape held = way.size() == 1
                ? inner
                : holding((AggregateShape) first.type().peeled(), way.subList(1, way.size()), inner);
        return shape.withMembers(shape.members().stream()
                .map(member -> member == first ? holding(member, held) : member)
                .toList());
    }

    private Member holding(Member member, AggregateShape inner) {
        return replacements.withType(member, member.type().rewrapping(inner));
    }

    private static boolean isNamed(Member member, String name) {
        return member.role() != Member.Role.BASE_CLASS && name.equals(member.name());
    }

    /** Returns whether the members of a member count as members of its parent, at fixed offsets. */
    static boolean isEntered(Member member, boolean bases) {
        boolean unfolded = bases ? member.role() == Member.Role.BASE_CLASS : member.isUnnamedAggregate();
        return unfolded
                && member.location() instanceof MemberLocation.Fixed
                && member.type().peeled() instanceof AggregateShape;
    }

    private static long start(List<Member> way) {
        return way.stream().mapToLong(Member::bitOffset).sum();
    }

    private static boolean isInside(Member member, AggregateShape shape) {
        long start = member.bitOffset();
        long bits = member.isBitField() ? member.bitSize() : member.type().byteSize() * Byte.SIZE;
        return start >= 0
                && (shape.byteSize() == TypeShape.UNKNOWN_SIZE || start + bits <= shape.byteSize() * Byte.SIZE);
    }

    /** Returns the type with one more member, in order of offsets; in a union, as the last. */
    private static AggregateShape with(AggregateShape shape, Member member) {
        List<Member> members = new ArrayList<>(shape.members());
        int at = members.size();
        for (int i = 0; i < members.size() && shape.kind() != TypeKind.UNION; i++) {
            if (members.get(i).location() instanceof MemberLocation.Fixed(long bits) && bits > member.bitOffset()) {
                at = i;
                break;
            }
        }
        members.add(at, member);
        return shape.withMembers(members);
    }
}
