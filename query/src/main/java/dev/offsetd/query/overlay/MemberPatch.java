package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.overlay.PinTargets.ResolvedPin;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.HashSet;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * Applies pins to the members of a type: in one pass those of its members, and in another those of what these contain.
 */
// Types that no pin changes are the same objects.
@SuppressWarnings("ReferenceEquality")
final class MemberPatch {

    /**
     * Most members visited in a pass, including those of unnamed members and base classes. Types with more have no answer,
     * pinned or not.
     */
    private static final int MAX_LOOKED = 100_000;

    private final Replacements replacements;

    MemberPatch(Replacements replacements) {
        this.replacements = replacements;
    }

    /**
     * A pin of a member.
     *
     * @param path the names of the members from the type down to the pinned one
     * @param place counted from the start of the type
     */
    record MemberPin(List<String> path, PinnedValue.OfMember place, ResolvedPin pin) {

        /** Returns the pin for the type of the first member of the path, which starts at so many bits. */
        MemberPin inside(long bits) {
            long bytes = bits / Byte.SIZE;
            PinnedValue.Bits own = place.bits();
            PinnedValue.OfMember moved = new PinnedValue.OfMember(
                    place.offset() - bytes,
                    place.size(),
                    own == null ? null : new PinnedValue.Bits(own.bitOffset() - bytes * Byte.SIZE, own.bitSize()),
                    place.type());
            return new MemberPin(path.subList(1, path.size()), moved, pin);
        }
    }

    /** A member's type as pinned, at the end of the way to the member. */
    private record PinnedInside(List<Member> way, AggregateShape type) {

        PinnedInside behindFirst() {
            return new PinnedInside(way.subList(1, way.size()), type);
        }
    }

    /** Returns the pinned members of a type, which replace its own. */
    List<Member> all(AggregateShape shape, Map<String, PinnedValue.OfMember> places, ResolvedPin pin) {
        Map<String, List<Member>> ways = ways(shape, places.keySet());
        List<Member> members = new ArrayList<>(places.size());
        places.forEach((name, place) -> members.add(
                replacements.member(name, place, at(ways.getOrDefault(name, List.of()), replacements), pin)));
        return members;
    }

    /** Returns the member of this name with its offset in {@code shape}; null if there is none. */
    static @Nullable Member find(AggregateShape shape, String name, Replacements replacements) {
        return at(way(shape, name), replacements);
    }

    private static @Nullable Member at(List<Member> way, Replacements replacements) {
        return way.isEmpty() ? null : replacements.moved(way.getLast(), start(way.subList(0, way.size() - 1)));
    }

    /** Returns the way to the member of this name; empty if there is none. */
    static List<Member> way(AggregateShape shape, String name) {
        return ways(shape, Set.of(name)).getOrDefault(name, List.of());
    }

    /**
     * Returns by name the unnamed members and base classes down to the member of the name, and that; a type's own members
     * come before those of unnamed members, and these before inherited ones.
     */
    private static Map<String, List<Member>> ways(AggregateShape shape, Set<String> names) {
        Map<String, List<Member>> ways = new HashMap<>();
        addWays(shape, names, new ArrayList<>(), ways, new AtomicInteger());
        return ways;
    }

    private static void addWays(
            AggregateShape shape,
            Set<String> names,
            List<Member> outer,
            Map<String, List<Member>> ways,
            AtomicInteger looked) {
        Deadline.checkCurrent();
        if (looked.addAndGet(shape.members().size()) > MAX_LOOKED) {
            return;
        }
        for (Member member : shape.members()) {
            String name = nameIn(names, member);
            if (name != null && !ways.containsKey(name)) {
                outer.add(member);
                ways.put(name, List.copyOf(outer));
                outer.removeLast();
            }
        }
        for (boolean bases : new boolean[] {false, true}) {
            for (Member member : shape.members()) {
                if (ways.size() < names.size() && isEntered(member, bases)) {
                    outer.add(member);
                    addWays((AggregateShape) member.type().peeled(), names, outer, ways, looked);
                    outer.removeLast();
                }
            }
        }
    }

