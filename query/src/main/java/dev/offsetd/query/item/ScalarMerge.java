package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.DifferingShape.UnitType;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges answers whose layouts are equal. Their offsets and sizes agree. A scalar that the definitions type differently, as
 * {@code int} and {@code float}, becomes a {@link DifferingShape}; integers of equal sign and size count as one type, so do
 * all pointers. Not thread-safe.
 */
// Identical objects need no merge; comparing shapes by value would cost as much as merging them.
@SuppressWarnings("ReferenceEquality")
final class ScalarMerge {

    /** Merged pairs of types: a type can occur in many members. */
    private final IdentityHashMap<TypeShape, IdentityHashMap<TypeShape, TypeShape>> known = new IdentityHashMap<>();

    private final @Nullable OverriddenTypes overridden;

    /** @param overridden the types if something overrides them; overridden members are not merged */
    ScalarMerge(@Nullable OverriddenTypes overridden) {
        this.overridden = overridden;
    }

    /** Returns the first outcome merged with another; the same object if they do not differ. */
    ItemOutcome merged(ItemOutcome.DifferingAnswer first, ItemOutcome next, Definition nextDefinition) {
        Merge merge = new Merge(first.definition().unit(), nextDefinition.unit());
        return switch (first.outcome()) {
            case ItemOutcome.TypeFound one
            when next instanceof ItemOutcome.TypeFound other -> {
                Definition definition = one.definition();
                TypeShape shape =
                        merge.of(definition.shape(), other.definition().shape());
                yield shape == definition.shape() ? one : withShape(one, shape);
            }
            case ItemOutcome.PathFound one
            when next instanceof ItemOutcome.PathFound other -> {
                Placement.Fixed place = one.placement();
                TypeShape type = overridden != null && overridden.overrides(place)
                        ? place.type()
                        : merge.of(place.type(), other.placement().type());
                yield type == place.type()
                        ? one
                        : new ItemOutcome.PathFound(one.definition(), one.alsoMatches(), place.withType(type));
            }
            default -> first.outcome();
        };
    }

    private static ItemOutcome.TypeFound withShape(ItemOutcome.TypeFound type, TypeShape shape) {
        try {
            return new ItemOutcome.TypeFound(
                    type.definition().withShape(shape),
                    type.alsoMatches(),
                    shape.peeled() instanceof AggregateShape aggregate ? FieldScope.of(aggregate) : Map.of());
        } catch (UnanswerableException e) {
            // The first outcome has the same members at the same offsets.
            return type;
        }
    }

    /** Returns whether two scalars of one size count as the same type. */
    private static boolean areReadAlike(TypeShape one, TypeShape other) {
        return switch (one) {
            case BaseShape base ->
                other instanceof BaseShape second
                        && base.encoding() == second.encoding()
                        && (!base.encoding().isToldByName()
                                || TypeNames.canonical(base.spelling()).equals(TypeNames.canonical(second.spelling())));
            case EnumShape enumeration ->
                other instanceof EnumShape second && Objects.equals(enumeration.name(), second.name());
            case PointerShape _ -> other instanceof PointerShape;
            case FunctionShape _ -> other instanceof FunctionShape;
            case DifferingShape differing ->
                differing.types().stream()
                        .anyMatch(reading -> areReadAlike(reading.type().peeled(), other));
            case AggregateShape _, AliasShape _, ArrayShape _, IncompleteShape _, NamedShape _ -> true;
        };
    }

    /** The merge of types of two units. */
    private final class Merge {

        private final String unit;
        private final String otherUnit;

        Merge(String unit, String otherUnit) {
            this.unit = unit;
            this.otherUnit = otherUnit;
        }

        /** Returns the first of two types of equal layout; another one if their scalars differ. */
        TypeShape of(TypeShape one, TypeShape other) {
            if (one == other) {
                return one;
            }
            IdentityHashMap<TypeShape, TypeShape> merged = known.computeIfAbsent(one, type -> new IdentityHashMap<>());
            TypeShape shape = merged.get(other);
            if (shape == null) {
                shape = merge(one, other);
                merged.put(other, shape);
            }
            return shape;
        }

        private TypeShape merge(TypeShape one, TypeShape other) {
            return switch (one.peeled()) {
                case AggregateShape aggregate -> {
                    AggregateShape inner =
                            other.peeled() instanceof AggregateShape second ? members(aggregate, second) : aggregate;
                    yield inner == aggregate ? one : one.rewrapping(inner);
                }
                case ArrayShape array -> {
                    TypeShape element = other.peeled() instanceof ArrayShape second
                            ? of(array.element(), second.element())
                            : array.element();
                    yield element == array.element() ? one : one.rewrapping(array.spelledAfter(element));
                }
                default -> areReadAlike(one.peeled(), other.peeled()) ? one : differing(one, other);
            };
        }

        private AggregateShape members(AggregateShape one, AggregateShape other) {
            List<Member> members = new ArrayList<>(one.members().size());
            boolean same = true;
            for (int i = 0; i < one.members().size(); i++) {
                Member member = one.members().get(i);
                TypeShape type = overridden != null && overridden.overrides(member)
                        ? member.type()
                        : of(member.type(), other.members().get(i).type());
                same &= type == member.type();
                members.add(type == member.type() ? member : member.withType(type));
            }
            return same ? one : one.withMembers(members);
        }

        private TypeShape differing(TypeShape one, TypeShape other) {
            if (one instanceof AliasShape alias
                    && other instanceof AliasShape second
                    && alias.spelling().equals(second.spelling())) {
                return alias.withTarget(of(alias.target(), second.target()));
            }
            List<UnitType> readings = new ArrayList<>(one.differing());
            if (readings.isEmpty()) {
                readings.add(new UnitType(one, unit));
            }
            if (readings.size() == ItemResolver.MAX_VARIANTS) {
                return one;
            }
            readings.add(new UnitType(other, otherUnit));
            return new DifferingShape(readings, one.byteSize());
        }
    }
}
