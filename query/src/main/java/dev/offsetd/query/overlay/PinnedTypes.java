package dev.offsetd.query.overlay;

import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.query.item.Alternative;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.OverriddenTypes;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.overlay.PinTargets.PinTarget;
import dev.offsetd.query.overlay.PinTargets.ResolvedPin;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Consumer;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Types of a build with its pins applied, and the provenance of the pinned values in answers from them. Lives as long as
 * the answers of one request: it remembers what the pins have replaced in each type that was looked up.
 */
// Types that no pin changes are the same objects.
@SuppressWarnings("ReferenceEquality")
public final class PinnedTypes implements OverriddenTypes {

    private static final TypeIndex NO_TYPES = new TypeCatalogue(List.of(), List.of());

    /** For answers of builds without pins. */
    public static final PinnedTypes NONE = new PinnedTypes(PinOverlay.NONE, null);

    /** Types that look-ups remember for each other. */
    private static final int MAX_SHARED = 1 << 17;

    private static final Language UNKNOWN = new Language("unknown", Language.Family.OTHER);

    private final PinOverlay pins;
    private final TypeIndex types;
    private final PinTargets targets;
    private final Replacements replacements;

    /** Layouts that all look-ups have made so far, if they share them. */
    private @Nullable ShapePatcher shared;

    PinnedTypes(PinOverlay pins, @Nullable TypeIndex types) {
        this.pins = pins;
        this.types = types == null ? NO_TYPES : types;
        this.targets = new PinTargets(pins, this.types);
        this.replacements = new Replacements();
    }

    /** The same types, for look-ups that share layouts. */
    private PinnedTypes(PinnedTypes other) {
        this.pins = other.pins;
        this.types = other.types.sharingLayouts();
        this.targets = other.targets;
        this.replacements = other.replacements;
        this.shared = patcher();
    }

    /** Returns the targets of all pins by the names in their items, in the order of the pins. */
    List<PinTarget> targets() {
        return targets.asked();
    }

    @Override
    public PinnedTypes sharingLayouts() {
        return new PinnedTypes(this);
    }

    /** Returns what applies the pins in one look-up. */
    private ShapePatcher patcher() {
        if (shared != null && shared.size() < MAX_SHARED) {
            return shared;
        }
        ShapePatcher patcher = new ShapePatcher(targets, replacements);
        shared = shared == null ? null : patcher;
        return patcher;
    }

    /** Returns the types to answer from: those of the debug information if there are no pins. */
    public Optional<TypeIndex> index() {
        TypeIndex index = pins.isEmpty() ? types : this;
        return index == NO_TYPES ? Optional.empty() : Optional.of(index);
    }

    /** Returns the provenance of a placement; null if no pin is on the way to it. */
    public @Nullable Provenance of(Placement.Fixed placement) {
        return replacements.of(placement);
    }

    /** Returns the provenance of a type's size; null if it is not pinned. */
    public @Nullable Provenance of(Definition definition) {
        return replacements.of(definition);
    }

    /** Returns the provenance of the size of a variable's type; null if it is not pinned. */
    public @Nullable Provenance of(Variable variable) {
        return replacements.of(variable);
    }

    /** Returns the provenance of the size of the type with this qualified name; null if it is not pinned. */
    public @Nullable Provenance ofTypeNamed(String qualifiedName) {
        if (pins.isEmpty()) {
            return null;
        }
        String wanted = TypeNames.normalize(qualifiedName);
        return definitionsNamed(TypeNames.unqualified(wanted)).stream()
                .filter(definition -> wanted.equals(TypeNames.normalize(definition.qualifiedName())))
                .map(this::of)
                .filter(Objects::nonNull)
                .findFirst()
                .orElse(null);
    }

    @Override
    public boolean overrides(Member member) {
        return replacements.has(member);
    }

    @Override
    public boolean overrides(Placement.Fixed placement) {
        return of(placement) != null;
    }

    /** Returns the member of this name as the type's own; null if it has none. */
    @Nullable
    Member find(AggregateShape shape, String name) {
        return MemberPatch.find(shape, name, replacements);
    }

    @Override
    public boolean hasDebugInformation() {
        return types != NO_TYPES;
    }

    @Override
    public boolean isFromProgram() {
        return types.isFromProgram();
    }

    @Override
    public List<Omission> omissions() {
        return types.omissions();
    }

    @Override
    public List<Definition> definitionsNamed(String name) {
        return definitionsNamed(name, _ -> true);
    }