    /** Returns the type with its members at their pinned offsets; the same object if no pin changes it. */
    AggregateShape place(AggregateShape shape, List<MemberPin> pins) {
        AggregateShape placed = shape;
        Map<String, MemberPin> own = new LinkedHashMap<>();
        Map<String, List<MemberPin>> inside = new LinkedHashMap<>();
        for (MemberPin pin : pins) {
            String name = pin.path().getFirst();
            if (pin.path().size() > 1) {
                inside.computeIfAbsent(name, _ -> new ArrayList<>()).add(pin);
            } else {
                if (own.containsKey(name)) {
                    placed = new MemberMoves(placed, own).made();
                    own.clear();
                }
                own.put(name, pin);
            }
        }
        if (!own.isEmpty()) {
            placed = new MemberMoves(placed, own).made();
        }
        return inside.isEmpty() ? placed : placeInside(placed, inside);
    }

    private AggregateShape placeInside(AggregateShape shape, Map<String, List<MemberPin>> pins) {
        List<PinnedInside> changed = new ArrayList<>();
        Map<String, List<Member>> ways = ways(shape, pins.keySet());
        pins.forEach((name, ofMember) -> {
            List<Member> way = ways.getOrDefault(name, List.of());
            if (!way.isEmpty()
                    && way.getLast().location() instanceof MemberLocation.Fixed
                    && way.getLast().type().peeled() instanceof AggregateShape inner) {
                long start = start(way);
                AggregateShape placed = place(
                        inner, ofMember.stream().map(pin -> pin.inside(start)).toList());
                if (placed != inner) {
                    changed.add(new PinnedInside(way, placed));
                }
            }
        });
        return holding(shape, changed);
    }

    /** Moves of members of one type, by their names. */
    private final class MemberMoves {

        private final AggregateShape outermost;
        private final Map<String, MemberPin> pins;
        private final Set<String> done = new HashSet<>();

        /**
         * Members, counted from the outermost type, whose new offset is outside the unnamed member that contained them, and
         * those that the type did not have.
         */
        private final List<Member> added = new ArrayList<>();

        private int looked;

        MemberMoves(AggregateShape outermost, Map<String, MemberPin> pins) {
            this.outermost = outermost;
            this.pins = pins;
        }

        /** Returns the outermost type with its members where the pins have them. */
        AggregateShape made() {
            AggregateShape placed = among(outermost, 0, pins.keySet());
            pins.forEach((name, pin) -> {
                if (!done.contains(name)) {
                    added.add(replacements.member(name, pin.place(), null, pin.pin()));
                }
            });
            return with(placed, added);
        }

        /**
         * Moves members of the type and of its unnamed members, and inherited ones of names that these do not have.
         *
         * @param start bits from the outermost type to {@code shape}
         */
        private AggregateShape among(AggregateShape shape, long start, Set<String> names) {
            Set<String> met = new HashSet<>();
            AggregateShape placed = amongOwn(shape, start, names, met);
            Set<String> others = new HashSet<>(names);
            others.removeAll(met);
            return others.isEmpty() ? placed : amongInherited(placed, start, others);
        }

        /**
         * Moves the first member of each name and drops others: the pin resolves the ambiguity.
         *
         * @param met the names of members that the type has, added here
         */
        private AggregateShape amongOwn(AggregateShape shape, long start, Set<String> names, Set<String> met) {
            if (isTooLarge(shape)) {
                return shape;
            }
            List<Member> members = new ArrayList<>(shape.members().size());
            List<Member> elsewhere = new ArrayList<>();
            boolean changed = false;
            for (Member member : shape.members()) {
                if (isEntered(member, false)) {
                    AggregateShape inner = (AggregateShape) member.type().peeled();
                    AggregateShape placed = amongOwn(inner, start + member.bitOffset(), names, met);
                    changed |= placed != inner;
                    members.add(placed == inner ? member : holding(member, placed));
                    continue;
                }
                String name = nameIn(names, member);
                if (name == null) {
                    members.add(member);
                    continue;
                }
                changed = true;
                met.add(name);
                if (done.add(name)) {
                    Member placed = placed(member, name, start);
                    Member here = replacements.moved(placed, -start);
                    if (shape != outermost && !isInside(here, shape)) {
                        added.add(placed);
                    } else if (shape.kind() == TypeKind.UNION || here.location().equals(member.location())) {
                        members.add(here);
                    } else {
                        elsewhere.add(here);
                    }
                }
            }
            return changed ? with(shape.withMembers(members), elsewhere) : shape;
        }

