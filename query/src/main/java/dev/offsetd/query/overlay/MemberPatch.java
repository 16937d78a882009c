package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Applies one pin to the members of a type. */
final class MemberPatch {

    /**
     * Most members visited for one pin, including those of unnamed members and base classes. Types with more have no
     * answer, pinned or not.
     */
    private static final int MAX_LOOKED = 100_000;

    private final PinnedMembers pinned;
    private final ResolvedPin pin;
    private int looked;

    MemberPatch(PinnedMembers pinned, ResolvedPin pin) {
        this.pinned = pinned;
        this.pin = pin;
    }

    /** Returns the pinned members of a type, which replace its own. */
    List<Member> all(AggregateShape shape, Map<String, PinnedValue.OfMember> places) {
        List<Member> members = new ArrayList<>(places.size());
        places.forEach((name, place) ->
                members.add(pinned.member(name, place, find(shape, name, pinned).orElse(null), pin)));
        return members;
    }

    /**
     * Returns the member of this name with its offset in {@code shape}; members of unnamed members come before those of
     * base classes. Empty if there is none.
     */
    static Optional<Member> find(AggregateShape shape, String name, PinnedMembers pinned) {
        return Optional.ofNullable(new Search(name, pinned).in(shape));
    }

    /** Search for the member of one name. */
    private static final class Search {

        private final String name;
        private final PinnedMembers pinned;
        private int looked;

        Search(String name, PinnedMembers pinned) {
            this.name = name;
            this.pinned = pinned;
        }

        @Nullable
        Member in(AggregateShape shape) {
            looked += shape.members().size();
            if (looked > MAX_LOOKED) {
                return null;
            }
            for (Member member : shape.members()) {
                if (member.role() != Member.Role.BASE_CLASS && name.equals(member.name())) {
                    return member;
                }
            }
            for (boolean bases : new boolean[] {false, true}) {
                for (Member member : shape.members()) {
                    Member found = isEntered(member, bases)
                            ? in((AggregateShape) member.type().peeled())
                            : null;
                    if (found != null) {
                        return pinned.moved(found, startOf(member));
                    }
                }
            }
            return null;
        }
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
            return inside(shape, 0, path, place);
        }
        MemberMove placing = new MemberMove(path.getFirst(), place);
        AggregateShape placed = placing.among(shape, 0, true);
        if (placed == null) {
            placed = placing.amongBases(shape, 0);
        }
        if (placed == null) {
            return with(shape, pinned.member(path.getFirst(), place, null, pin));
        }
        return placing.lifted == null ? placed : with(placed, placing.lifted);
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
         * @return null if there is no such member
         */
        @Nullable
        AggregateShape among(AggregateShape shape, long start, boolean outermost) {
            if (isTooMuch(shape)) {
                return null;
            }
            List<Member> members = new ArrayList<>(shape.members().size());
            boolean changed = false;
            Member elsewhere = null;
            for (Member member : shape.members()) {
                if (member.role() != Member.Role.BASE_CLASS && name.equals(member.name())) {
                    changed = true;
                    if (done) {
                        continue;
                    }
                    done = true;
                    Member placed = pinned.member(name, place, pinned.moved(member, start), pin);
                    Member here = pinned.moved(placed, -start);
                    if (!outermost && !isInside(here, shape)) {
                        lifted = placed;
                    } else if (shape.kind() == TypeKind.UNION || here.location().equals(member.location())) {
                        members.add(here);
                    } else {
                        elsewhere = here;
                    }
                } else if (isEntered(member, false)) {
                    AggregateShape inner = (AggregateShape) member.type().peeled();
                    AggregateShape placed = among(inner, start + startOf(member), false);
                    changed |= placed != null;
                    members.add(placed == null ? member : holding(member, placed));
                } else {
                    members.add(member);
                }
            }
            if (!changed) {
                return null;
            }
            AggregateShape placed = shape.withMembers(members);
            return elsewhere == null ? placed : with(placed, elsewhere);
        }