    @Override
    public List<Definition> definitionsNamed(String name, Predicate<String> qualifiedName) {
        List<Definition> extracted = types.definitionsNamed(name, qualifiedName);
        ShapePatcher patcher = patcher();
        List<Definition> found = new ArrayList<>(extracted.size() + 1);
        for (Definition definition : extracted) {
            found.add(patched(definition, patcher));
        }
        addPinned(name, extracted, found, patcher);
        return found;
    }

    @Override
    public List<Definition> goTypesNamed(String name) {
        ShapePatcher patcher = patcher();
        return types.goTypesNamed(name).stream()
                .map(definition -> patched(definition, patcher))
                .toList();
    }

    private Definition patched(Definition definition, ShapePatcher patcher) {
        TypeShape shape = patcher.patched(definition.shape());
        Definition patched = shape == definition.shape() ? definition : definition.withShape(shape);
        AppliedPin size = patcher.sizeMark(definition.shape());
        if (size != null) {
            replacements.putSize(patched, size, definition.shape().byteSize());
        }
        return patched;
    }

    /** Adds types of this name that only a pin defines. */
    private void addPinned(String name, List<Definition> extracted, List<Definition> found, ShapePatcher patcher) {
        Map<String, Definition> pinned = new LinkedHashMap<>();
        for (PinTarget target : targets.typesNamed(TypeNames.normalize(name))) {
            boolean defined = extracted.stream()
                    .anyMatch(definition -> !(definition.shape().peeled() instanceof IncompleteShape)
                            && PinPath.isKind(target.kind(), definition.kind())
                            && target.means(definition.qualifiedName()));
            if (!defined
                    && target.pin().value() instanceof PinnedValue.OfType type
                    && !type.members().isEmpty()) {
                pinned.put(target.typeName(), definition(target, target.kind(), type, patcher));
            }
        }
        found.addAll(pinned.values());
    }

    @Override
    public List<EnumeratorDefinition> enumeratorsNamed(String name) {
        return types.enumeratorsNamed(name);
    }

    @Override
    public List<Variable> variablesNamed(String name) {
        ShapePatcher patcher = patcher();
        return types.variablesNamed(name).stream()
                .map(variable -> patched(variable, patcher))
                .toList();
    }

    @Override
    public void forEachVariable(Consumer<Variable> sink) {
        ShapePatcher patcher = patcher();
        types.forEachVariable(variable -> sink.accept(patched(variable, patcher)));
    }

    private Variable patched(Variable variable, ShapePatcher patcher) {
        TypeShape type = patcher.patched(variable.type());
        AppliedPin size = patcher.sizeMark(variable.type());
        if (type == variable.type() && size == null) {
            return variable;
        }
        Variable patched = variable.withType(type);
        if (size != null) {
            replacements.putSize(patched, size, variable.type().byteSize());
        }
        return patched;
    }

    @Override
    public void forEachTypeName(String from, Predicate<String> goOn) {
        types.forEachTypeName(from, goOn);
    }

    @Override
    public void forEachGoTypeName(String from, Predicate<String> goOn) {
        types.forEachGoTypeName(from, goOn);
    }

    @Override
    public void forEachEnumeratorName(String from, Predicate<String> goOn) {
        types.forEachEnumeratorName(from, goOn);
    }

    @Override
    public void forEachVariableName(String from, Predicate<String> goOn) {
        types.forEachVariableName(from, goOn);
    }

    @Override
    public Set<String> inlineNamespaces() {
        return types.inlineNamespaces();
    }

    @Override
    public Optional<ItemOutcome> exactly(Alternative.TypePath path, ItemOutcome found) {
        return targets.exactly(path)
                .filter(target -> !has(found, target.pin()) && targets.mayBe(target, path.kind()))
                .flatMap(target -> answer(target, path, found));
    }

    private Optional<ItemOutcome> answer(PinTarget target, Alternative.TypePath path, ItemOutcome found) {
        return switch (target.pin().value()) {
            case PinnedValue.OfMember value ->
                Optional.of(firstWith(found, target.pin()).orElseGet(() -> answer(target, path.kind(), value, found)));
            // A pin by another name of the type applies already.
            case PinnedValue.OfType _
            when found instanceof ItemOutcome.TypeFound type && of(type.definition()) != null -> Optional.empty();
            // A size does not tell which members the type has.
            case PinnedValue.OfType type
            when type.members().isEmpty() && found instanceof ItemOutcome.Ambiguous -> Optional.empty();
            case PinnedValue.OfType type ->
                Optional.of(firstWith(found, target.pin()).orElseGet(() -> answer(target, path.kind(), type)));
        };
    }

