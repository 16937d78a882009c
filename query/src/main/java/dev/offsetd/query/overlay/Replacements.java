package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.item.Placement;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Extracted values that the pins of a build replace. Layouts do not know pins, so a replaced member or variable is recognized
 * by its identity, and a definition by its DIE because merging may copy it. Thread-safe.
 */
final class Replacements {

    private final Map<Member, ReplacedMember> members = Collections.synchronizedMap(new IdentityHashMap<>());
    private final Map<Variable, Provenance> variables = Collections.synchronizedMap(new IdentityHashMap<>());
    private final Map<DefinitionKey, Provenance> definitions = new ConcurrentHashMap<>();

    /** @param extracted the member by the debug information, located in the same type; null if it has none */
    private record ReplacedMember(AppliedPin pin, @Nullable Member extracted) {}

    private record DefinitionKey(String section, long dieOffset, String qualifiedName)
            implements Comparable<DefinitionKey> {

        @Override
        public int compareTo(DefinitionKey other) {
            int order = Long.compare(dieOffset, other.dieOffset);
            order = order != 0 ? order : qualifiedName.compareTo(other.qualifiedName);
            return order != 0 ? order : section.compareTo(other.section);
        }

        static DefinitionKey of(Definition definition) {
            return new DefinitionKey(definition.section(), definition.dieOffset(), definition.qualifiedName());
        }
    }

    /** @param extracted the placement by the debug information; null if it has none */
    private record ReplacedPlacement(List<AppliedPin> pins, Placement.@Nullable Fixed extracted) {}

    Member put(Member member, AppliedPin pin, @Nullable Member extracted) {
        members.put(member, new ReplacedMember(pin, extracted));
        return member;
    }

    Variable put(Variable variable, Optional<Provenance> size) {
        size.ifPresent(provenance -> variables.put(variable, provenance));
        return variable;
    }

    Definition put(Definition definition, Optional<Provenance> size) {
        size.ifPresent(provenance -> definitions.put(DefinitionKey.of(definition), provenance));
        return definition;
    }

    boolean has(Member member) {
        return members.containsKey(member);
    }

    /** Returns the member by the debug information; null if it has none. */
    @Nullable
    Member extracted(Member member) {
        ReplacedMember replaced = members.get(member);
        return replaced == null ? member : replaced.extracted;
    }

    /** Records that {@code copy} is {@code member}, which may be replaced, counted from {@code bits} before. */
    Member moved(Member member, Member copy, long bits) {
        ReplacedMember replaced = members.get(member);
        return replaced == null
                ? copy
                : put(
                        copy,
                        replaced.pin,
                        replaced.extracted == null ? null : PinnedMembers.at(replaced.extracted, bits));
    }

    /** Records that {@code copy} is {@code member}, which may be replaced, with other contents. */
    Member sameAs(Member member, Member copy) {
        return moved(member, copy, 0);
    }

    @Nullable
    Provenance of(Definition definition) {
        return definitions.isEmpty() ? null : definitions.get(DefinitionKey.of(definition));
    }

    @Nullable
    Provenance of(Variable variable) {
        return variables.get(variable);
    }

    @Nullable
    Provenance of(Placement.Fixed placement) {
        ReplacedPlacement origin = members.isEmpty() ? null : origin(placement);
        Placement.Fixed extracted = origin == null ? null : origin.extracted;
        return origin == null
                ? null
                : new Provenance(
                        origin.pins,
                        extracted == null
                                ? null
                                : new AppliedPin.Extent.OfMember(
                                        extracted.bitOffset(), extracted.size(), extracted.bitSize()));
    }

    /** Returns a placement by the debug information, as a member of the outermost type; null if it has none. */
    @Nullable
    Member extracted(Placement.Fixed placement) {
        ReplacedPlacement origin = origin(placement);
        Placement.Fixed extracted = origin == null ? placement : origin.extracted;
        return extracted == null
                ? null
                : new Member(
                        Member.Role.FIELD,
                        null,
                        new MemberLocation.Fixed(extracted.bitOffset()),
                        extracted.bitSize(),
                        extracted.storageBytes(),
                        extracted.type());
    }

    /** Follows the way to a placement through the debug information; null if no pin is on it. */
    private @Nullable ReplacedPlacement origin(Placement.Fixed placement) {
        return switch (placement.via()) {
            case null -> null;
            case Placement.Via.OfElement(Placement.Fixed array, long index) -> {
                ReplacedPlacement outer = origin(array);
                yield outer == null || outer.extracted == null
                        ? outer
                        : new ReplacedPlacement(
                                outer.pins, outer.extracted.element(index).orElse(null));
            }
            case Placement.Via.OfMember(Placement.Fixed parent, Member member) -> {
                ReplacedPlacement outer = parent == null ? null : origin(parent);
                ReplacedMember replaced = members.get(member);
                if (outer == null && replaced == null) {
                    yield null;
                }
                List<AppliedPin> pins = new ArrayList<>(outer == null ? List.of() : outer.pins);
                if (replaced != null && !pins.contains(replaced.pin)) {
                    pins.add(replaced.pin);
                }
                Placement.Fixed from = outer == null ? parent : outer.extracted;
                Member extracted = replaced == null ? member : replaced.extracted;
                yield new ReplacedPlacement(pins, outer != null && from == null ? null : located(extracted, from));
            }
        };
    }

    /** @param from the placement of the type that has the member; null if that is the outermost type */
    private static Placement.@Nullable Fixed located(@Nullable Member member, Placement.@Nullable Fixed from) {
        if (member == null || !(Placement.of(member) instanceof Placement.Fixed placement)) {
            return null;
        }
        try {
            return from == null ? placement : placement.inside(from);
        } catch (ArithmeticException e) {
            return null;
        }
    }

    static Provenance size(AppliedPin pin, long extractedBytes) {
        return new Provenance(
                List.of(pin),
                extractedBytes == TypeShape.UNKNOWN_SIZE ? null : new AppliedPin.Extent.OfType(extractedBytes));
    }
}
