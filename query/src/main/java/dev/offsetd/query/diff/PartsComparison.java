package dev.offsetd.query.diff;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Comparison of the members and enumerators of two types. Not thread-safe. */
final class PartsComparison {

    static final String VALUE = "value";

    /** Value of an enumerator that is not known. */
    private static final String TOO_WIDE = "more than 64 bits";

    /** Differences of each pair of types without a name, which many members can have. */
    private final IdentityHashMap<TypeShape, IdentityHashMap<TypeShape, Parts>> compared = new IdentityHashMap<>();

    /** Types that two members of one name hold. */
    record HeldTypes(String name, TypeShape from, TypeShape to) {}

    /**
     * Differences in the members and enumerators of two types.
     *
     * @param held members of both whose types are compared too
     * @param problem why the types cannot be compared, or null
     */
    record Parts(
            List<MemberChange> members,
            List<EnumeratorChange> enumerators,
            List<HeldTypes> held,
            @Nullable String problem) {}

    /** Compares the members or enumerators of two types; of types without a name only once, for all their paths. */
    Parts compare(TypeShape before, TypeShape after) {
        return switch (before.peeled()) {
            case AggregateShape one
            when after.peeled() instanceof AggregateShape other ->
                one.name() != null
                        ? members(one, other)
                        : comparedWith(one).computeIfAbsent(other, _ -> members(one, other));
            case EnumShape one
            when after.peeled() instanceof EnumShape other ->
                one.name() != null
                        ? enumerators(one, other)
                        : comparedWith(one).computeIfAbsent(other, _ -> enumerators(one, other));
            default -> {
                List<MemberChange> changes = new ArrayList<>();
                addIfChanged(changes, ofTargets(before, after));
                yield new Parts(changes, List.of(), List.of(), null);
            }
        };
    }

    private Map<TypeShape, Parts> comparedWith(TypeShape unnamed) {
        return compared.computeIfAbsent(unnamed, _ -> new IdentityHashMap<>());
    }

    private static Parts members(AggregateShape before, AggregateShape after) {
        List<MemberChange> changes = new ArrayList<>();
        List<HeldTypes> held = new ArrayList<>();
        try {
            Map<String, ComparedMember> old = ComparedMember.of(before);
            Map<String, ComparedMember> now = ComparedMember.of(after);
            old.forEach((member, field) -> {
                ComparedMember other = now.get(member);
                addIfChanged(changes, new MemberChange(member, field.place(), other == null ? null : other.place()));
                if (other != null && areComparable(field.type(), other.type())) {
                    held.add(new HeldTypes(member, field.type(), other.type()));
                }
            });
            now.forEach((member, field) -> {
                if (!old.containsKey(member)) {
                    changes.add(new MemberChange(member, null, field.place()));
                }
            });
        } catch (TooManyMembersException e) {
            return new Parts(List.of(), List.of(), List.of(), e.getMessage());
        }
        return new Parts(changes, List.of(), held, null);
    }

    static void addIfChanged(List<MemberChange> changes, MemberChange change) {
        if (!change.kinds().isEmpty()) {
            changes.add(change);
        }
    }

    /** Returns the change in what two types stand for: the targets of typedefs, or the types themselves. */
    static MemberChange ofTargets(TypeShape before, TypeShape after) {
        return new MemberChange(VALUE, target(before), target(after));
    }

    /** Returns the target of a typedef, or the base type itself. */
    private static MemberLayout target(TypeShape type) {
        TypeShape target = type instanceof AliasShape alias ? alias.target() : type;
        return new MemberLayout(0L, type.byteSize(), Member.NOT_A_BIT_FIELD, MemberLayout.spelled(target), null);
    }

    static boolean areComparable(TypeShape before, TypeShape after) {
        TypeShape one = before.innermost();
        TypeShape other = after.innermost();
        return (one instanceof AggregateShape && other instanceof AggregateShape)
                || (one instanceof EnumShape && other instanceof EnumShape);
    }

    private static Parts enumerators(EnumShape before, EnumShape after) {
        List<EnumeratorChange> changes = new ArrayList<>();
        Map<String, String> old = values(before);
        Map<String, String> now = values(after);
        old.forEach((name, value) -> {
            if (!value.equals(now.get(name))) {
                changes.add(new EnumeratorChange(name, value, now.get(name)));
            }
        });
        now.forEach((name, value) -> {
            if (!old.containsKey(name)) {
                changes.add(new EnumeratorChange(name, null, value));
            }
        });
        return new Parts(List.of(), changes, List.of(), null);
    }

    private static Map<String, String> values(EnumShape enumeration) {
        Map<String, String> values = new LinkedHashMap<>();
        for (Enumerator enumerator : enumeration.enumerators()) {
            values.put(enumerator.name(), value(enumeration, enumerator));
        }
        return values;
    }

    static String value(EnumShape enumeration, Enumerator enumerator) {
        return enumeration.text(enumerator).orElse(TOO_WIDE);
    }
}
