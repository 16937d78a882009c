package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** Pins by the names of the types that they change, with their values by the debug information. Thread-safe. */
final class PinTargets {

    /** Shares layouts: many pins name one type. */
    private final TypeIndex types;

    private final ItemResolver resolver;
    private final List<PinTarget> asked;
    private final Map<String, List<PinTarget>> byPath;
    private final Map<String, List<PinTarget>> bySimpleName;
    private final Map<PinnedItem, ResolvedPin> resolved = new HashMap<>();

    /**
     * A pin with the value of its item by the debug information.
     *
     * @param mark the pin in answers
     * @param clear whether the debug information does not have several values that differ
     */
    record ResolvedPin(AppliedPin mark, boolean clear) {}

    /**
     * A type that a pin changes.
     *
     * @param typeName the type's name in the pin, or the name behind the typedef in the pin; normalized
     * @param kind the kind that the type must have, or null for any
     * @param members the members from the type to the pinned one; empty for the type itself
     * @param behindTypedef whether the pin names a typedef of this type
     */
    record PinTarget(
            PinnedItem pin, String typeName, @Nullable TypeKind kind, List<String> members, boolean behindTypedef) {

        boolean means(String qualifiedName) {
            return PinPath.means(typeName, TypeNames.normalize(qualifiedName));
        }
    }

    PinTargets(PinOverlay pins, TypeIndex types) {
        this.types = types.sharingLayouts();
        this.resolver = new ItemResolver(BuildContents.ofTypes(this.types), null);
        Set<String> pinnedTypes = pins.all().stream()
                .filter(pin -> pin.value() instanceof PinnedValue.OfType)
                .map(pin -> pin.path().name())
                .collect(Collectors.toSet());
        this.asked = pins.all().stream().map(pin -> target(pin, pinnedTypes)).toList();
        this.byPath = asked.stream()
                .collect(Collectors.groupingBy(target -> target.pin().path().name()));
        Map<String, List<PinTarget>> all = new HashMap<>();
        asked.stream()
                .flatMap(target -> Stream.concat(Stream.of(target), behindTypedefs(target)))
                .sorted(PinTargets::fromOutside)
                .forEach(target -> all.computeIfAbsent(
                                TypeNames.unqualified(target.typeName()), name -> new ArrayList<>(1))
                        .add(target));
        this.bySimpleName = Map.copyOf(all);
    }

    /**
     * Compares whole types before members, outer members before inner ones, typedefs before the type's own name: the more
     * specific a pin, the later it applies.
     */
    private static int fromOutside(PinTarget target, PinTarget other) {
        int members = Integer.compare(target.members().size(), other.members().size());
        return members != 0 ? members : Boolean.compare(other.behindTypedef(), target.behindTypedef());
    }

    /** Splits the pin's path at the longest name that is a type. */
    private PinTarget target(PinnedItem pin, Set<String> pinnedTypes) {
        PinPath path = pin.path();
        PinPath.TypeAndMembers longest = path.splits().stream()
                .filter(_ -> path.splits().size() > 1)
                .filter(split -> pinnedTypes.contains(split.typeName())
                        || !definitions(split.typeName()).isEmpty())
                .findFirst()
                .orElse(path.splits().getLast());
        return new PinTarget(pin, longest.typeName(), path.kind(), longest.members(), false);
    }

    /** Returns a pin with the value of its item by the debug information. */
    synchronized ResolvedPin resolved(PinTarget target) {
        return resolved.computeIfAbsent(target.pin(), pin -> {
            ItemOutcome outcome = resolver.resolve(pin.item()).outcome();
            return new ResolvedPin(
                    new AppliedPin(pin.source(), pin.item().text(), extent(outcome)),
                    !(outcome instanceof ItemOutcome.Ambiguous));
        });
    }