    private boolean has(ItemOutcome outcome, PinnedItem pin) {
        Provenance provenance = switch (outcome) {
            case ItemOutcome.PathFound path -> of(path.placement());
            case ItemOutcome.TypeFound type -> of(type.definition());
            default -> null;
        };
        return provenance != null && provenance.pin().source().equals(pin.source());
    }

    /** Returns the first of several different answers that has the pinned value. */
    private Optional<ItemOutcome> firstWith(ItemOutcome found, PinnedItem pin) {
        return found instanceof ItemOutcome.Ambiguous ambiguous
                ? ambiguous.variants().stream()
                        .map(ItemOutcome.DifferingAnswer::outcome)
                        .filter(outcome -> has(outcome, pin))
                        .findFirst()
                : Optional.empty();
    }

    private ItemOutcome answer(
            PinTarget target, @Nullable TypeKind queriedKind, PinnedValue.OfMember value, ItemOutcome found) {
        ResolvedPin pin = targets.resolved(target);
        Member member = replacements.member(target.members().getLast(), value, null, pin);
        if (found instanceof ItemOutcome.PathFound path) {
            replacements.put(member, pin.mark(), path.placement());
        }
        Placement.Fixed at = (Placement.Fixed) Placement.of(member);
        return new ItemOutcome.PathFound(
                definition(
                        target,
                        kindOf(target.kind(), queriedKind, TypeKind.STRUCT),
                        new IncompleteShape(
                                target.typeName(), new IncompleteShape.Reason.Unread("known only from a pin"))),
                List.of(),
                at);
    }

    private ItemOutcome answer(PinTarget target, @Nullable TypeKind queriedKind, PinnedValue.OfType type) {
        Definition definition = definition(target, queriedKind, type, patcher());
        Map<String, List<Placement>> fields = new LinkedHashMap<>();
        if (definition.shape().peeled() instanceof AggregateShape aggregate) {
            for (Member member : aggregate.members()) {
                fields.put(Objects.requireNonNull(member.name()), List.of(Placement.of(member)));
            }
        }
        return new ItemOutcome.TypeFound(definition, List.of(), fields);
    }

    /** Returns the type as its pin defines it. */
    private Definition definition(
            PinTarget target, @Nullable TypeKind queriedKind, PinnedValue.OfType type, ShapePatcher patcher) {
        ResolvedPin pin = targets.resolved(target);
        String tag = TypeNames.unqualified(target.typeName());
        List<Member> members = type.members().entrySet().stream()
                .map(member -> replacements.member(member.getKey(), member.getValue(), null, pin))
                .toList();
        TypeKind kind =
                kindOf(target.kind(), queriedKind, type.members().isEmpty() ? TypeKind.TYPEDEF : TypeKind.STRUCT);
        TypeShape shape = switch (kind) {
            case STRUCT, UNION, CLASS ->
                new AggregateShape(kind, tag, kind.word() + " " + target.typeName(), type.size(), 0, members);
            case ENUM -> new EnumShape(tag, "enum " + target.typeName(), type.size(), false, List.of());
            case TYPEDEF, BASE -> new AliasShape(target.typeName(), Replacements.opaque(null, type.size()));
        };
        long extracted = pin.mark().extracted() instanceof AppliedPin.Extent.OfType size
                ? size.byteSize()
                : TypeShape.UNKNOWN_SIZE;
        Definition definition = definition(target, kind, patcher.patched(shape));
        replacements.putSize(definition, pin.mark(), extracted);
        return definition;
    }

    /**
     * Returns the kind that the pin names, else the query; else {@code otherwise}. A type with members is never a typedef.
     */
    private static TypeKind kindOf(@Nullable TypeKind pinned, @Nullable TypeKind queriedKind, TypeKind otherwise) {
        TypeKind kind = pinned == null ? queriedKind : pinned;
        return kind == null || (kind == TypeKind.TYPEDEF && otherwise == TypeKind.STRUCT) ? otherwise : kind;
    }

    private static Definition definition(PinTarget target, TypeKind kind, TypeShape shape) {
        String name = target.typeName();
        return new Definition(kind, TypeNames.unqualified(name), name, null, "", UNKNOWN, "", 0, shape);
    }
}
