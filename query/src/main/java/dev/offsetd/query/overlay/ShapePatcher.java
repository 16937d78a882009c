package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.DifferingShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Applies pins to types, wherever these are held by value. Returns types that no pin changes as they are. Used for one
 * look-up, or for several that share layouts; not thread-safe.
 */
final class ShapePatcher {

    private final PinTargets targets;
    private final Function<PinnedItem, ResolvedPin> resolve;
    private final PinnedMembers pinnedMembers;
    private final IdentityHashMap<TypeShape, Optional<TypeShape>> patched = new IdentityHashMap<>();

    ShapePatcher(PinTargets targets, Function<PinnedItem, ResolvedPin> resolve, PinnedMembers pinnedMembers) {
        this.targets = targets;
        this.resolve = resolve;
        this.pinnedMembers = pinnedMembers;
    }

    /** Returns the number of types that are remembered. */
    int size() {
        return patched.size();
    }

    /** Returns the type with pins applied; empty if no pin changes it. */
    Optional<TypeShape> changed(TypeShape shape) {
        Optional<TypeShape> known = patched.get(shape);
        if (known == null) {
            known = make(shape);
            patched.put(shape, known);
        }
        return known;
    }

    private Optional<TypeShape> make(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> pinned(aggregate, withChangedMembers(aggregate));
            case AliasShape alias ->
                apply(pinsOf(alias), alias.target(), changed(alias.target())).map(alias::withTarget);
            case ArrayShape array -> changed(array.element()).map(array::withElement);
            case EnumShape _, BaseShape _ -> pinned(shape, Optional.empty());
            case DifferingShape _, FunctionShape _, IncompleteShape _, NamedShape _, PointerShape _ -> Optional.empty();
        };
    }

    private Optional<TypeShape> pinned(TypeShape shape, Optional<TypeShape> inside) {
        return apply(pinsOf(shape), shape, inside);
    }

    private Optional<TypeShape> withChangedMembers(AggregateShape aggregate) {
        List<Member> members = new ArrayList<>(aggregate.members().size());
        boolean anyChanged = false;
        for (Member member : aggregate.members()) {
            Optional<TypeShape> type = changed(member.type());
            anyChanged |= type.isPresent();
            members.add(type.map(changed -> withType(member, changed)).orElse(member));
        }
        return anyChanged ? Optional.of(aggregate.withMembers(members)) : Optional.empty();
    }

    private Member withType(Member member, TypeShape type) {
        AppliedPin size = elementBytes(type) == elementBytes(member.type()) ? null : sizeMark(member.type());
        return size == null ? member.withType(type) : pinnedMembers.withSize(member, type, size);
    }

    /** Returns the size of a value, or of the innermost elements of an array. */
    private static long elementBytes(TypeShape type) {
        TypeShape shape = type.peeled();
        while (shape instanceof ArrayShape array) {
            shape = array.element().peeled();
        }
        return shape.byteSize();
    }

    /** Returns the pin of the size of a type; null if it is not pinned. */
    @Nullable
    AppliedPin sizeMark(TypeShape type) {
        List<PinTarget> pins = pinsOf(type);
        for (PinTarget target : pins.reversed()) {
            if (target.members().isEmpty()) {
                return resolve.apply(target.pin()).mark();
            }
        }
        return switch (type) {
            case AliasShape alias -> sizeMark(alias.target());
            case ArrayShape array -> sizeMark(array.element());
            default -> null;
        };
    }

    /** Returns the pins that name this type itself, in the order in which they apply. */
    private List<PinTarget> pinsOf(TypeShape type) {
        return switch (type) {
            case AggregateShape aggregate ->
                aggregate.name() == null ? List.of() : targets.ofTag(aggregate.kind(), aggregate.spelling());
            case EnumShape enumeration ->
                enumeration.name() == null ? List.of() : targets.ofTag(TypeKind.ENUM, enumeration.spelling());
            case BaseShape base -> targets.of(base.spelling(), TypeKind.BASE);
            case AliasShape alias -> isNameOfItsOwn(alias) ? targets.of(alias.spelling(), TypeKind.TYPEDEF) : List.of();
            case ArrayShape _, DifferingShape _, FunctionShape _, IncompleteShape _, NamedShape _, PointerShape _ ->
                List.of();
        };
    }

    /** Returns whether the alias is the only name of its type, or a name that pins can distinguish from the type's tag. */
    private static boolean isNameOfItsOwn(AliasShape alias) {
        return switch (alias.peeled()) {
            case AggregateShape aggregate -> aggregate.name() == null && isNameOfUnnamed(alias);
            case EnumShape enumeration -> enumeration.name() == null && isNameOfUnnamed(alias);
            default -> true;
        };
    }

    private static boolean isNameOfUnnamed(AliasShape alias) {
        return !PinTargets.isQualifierOfUnnamed(alias)
                && (!(alias.target() instanceof AliasShape inner) || PinTargets.isQualifierOfUnnamed(inner));
    }

    /**
     * Applies pins to one type.
     *
     * @param inside the type with pins applied to its members; empty if none changes them
     */
    private Optional<TypeShape> apply(List<PinTarget> pins, TypeShape before, Optional<TypeShape> inside) {
        Optional<TypeShape> after = inside;
        for (PinTarget target : pins) {
            TypeShape soFar = after.orElse(before);
            ResolvedPin pin = resolve.apply(target.pin());
            switch (target.pin().value()) {
                case PinnedValue.OfType type -> after = Optional.of(whole(soFar, type, pin));
                case PinnedValue.OfMember place -> {
                    AggregateShape placed = soFar.peeled() instanceof AggregateShape aggregate
                            ? new MemberPatch(pinnedMembers, pin).place(aggregate, target.members(), place)
                            : null;
                    after = placed == null ? after : Optional.of(soFar.rewrapping(placed));
                }
            }
        }
        return after;
    }

    private TypeShape whole(TypeShape shape, PinnedValue.OfType type, ResolvedPin pin) {
        boolean scalar = !(shape.peeled() instanceof AggregateShape);
        if (scalar && !type.members().isEmpty()) {
            AggregateShape empty = new AggregateShape(TypeKind.STRUCT, null, "struct {...}", type.size(), 0, List.of());
            return empty.withMembers(new MemberPatch(pinnedMembers, pin).all(empty, type.members()));
        }
        return switch (shape) {
            case AggregateShape aggregate ->
                new AggregateShape(
                        aggregate.kind(),
                        aggregate.name(),
                        aggregate.spelling(),
                        type.size(),
                        aggregate.alignment(),
                        type.members().isEmpty()
                                ? aggregate.members()
                                : new MemberPatch(pinnedMembers, pin).all(aggregate, type.members()));
            case AliasShape alias -> alias.withTarget(whole(alias.target(), type, pin));
            case EnumShape enumeration ->
                new EnumShape(
                        enumeration.name(),
                        enumeration.spelling(),
                        type.size(),
                        enumeration.signed(),
                        enumeration.enumerators());
            case BaseShape base -> new BaseShape(base.spelling(), type.size(), base.encoding());
            case PointerShape pointer -> pointer.withByteSize(type.size());
            case ArrayShape array ->
                array.byteSize() == type.size()
                        ? array
                        : new BaseShape(array.spelling(), type.size(), BaseShape.Encoding.OTHER);
            case DifferingShape _, FunctionShape _, IncompleteShape _, NamedShape _ ->
                new BaseShape(shape.spelling(), type.size(), BaseShape.Encoding.OTHER);
        };
    }
}