    private static AppliedPin.@Nullable Extent extent(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.PathFound path -> AppliedPin.Extent.OfMember.of(path.placement());
            case ItemOutcome.TypeFound type ->
                new AppliedPin.Extent.OfType(type.definition().shape().byteSize());
            default -> null;
        };
    }

    /** Returns the targets of all pins by the names in their items, in the order of the pins. */
    List<PinTarget> asked() {
        return asked;
    }

    private synchronized List<Definition> definitions(String typeName) {
        return types.definitionsNamed(TypeNames.unqualified(typeName)).stream()
                .filter(definition -> PinPath.means(typeName, TypeNames.normalize(definition.qualifiedName())))
                .toList();
    }

    /** Returns the types behind the typedef that a pin names. */
    private Stream<PinTarget> behindTypedefs(PinTarget target) {
        if (target.kind() != null && target.kind() != TypeKind.TYPEDEF) {
            return Stream.empty();
        }
        List<Definition> definitions = definitions(target.typeName());
        if (target.kind() == null
                && definitions.stream().anyMatch(definition -> definition.kind().isTag())) {
            return Stream.empty();
        }
        Set<String> behind = new LinkedHashSet<>();
        for (Definition definition : definitions) {
            if (definition.kind() == TypeKind.TYPEDEF) {
                nameOf(definition.shape()).filter(name -> !target.means(name)).ifPresent(behind::add);
            }
        }
        return behind.stream().map(name -> new PinTarget(target.pin(), name, null, target.members(), true));
    }

    /**
     * Returns the normalized qualified name of the struct, union, class or enum behind a type; if that is unnamed, of its
     * typedef. Empty for other types and unnamed ones.
     */
    static Optional<String> nameOf(TypeShape type) {
        TypeShape shape = type;
        AliasShape named = null;
        while (shape instanceof AliasShape alias) {
            named = isQualifierOfUnnamed(alias) ? named : alias;
            shape = alias.target();
        }
        return switch (shape) {
            case AggregateShape aggregate
            when aggregate.name() != null -> Optional.of(qualifiedName(aggregate.spelling()));
            case EnumShape enumeration
            when enumeration.name() != null -> Optional.of(qualifiedName(enumeration.spelling()));
            case AggregateShape _, EnumShape _ ->
                Optional.ofNullable(named).map(alias -> TypeNames.normalize(alias.spelling()));
            default -> Optional.empty();
        };
    }

    /** Returns whether an alias only qualifies an unnamed type, as with {@code const}. */
    static boolean isQualifierOfUnnamed(AliasShape alias) {
        return alias.spelling().endsWith("}");
    }

    /** Removes the kind that C writes before tags. */
    static String qualifiedName(String spelling) {
        return TypeNames.normalize(
                TypeKind.ofTag(spelling).map(kind -> kind.untagged(spelling)).orElse(spelling));
    }

    /** Returns the pin of exactly this path, the last of several; empty if there is none. */
    Optional<PinTarget> exactly(Alternative.TypePath path) {
        return PinPath.nameOf(path).map(byPath::get).stream()
                .flatMap(List::stream)
                .filter(target ->
                        target.kind() == null || path.kind() == null || PinPath.isKind(target.kind(), path.kind()))
                .reduce((earlier, later) -> later);
    }

    /** Returns whether a pin without a kind may mean a type of this kind: the build has one, or no type of the name. */
    boolean mayBe(PinTarget target, @Nullable TypeKind kind) {
        if (kind == null || target.kind() != null) {
            return true;
        }
        List<Definition> definitions = definitions(target.typeName());
        return definitions.isEmpty()
                || definitions.stream().anyMatch(definition -> PinPath.isKind(kind, definition.kind()));
    }

    /** Returns the pins of whole types with this name without scopes. */
    List<PinTarget> typesNamed(String simpleName) {
        return bySimpleName.getOrDefault(simpleName, List.of()).stream()
                .filter(target -> target.members().isEmpty() && !target.behindTypedef())
                .toList();
    }

    /** Returns the pins of a named struct, union, class or enum, in the order in which they apply. */
    List<PinTarget> ofTag(TypeKind kind, String spelling) {
        return of(qualifiedName(spelling), kind);
    }

    /** Returns the pins of a typedef or base type, in the order in which they apply. */
    List<PinTarget> of(String name, TypeKind kind) {
        String qualifiedName = TypeNames.normalize(name);
        List<PinTarget> named = bySimpleName.get(TypeNames.unqualified(qualifiedName));
        return named == null
                ? List.of()
                : named.stream()
                        .filter(target ->
                                PinPath.isKind(target.kind(), kind) && PinPath.means(target.typeName(), qualifiedName))
                        .toList();
    }
}