        private AggregateShape amongInherited(AggregateShape shape, long start, Set<String> names) {
            if (isTooLarge(shape)) {
                return shape;
            }
            List<Member> members = new ArrayList<>(shape.members().size());
            boolean changed = false;
            for (Member member : shape.members()) {
                Member held = member;
                if (isEntered(member, true)) {
                    AggregateShape inner = (AggregateShape) member.type().peeled();
                    AggregateShape placed = among(inner, start + member.bitOffset(), names);
                    held = placed == inner ? member : holding(member, placed);
                }
                changed |= held != member;
                members.add(held);
            }
            return changed ? shape.withMembers(members) : shape;
        }

        private Member placed(Member member, String name, long start) {
            MemberPin pin = Objects.requireNonNull(pins.get(name));
            return replacements.member(name, pin.place(), replacements.moved(member, start), pin.pin());
        }

        private boolean isTooLarge(AggregateShape shape) {
            Deadline.checkCurrent();
            looked += shape.members().size();
            return looked > MAX_LOOKED;
        }
    }

    private AggregateShape holding(AggregateShape shape, List<PinnedInside> changed) {
        IdentityHashMap<Member, List<PinnedInside>> byFirst = new IdentityHashMap<>();
        for (PinnedInside each : changed) {
            byFirst.computeIfAbsent(each.way().getFirst(), _ -> new ArrayList<>())
                    .add(each);
        }
        return byFirst.isEmpty()
                ? shape
                : shape.withMembers(shape.members().stream()
                        .map(member -> holding(member, byFirst.get(member)))
                        .toList());
    }

    private Member holding(Member member, @Nullable List<PinnedInside> changed) {
        if (changed == null) {
            return member;
        }
        PinnedInside first = changed.getFirst();
        return holding(
                member,
                first.way().size() == 1
                        ? first.type()
                        : holding(
                                (AggregateShape) member.type().peeled(),
                                changed.stream().map(PinnedInside::behindFirst).toList()));
    }

    private Member holding(Member member, AggregateShape inner) {
        return replacements.withType(member, member.type().rewrapping(inner));
    }

    /** Returns the name of a member if it is one of these, else null; base classes have none. */
    private static @Nullable String nameIn(Set<String> names, Member member) {
        String name = member.role() == Member.Role.BASE_CLASS ? null : member.name();
        return name != null && names.contains(name) ? name : null;
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

    /** Returns the type with more members, in order of offsets; in a union, as the last. */
    private static AggregateShape with(AggregateShape shape, List<Member> more) {
        if (more.isEmpty()) {
            return shape;
        }
        Deque<Member> waiting = new ArrayDeque<>(
                shape.kind() == TypeKind.UNION
                        ? more
                        : more.stream()
                                .sorted(Comparator.comparingLong(Member::bitOffset))
                                .toList());
        List<Member> members = new ArrayList<>(shape.members().size() + more.size());
        for (Member member : shape.members()) {
            if (shape.kind() != TypeKind.UNION && member.location() instanceof MemberLocation.Fixed(long bits)) {
                while (!waiting.isEmpty() && waiting.getFirst().bitOffset() < bits) {
                    members.add(waiting.removeFirst());
                }
            }
            members.add(member);
        }
        members.addAll(waiting);
        return shape.withMembers(members);
    }
}