        /** Moves the member among inherited ones; null if there is none. */
        @Nullable
        AggregateShape amongBases(AggregateShape shape, long start) {
            if (isTooMuch(shape)) {
                return null;
            }
            List<Member> members = new ArrayList<>(shape.members().size());
            boolean changed = false;
            for (Member member : shape.members()) {
                if (member.role() == Member.Role.BASE_CLASS && isEntered(member, true)) {
                    AggregateShape base = (AggregateShape) member.type().peeled();
                    long from = start + startOf(member);
                    AggregateShape placed = among(base, from, false);
                    if (placed == null) {
                        placed = amongBases(base, from);
                    }
                    changed |= placed != null;
                    members.add(placed == null ? member : holding(member, placed));
                } else {
                    members.add(member);
                }
            }
            return changed ? shape.withMembers(members) : null;
        }
    }

    /** @param start bits from the origin of {@code place} to {@code shape} */
    private @Nullable AggregateShape inside(
            AggregateShape shape, long start, List<String> path, PinnedValue.OfMember place) {
        if (isTooMuch(shape)) {
            return null;
        }
        for (int i = 0; i < shape.members().size(); i++) {
            Member member = shape.members().get(i);
            if (member.role() != Member.Role.BASE_CLASS && path.getFirst().equals(member.name())) {
                if (!(member.location() instanceof MemberLocation.Fixed)
                        || !(member.type().peeled() instanceof AggregateShape inner)) {
                    return null;
                }
                AggregateShape placed = place(
                        inner, path.subList(1, path.size()), moved(place, -(start + startOf(member)) / Byte.SIZE));
                return placed == null ? null : withMember(shape, i, holding(member, placed));
            }
        }
        for (boolean bases : new boolean[] {false, true}) {
            for (int i = 0; i < shape.members().size(); i++) {
                Member member = shape.members().get(i);
                if (isEntered(member, bases)) {
                    AggregateShape inner = (AggregateShape) member.type().peeled();
                    AggregateShape placed = inside(inner, start + startOf(member), path, place);
                    if (placed != null) {
                        return withMember(shape, i, holding(member, placed));
                    }
                }
            }
        }
        return null;
    }

    private boolean isTooMuch(AggregateShape shape) {
        looked += shape.members().size();
        return looked > MAX_LOOKED;
    }

    private static PinnedValue.OfMember moved(PinnedValue.OfMember place, long bytes) {
        PinnedValue.Bits bits = place.bits();
        return new PinnedValue.OfMember(
                place.offset() + bytes,
                place.size(),
                bits == null ? null : new PinnedValue.Bits(bits.bitOffset() + bytes * Byte.SIZE, bits.bitSize()),
                place.type());
    }

    private static AggregateShape withMember(AggregateShape shape, int index, Member member) {
        List<Member> members = new ArrayList<>(shape.members());
        members.set(index, member);
        return shape.withMembers(members);
    }

    private Member holding(Member member, AggregateShape inner) {
        return pinned.withType(member, member.type().rewrapping(inner));
    }

    /** Returns whether the members of a member count as members of its parent, at fixed offsets. */
    static boolean isEntered(Member member, boolean bases) {
        boolean unfolded = bases ? member.role() == Member.Role.BASE_CLASS : member.isUnnamedAggregate();
        return unfolded
                && member.location() instanceof MemberLocation.Fixed
                && member.type().peeled() instanceof AggregateShape;
    }

    static long startOf(Member member) {
        return member.location() instanceof MemberLocation.Fixed(long bits) ? bits : 0;
    }

    private static boolean isInside(Member member, AggregateShape shape) {
        long start = startOf(member);
        long bits = member.isBitField() ? member.bitSize() : member.type().byteSize() * Byte.SIZE;
        return start >= 0
                && (shape.byteSize() == TypeShape.UNKNOWN_SIZE || start + bits <= shape.byteSize() * Byte.SIZE);
    }

    /** Returns the type with one more member, in order of offsets; in a union, as the last. */
    private static AggregateShape with(AggregateShape shape, Member member) {
        List<Member> members = new ArrayList<>(shape.members());
        int at = members.size();
        for (int i = 0; i < members.size() && shape.kind() != TypeKind.UNION; i++) {
            if (members.get(i).location() instanceof MemberLocation.Fixed(long bits) && bits > startOf(member)) {
                at = i;
                break;
            }
        }
        members.add(at, member);
        return shape.withMembers(members);
    }
}
