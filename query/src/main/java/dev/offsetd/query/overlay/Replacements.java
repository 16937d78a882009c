package dev.offsetd.query.overlay;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.overlay.PinTargets.ResolvedPin;
import java.util.ArrayList;
import java.util.Collections;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Makes pinned members, and remembers the extracted values that the pins of a build replace. Layouts do not know pins, so a
 * replaced member or variable is recognized by its identity, and a definition by its DIE because merging may copy it. Offsets
 * of a pinned member have the same origin as those of the known one. Thread-safe.
 */
final class Replacements {

    private static final Pattern TAG = Pattern.compile("\\b(?:(?:struct|union|class|enum) )+([A-Za-z_])");

    private final Map<Member, ReplacedMember> members = Collections.synchronizedMap(new IdentityHashMap<>());
    private final Map<Variable, Provenance> variables = Collections.synchronizedMap(new IdentityHashMap<>());
    private final Map<String, Provenance> definitions = new ConcurrentHashMap<>();

    /** @param extracted the member by the debug information, located in the same type; null if it has none */
    private record ReplacedMember(AppliedPin pin, @Nullable Member extracted) {}

    /** @param extracted the placement by the debug information; null if it has none */
    private record ReplacedPlacement(List<AppliedPin> pins, Placement.@Nullable Fixed extracted) {}

    /**
     * Returns the member as pinned.
     *
     * @param known the member by the debug information or another pin; null if there is none
     */
    Member member(String name, PinnedValue.OfMember value, @Nullable Member known, ResolvedPin pin) {
        return put(member(name, value, known), pin.mark(), known == null || !pin.clear() ? null : extracted(known));
    }

    private static Member member(String name, PinnedValue.OfMember value, @Nullable Member known) {
        PinnedValue.Bits bits = value.bits();
        boolean sameType = known != null && isCalled(value.type(), known.type()) && canHold(known, value);
        TypeShape type = sameType && known != null ? known.type() : opaque(value.type(), value.size());
        return new Member(
                Member.Role.FIELD,
                name,
                new MemberLocation.Fixed(bits == null ? value.offset() * Byte.SIZE : bits.bitOffset()),
                bits == null ? Member.NOT_A_BIT_FIELD : bits.bitSize(),
                bits == null ? 0 : sameType && known != null ? storageBytes(known) : value.size(),
                type,
                known == null ? null : known.variant());
    }

    /** Returns whether a pinned member of this value can have the type of the known one. */
    private static boolean canHold(Member known, PinnedValue.OfMember value) {
        PinnedValue.Bits bits = value.bits();
        if (bits == null) {
            return !known.isBitField() && known.type().byteSize() == value.size();
        }
        long storage = storageBytes(known);
        return storage > 0 && bits.bitSize() <= storage * Byte.SIZE;
    }

    private static long storageBytes(Member member) {
        return member.isBitField() ? member.storageBytes() : member.type().byteSize();
    }

    /** Returns whether a type named in a pin, or null, can be this one. */
    private static boolean isCalled(@Nullable String name, TypeShape type) {
        return name == null || comparable(name).equals(comparable(type.spelling()));
    }

    private static String comparable(String spelling) {
        return TypeNames.normalize(TAG.matcher(spelling.strip()).replaceAll("$1"));
    }

    /** Returns a type of which only the size is known, and maybe the name. */
    static TypeShape opaque(@Nullable String name, long bytes) {
        return new BaseShape(name == null ? "unsigned char [" + bytes + "]" : name, bytes, BaseShape.Encoding.OTHER);
    }

    private Member put(Member member, AppliedPin pin, @Nullable Member extracted) {
        members.put(member, new ReplacedMember(pin, extracted));
        return member;
    }

    /** @param extractedBytes of its type; {@link TypeShape#UNKNOWN_SIZE} if it has none */
    void putSize(Variable variable, AppliedPin pin, long extractedBytes) {
        variables.put(variable, size(pin, extractedBytes));
    }

    /** @param extractedBytes {@link TypeShape#UNKNOWN_SIZE} if it has none */
    void putSize(Definition definition, AppliedPin pin, long extractedBytes) {
        definitions.put(key(definition), size(pin, extractedBytes));
    }

    private static String key(Definition definition) {
        return definition.section() + " " + definition.dieOffset() + " " + definition.qualifiedName();
    }

    boolean has(Member member) {
        return members.containsKey(member);
    }

    /** Returns the member by the debug information; null if it has none. */
    private @Nullable Member extracted(Member member) {
        ReplacedMember replaced = members.get(member);
        return replaced == null ? member : replaced.extracted;
    }

    /** Returns the member with its origin moved by {@code bits} towards the start; replaced if the member is. */
    Member moved(Member member, long bits) {
        return bits == 0 ? member : replacedAs(member, at(member, bits), bits);
    }

    /** Returns the member with another type; replaced if the member is. */
    Member withType(Member member, TypeShape type) {
        return replacedAs(member, member.withType(type), 0);
    }

    private Member replacedAs(Member member, Member copy, long bits) {
        ReplacedMember replaced = members.get(member);
        return replaced == null
                ? copy
                : put(copy, replaced.pin, replaced.extracted == null ? null : at(replaced.extracted, bits));
    }

    /** Returns the member with another type, whose size a pin has changed. */
    Member withSize(Member member, TypeShape type, AppliedPin pin) {
        return put(member.withType(type), pin, member);
    }

    private static Member at(Member member, long bits) {
        return bits != 0 && member.location() instanceof MemberLocation.Fixed(long from)
                ? member.withLocation(new MemberLocation.Fixed(from + bits))
                : member;
    }

    @Nullable
    Provenance of(Definition definition) {
        return definitions.isEmpty() ? null : definitions.get(key(definition));
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
                : new Provenance(origin.pins, extracted == null ? null : AppliedPin.Extent.OfMember.of(extracted));
    }

    /** Records that a pin replaces what is at a placement in the outermost type. */
    void put(Member member, AppliedPin pin, Placement.Fixed replaced) {
        ReplacedPlacement origin = origin(replaced);
        Placement.Fixed extracted = origin == null ? replaced : origin.extracted;
        put(
                member,
                pin,
                extracted == null
                        ? null
                        : new Member(
                                Member.Role.FIELD,
                                null,
                                new MemberLocation.Fixed(extracted.bitOffset()),
                                extracted.bitSize(),
                                extracted.storageBytes(),
                                extracted.type()));
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

    private static Provenance size(AppliedPin pin, long extractedBytes) {
        return new Provenance(
                List.of(pin),
                extractedBytes == TypeShape.UNKNOWN_SIZE ? null : new AppliedPin.Extent.OfType(extractedBytes));
    }
}
