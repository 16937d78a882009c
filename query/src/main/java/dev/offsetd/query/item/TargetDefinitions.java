package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.AliasKind;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.FunctionShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.layout.PointerKind;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Definitions of what pointers point to. A pointer has the name of its target only, so the definitions of this name answer. A
 * name at file scope is never that of a type in another scope. Not thread-safe.
 */
final class TargetDefinitions {

    private final TypeIndex types;
    private final DefinitionChoice choice;
    private final Set<String> names = new LinkedHashSet<>();

    TargetDefinitions(TypeIndex types, DefinitionChoice choice) {
        this.types = types;
        this.choice = choice;
    }

    /**
     * The target of a pointer.
     *
     * @param definitions the definitions that it may have; empty if it has none
     * @param why no definition answers; null if one does
     */
    record Target(List<Definition> definitions, ItemOutcome.@Nullable Missed why) {

        static Target missing(ItemStatus status, String at, String problem) {
            return new Target(List.of(), new ItemOutcome.Missed(status, HostileText.quote(at) + " " + problem));
        }
    }

    /** Returns the names of all types that pointers led to, as {@link Item#typeNames()}. */
    Set<String> names() {
        return names;
    }

    /** Returns whether a path can follow the pointer. */
    static boolean isFollowed(PointerShape pointer) {
        return pointer.kind() != PointerKind.MEMBER_POINTER && !isFunctionOrVoid(pointer.target());
    }

    private static boolean isFunctionOrVoid(TypeShape target) {
        TypeShape shape = target.peeled();
        return shape instanceof FunctionShape
                || (shape instanceof BaseShape base && base.byteSize() == TypeShape.UNKNOWN_SIZE);
    }

    /** Returns whether the definitions of a name answer what the pointer points to. */
    static boolean isNamed(PointerShape pointer) {
        return pointer.target().innermost() instanceof NamedShape;
    }

    /**
     * Returns the target of a pointer.
     *
     * @param holder the definition that has the pointer
     * @param at the path up to the pointer, as an item
     */
    Target of(PointerShape pointer, Definition holder, String at) {
        if (!isFollowed(pointer)) {
            return pointer.kind() == PointerKind.MEMBER_POINTER
                    ? Target.missing(ItemStatus.FIELD_NOT_FOUND, at, "is a pointer to a member, which has no address")
                    : withoutMembers(pointer.target(), at);
        }
        return of(pointer.target(), holder, at);
    }

    private static Target withoutMembers(TypeShape target, String at) {
        return Target.missing(
                ItemStatus.FIELD_NOT_FOUND,
                at,
                "points to " + HostileText.quote(target.spelling()) + ", which has no members");
    }

    private Target of(TypeShape shape, Definition holder, String at) {
        return switch (shape) {
            case NamedShape named -> named(named, holder, at);
            case AliasShape alias
            when alias.kind() == AliasKind.TYPEDEF && isAmbiguous(alias) -> new Target(definitions(alias), null);
            case AliasShape alias -> {
                Target inner = of(alias.target(), holder, at);
                yield new Target(
                        inner.definitions.stream()
                                .map(found -> found.withShape(alias.withTarget(found.shape())))
                                .toList(),
                        inner.why);
            }
            case ArrayShape array -> {
                Target element = of(array.element(), holder, at);
                yield new Target(
                        element.definitions.stream()
                                .map(found -> found.withShape(array.withElement(found.shape())))
                                .toList(),
                        element.why);
            }
            case IncompleteShape incomplete ->
                Target.missing(
                        ItemStatus.DECLARATION_ONLY,
                        at,
                        "points to a type that is incomplete: "
                                + incomplete.reason().text());
            default -> new Target(List.of(unnamed(shape, holder)), null);
        };
    }

    /**
     * Returns whether typedefs of this name differ. Pointers to them are equal in the debug information of structs that different
     * units define, so which of them a pointer has is not known.
     */
    private boolean isAmbiguous(AliasShape alias) {
        names.add(TypeNames.normalize(alias.spelling()));
        return definitions(alias).size() > 1;
    }

    private List<Definition> definitions(AliasShape alias) {
        return choice.types("::" + alias.spelling(), TypeKind.TYPEDEF)
                .map(DefinitionChoice.ChosenDefinitions::definitions)
                .orElse(List.of());
    }

    private Target named(NamedShape named, Definition holder, String at) {
        String name = named.qualifiedName();
        names.add(Item.simpleName(name));
        names.add(TypeNames.normalize(name));
        Language.Family family = holder.language().family();
        Optional<DefinitionChoice.ChosenDefinitions> found =
                family.ranksFirst() ? Optional.empty() : atScope(new DefinitionChoice(types, family), named);
        DefinitionChoice.ChosenDefinitions chosen =
                found.or(() -> atScope(choice, named)).orElse(null);
        if (chosen == null || chosen.definitions().isEmpty()) {
            return Target.missing(
                    ItemStatus.DECLARATION_ONLY,
                    at,
                    "points to " + HostileText.quote(named.spelling()) + ", which the build does not define");
        }
        if (isFunctionOrVoid(chosen.definitions().getFirst().shape())) {
            return withoutMembers(named, at);
        }
        List<Definition> local = chosen.definitions().stream()
                .filter(definition ->
                        definition.function() != null && definition.function().equals(holder.function()))
                .toList();
        return new Target(local.isEmpty() ? chosen.definitions() : local, null);
    }

    private static Optional<DefinitionChoice.ChosenDefinitions> atScope(DefinitionChoice from, NamedShape named) {
        Optional<DefinitionChoice.ChosenDefinitions> exact = from.types("::" + named.qualifiedName(), named.kind());
        return exact.isPresent() ? exact : from.types(named.qualifiedName(), named.kind());
    }

    private static Definition unnamed(TypeShape shape, Definition holder) {
        return new Definition(
                TypeKind.TYPEDEF,
                "",
                "",
                holder.function(),
                holder.unit(),
                holder.language(),
                holder.section(),
                holder.dieOffset(),
                shape);
    }
}
