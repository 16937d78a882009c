package dev.offsetd.query.overlay;

import dev.offsetd.extractor.input.Deadline;
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
import dev.offsetd.query.overlay.MemberPatch.MemberPin;
import dev.offsetd.query.overlay.PinTargets.PinTarget;
import dev.offsetd.query.overlay.PinTargets.ResolvedPin;
import java.util.ArrayList;
import java.util.IdentityHashMap;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Applies pins to types, wherever these are held by value: one pass over a type from the inside, which visits each part once.
 * Returns types that no pin changes as they are. Used for one look-up, or for several that share layouts; not thread-safe.
 */
// Types that no pin changes are the same objects.
@SuppressWarnings("ReferenceEquality")
final class ShapePatcher {

    private final PinTargets targets;
    private final Replacements replacements;
    private final MemberPatch members;
    private final IdentityHashMap<TypeShape, TypeShape> patched = new IdentityHashMap<>();

    ShapePatcher(PinTargets targets, Replacements replacements) {
        this.targets = targets;
        this.replacements = replacements;
        this.members = new MemberPatch(replacements);
    }

    /** Returns the number of types that are remembered. */
    int size() {
        return patched.size();
    }

    /** Returns the type with pins applied; the same object if no pin changes it. */
    TypeShape patched(TypeShape shape) {
        TypeShape known = patched.get(shape);
        if (known == null) {
            known = make(shape);
            patched.put(shape, known);
        }
        return known;
    }

    private TypeShape make(TypeShape shape) {
        return switch (shape) {
            case AggregateShape aggregate -> apply(pinsOf(aggregate), withPatchedMembers(aggregate));
            case AliasShape alias -> {
                TypeShape target = apply(pinsOf(alias), patched(alias.target()));
                yield target == alias.target() ? alias : alias.withTarget(target);
            }
            case ArrayShape array -> {
                TypeShape element = patched(array.element());
                yield element == array.element() ? array : array.withElement(element);
            }
            case EnumShape _, BaseShape _ -> apply(pinsOf(shape), shape);
            case DifferingShape _, FunctionShape _, IncompleteShape _, NamedShape _, PointerShape _ -> shape;
        };
    }

    private AggregateShape withPatchedMembers(AggregateShape aggregate) {
        Deadline.checkCurrent();
        List<Member> members = new ArrayList<>(aggregate.members().size());
        boolean changed = false;
        for (Member member : aggregate.members()) {
            TypeShape type = patched(member.type());
            changed |= type != member.type();
            members.add(type == member.type() ? member : withType(member, type));
        }
        return changed ? aggregate.withMembers(members) : aggregate;
    }

    private Member withType(Member member, TypeShape type) {
        AppliedPin size =
                type.innermost().byteSize() == member.type().innermost().byteSize() ? null : sizeMark(member.type());
        return size == null ? member.withType(type) : replacements.withSize(member, type, size);
    }

    /** Returns the pin of the size of a type; null if it is not pinned. */
    @Nullable
    AppliedPin sizeMark(TypeShape type) {
        for (PinTarget target : pinsOf(type).reversed()) {
            if (target.members().isEmpty()) {
                return targets.resolved(target).mark();
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
            case AggregateShape aggregate
            when aggregate.name() != null -> targets.ofTag(aggregate.kind(), aggregate.spelling());
            case EnumShape enumeration
            when enumeration.name() != null -> targets.ofTag(TypeKind.ENUM, enumeration.spelling());
            case BaseShape base -> targets.of(base.spelling(), TypeKind.BASE);
            case AliasShape alias when isNameOfItsOwn(alias) -> targets.of(alias.spelling(), TypeKind.TYPEDEF);
            default -> List.of();
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

    private TypeShape apply(List<PinTarget> pins, TypeShape type) {
        TypeShape shape = type;
        List<MemberPin> places = new ArrayList<>();
        for (PinTarget target : pins) {
            ResolvedPin pin = targets.resolved(target);
            switch (target.pin().value()) {
                case PinnedValue.OfType whole -> shape = whole(shape, whole, pin);
                case PinnedValue.OfMember place -> places.add(new MemberPin(target.members(), place, pin));
            }
        }
        if (!places.isEmpty() && shape.peeled() instanceof AggregateShape aggregate) {
            AggregateShape placed = members.place(aggregate, places);
            shape = placed == aggregate ? shape : shape.rewrapping(placed);
        }
        return shape;
    }

    private TypeShape whole(TypeShape shape, PinnedValue.OfType type, ResolvedPin pin) {
        boolean scalar = !(shape.peeled() instanceof AggregateShape);
        if (scalar && !type.members().isEmpty()) {
            AggregateShape empty = new AggregateShape(TypeKind.STRUCT, null, "struct {...}", type.size(), 0, List.of());
            return empty.withMembers(members.all(empty, type.members(), pin));
        }
        return switch (shape) {
            case AggregateShape aggregate ->
                new AggregateShape(
                        aggregate.kind(),
                        aggregate.name(),
                        aggregate.spelling(),
                        type.size(),
                        aggregate.alignment(),
                        type.members().isEmpty() ? aggregate.members() : members.all(aggregate, type.members(), pin));
            case AliasShape alias -> alias.withTarget(whole(alias.target(), type, pin));
            case EnumShape enumeration ->
                new EnumShape(
                        enumeration.name(),
                        enumeration.spelling(),
                        type.size(),
                        enumeration.signed(),
                        enumeration.enumerators(),
                        enumeration.byteOrder());
            case BaseShape base -> new BaseShape(base.spelling(), type.size(), base.encoding(), base.byteOrder());
            case PointerShape pointer -> pointer.withByteSize(type.size());
            case ArrayShape array when array.byteSize() == type.size() -> array;
            case ArrayShape _, DifferingShape _, FunctionShape _, IncompleteShape _, NamedShape _ ->
                new BaseShape(shape.spelling(), type.size(), BaseShape.Encoding.OTHER);
        };
    }
}
