package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolType;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers items from the contents of a build. An answer depends on the definitions, the symbols and their order only. A
 * resolver is as thread-safe as the contents.
 */
public final class ItemResolver {

    /** Most variants that an ambiguous answer lists; a name like {@code iterator} has hundreds in large C++ programs. */
    static final int MAX_VARIANTS = 100;

    private final @Nullable DefinitionChoice choice;
    private final @Nullable SymbolSearch symbols;

    /** The types if something overrides them, else null. */
    private final @Nullable OverriddenTypes overridden;

    private final boolean hasDebugInformation;

    /** Status of an item whose type has no definition. */
    private final ItemStatus missing;

    /** Parts of the debug information that the types lack. */
    private final List<Omission> omissions;

    /** Whether symbols or a symbol table were left out. */
    private final boolean lacksSymbols;

    private final @Nullable TargetDefinitions targets;
    private final @Nullable TypeIndex types;
    private final Language.@Nullable Family language;
    private final PathWalker walker = new PathWalker();
    private final OutcomeEquality equality;

    /**
     * A resolver for several items of one build, which compares each layout once.
     *
     * @param language the language of the types; null for any, C and C++ first
     */
    public ItemResolver(BuildContents build, Language.@Nullable Family language) {
        this(build, language, new LayoutEquality());
    }

    /** @param layouts compares those of types that nothing overrides */
    public ItemResolver(BuildContents build, Language.@Nullable Family language, LayoutEquality layouts) {
        TypeIndex types = build.types();
        this.types = types;
        this.language = language;
        this.choice = types == null ? null : new DefinitionChoice(types, language);
        this.targets = types == null || choice == null ? null : new TargetDefinitions(types, choice);
        this.symbols = build.symbols();
        List<Omission> all = types == null ? List.of() : types.omissions();
        this.omissions =
                all.stream().filter(omission -> !omission.isOfSymbols()).toList();
        this.lacksSymbols = Omission.areOfSymbols(all) || (symbols != null && symbols.isIncomplete());
        this.overridden = types instanceof OverriddenTypes pinned ? pinned : null;
        this.equality = new OutcomeEquality(overridden == null ? layouts : new LayoutEquality(overridden::overrides));
        this.hasDebugInformation = overridden == null ? types != null : overridden.hasDebugInformation();
        this.missing = !hasDebugInformation
                ? ItemStatus.NO_DEBUGINFO
                : types != null && types.isFromProgram() ? ItemStatus.NOT_IN_BINARY : ItemStatus.TYPE_NOT_FOUND;
    }

    /** Answers an item from types alone; symbols and sets are not looked up. */
    public static ItemAnswer resolve(Item item, TypeIndex types, Language.@Nullable Family language) {
        return resolve(item, BuildContents.ofTypes(types), language);
    }

    /**
     * Answers an item.
     *
     * <p>The first of several alternatives that is found answers. If none is found, the closest miss does: first those that
     * exist but have no single offset (ambiguous, behind a pointer, computed), then those whose type exists, then those
     * that are not supported.
     *
     * <p>Type sets are not looked up here; callers expand them into their items.
     *
     * @param language the language of the types; null for any, C and C++ first
     */
    public static ItemAnswer resolve(Item item, BuildContents build, Language.@Nullable Family language) {
        return new ItemResolver(build, language).resolve(item);
    }

    /** Answers an item as {@link #resolve(Item, BuildContents, Language.Family)} does. */
    public ItemAnswer resolve(Item item) {
        List<Alternative> alternatives = item.alternatives();
        Alternative best = alternatives.getFirst();
        ItemOutcome answer = answer(best);
        boolean incomplete = isIncomplete(best, answer);
        for (Alternative next : alternatives.subList(1, alternatives.size())) {
            if (answer.status() == ItemStatus.FOUND) {
                break;
            }
            ItemOutcome outcome = answer(next);
            // An alternative that only seems to be missing may be the answer.
            incomplete |= isIncomplete(next, outcome);
            if (distance(outcome.status()) < distance(answer.status())) {
                best = next;
                answer = outcome;
            }
        }
        boolean exists = distance(answer.status()) <= distance(ItemStatus.FIELD_NOT_FOUND);
        return new ItemAnswer(item, exists && alternatives.size() > 1 ? best : null, answer, incomplete, List.of());
    }

    /** Returns every definition of this qualified name, in whatever function. */
    public List<Definition> definitions(String qualifiedName) {
        return choice == null ? List.of() : choice.ofQualifiedName(qualifiedName);
    }

    /** Answers a type that has these definitions. */
    public ItemOutcome ofDefinitions(List<Definition> definitions) {
        DefinitionChoice.ChosenDefinitions chosen =
                choice == null ? null : choice.chosen(definitions, null, false).orElse(null);
        if (chosen == null) {
            return noType();
        }
        if (chosen.definitions().isEmpty()) {
            return new ItemOutcome.Missed(ItemStatus.DECLARATION_ONLY, chosen.detail());
        }
        Alternative.TypePath path = new Alternative.TypePath(
                "", null, false, true, List.of(definitions.getFirst().qualifiedName()), List.of());
        return walked(chosen, path, path.splits().getFirst());
    }

    /**
     * Returns whether what was left out may change an answer from types. A unit may define any name, and a name that was found
     * in another way; a type may be the one that was not found, and a member that of any type.
     */
    public boolean isIncomplete(ItemOutcome outcome) {
        ItemStatus status = outcome.status();
        return omissions.stream().anyMatch(omission -> switch (omission.part()) {
            case UNIT -> true;
            case TYPE -> status == ItemStatus.TYPE_NOT_FOUND || status == ItemStatus.DECLARATION_ONLY;
            case MEMBER -> status == ItemStatus.FIELD_NOT_FOUND;
            case VARIABLE -> status == ItemStatus.TYPE_NOT_FOUND;
            case SYMBOL, SYMBOL_TABLE -> false;
        });
    }

    /** Returns how far a status is from an answer, to choose among alternatives that were not found. */
    private static int distance(ItemStatus status) {
        return switch (status) {
            case FOUND -> 0;
            case AMBIGUOUS, CROSSES_POINTER, COMPUTED -> 1;
            case DECLARATION_ONLY, FIELD_NOT_FOUND -> 2;
            case UNSUPPORTED -> 3;
            case TYPE_NOT_FOUND, NOT_IN_BINARY, NO_DEBUGINFO -> 4;
        };
    }

    private ItemOutcome answer(Alternative alternative) {
        return switch (alternative) {
            case Alternative.TypePath path -> {
                ItemOutcome found = withOmissions(path(path));
                yield overridden == null
                        ? found
                        : overridden.exactly(path, found).orElse(found);
            }
            case Alternative.EnumeratorName(String _, String name) -> withOmissions(enumerator(name));
            case Alternative.SymbolGlob glob -> symbols == null ? noSymbols("symbols") : symbols.named(glob.pattern());
            case Alternative.ThreadLocalStorage _ ->
                symbols == null ? noSymbols("thread-local storage") : symbols.threadLocalStorage();
            case Alternative.TypeSetName _ -> notLookedUp("type sets");
        };
    }

    /** Adds what was left out to a miss, since it may define the name. */
    private ItemOutcome withOmissions(ItemOutcome outcome) {
        return !omissions.isEmpty() && outcome instanceof ItemOutcome.Missed missed
                ? new ItemOutcome.Missed(
                        missed.status(),
                        (missed.detail() == null ? "" : missed.detail() + "; ")
                                + "it may be in the debug information that is missing: " + Omission.summary(omissions),
                        missed.member())
                : outcome;
    }

    private boolean isIncomplete(Alternative alternative, ItemOutcome outcome) {
        return switch (alternative) {
            case Alternative.TypePath _, Alternative.EnumeratorName _ -> isIncomplete(outcome);
            case Alternative.SymbolGlob _ -> lacksSymbols;
            case Alternative.ThreadLocalStorage _, Alternative.TypeSetName _ -> false;
        };
    }

    private ItemOutcome noSymbols(String what) {
        return overridden != null && !hasDebugInformation
                ? new ItemOutcome.Missed(ItemStatus.NO_DEBUGINFO, null)
                : notLookedUp(what);
    }

    private ItemOutcome noType() {
        return new ItemOutcome.Missed(missing, null);
    }

    private static ItemOutcome notLookedUp(String what) {
        return new ItemOutcome.Missed(ItemStatus.UNSUPPORTED, what + " cannot be queried here");
    }

    /** Returns the names of the types behind pointers that the answers so far depend on, as {@link Item#typeNames()}. */
    public Set<String> namesBehindPointers() {
        return targets == null ? Set.of() : targets.names();
    }

    private ItemOutcome path(Alternative.TypePath path) {
        if (choice == null) {
            return noType();
        }
        if (path.variable()) {
            ItemOutcome found = variable(path);
            return found == null && hasDebugInformation
                    ? new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, "the build has no such variable")
                    : found == null ? noType() : found;
        }
        for (Alternative.TypeAndSteps split : path.splits()) {
            Optional<DefinitionChoice.ChosenDefinitions> found = choice.types(split.typeName(), path.kind());
            if (found.isPresent()) {
                DefinitionChoice.ChosenDefinitions chosen = found.get();
                if (chosen.definitions().isEmpty()) {
                    return new ItemOutcome.Missed(ItemStatus.DECLARATION_ONLY, chosen.detail());
                }
                return walked(chosen, path, split);
            }
        }
        for (Alternative.TypeAndSteps split : path.splits()) {
            Optional<DefinitionChoice.ChosenDefinitions> found = choice.dotted(split.typeName(), path.kind());
            if (found.isPresent() && !found.get().definitions().isEmpty()) {
                return walked(found.get(), path, split);
            }
        }
        ItemOutcome inClass = path.quoted() ? null : staticMember(path, choice);
        if (inClass != null) {
            return inClass;
        }
        ItemOutcome byPart = path.quoted() ? noType() : partly(path, choice);
        ItemOutcome variable = byPart.status() == missing && path.kind() == null ? variable(path) : null;
        return variable == null ? byPart : variable;
    }

    /** Answers a path from a variable; null if the build has none of this name. */
    private @Nullable ItemOutcome variable(Alternative.TypePath path) {
        if (types == null) {
            return null;
        }
        for (Alternative.TypeAndSteps split : path.splits()) {
            List<Variable> named = VariableChoice.named(split.typeName(), types, language);
            if (!named.isEmpty()) {
                return inVariables(named, path, split);
            }
        }
        for (Alternative.TypeAndSteps split : path.quoted() ? List.<Alternative.TypeAndSteps>of() : path.splits()) {
            List<Variable> partly = VariableChoice.partly(split.typeName(), types, language);
            if (!partly.isEmpty()) {
                return inVariables(partly, path, split);
            }
        }
        return null;
    }

    private ItemOutcome inVariables(
            List<Variable> variables, Alternative.TypePath path, Alternative.TypeAndSteps split) {
        return merged(
                variables.stream()
                        .map(variable ->
                                new ItemOutcome.DifferingAnswer(root(variable), inVariable(variable, path, split)))
                        .toList(),
                ItemOutcome.DifferingAnswer::definition,
                ItemOutcome.DifferingAnswer::outcome);
    }

    private ItemOutcome inVariable(Variable variable, Alternative.TypePath path, Alternative.TypeAndSteps split) {
        if (variable.declaration()) {
            return new ItemOutcome.Missed(
                    ItemStatus.DECLARATION_ONLY,
                    HostileText.quote(variable.qualifiedName()) + " is a variable that another file defines");
        }
        Definition root = root(variable);
        ItemOutcome found = split.steps().isEmpty()
                ? new ItemOutcome.PathFound(root, List.of(), Placement.Fixed.start(variable.type()))
                : acrossPointers(new DefinitionChoice.ChosenDefinitions(List.of(root), List.of(), null), path, split);
        try {
            return located(variable, found);
        } catch (ArithmeticException e) {
            return new ItemOutcome.Missed(
                    ItemStatus.UNSUPPORTED,
                    "its place in the block of thread-local variables is past bit " + Long.MAX_VALUE);
        }
    }

    /** Returns an outcome in a variable with its symbol; thread-local variables are counted from the start of their block. */
    private ItemOutcome located(Variable variable, ItemOutcome found) {
        Symbol symbol = symbols == null ? null : symbols.of(variable);
        ProgramFacts program = symbols == null ? null : symbols.program();
        String name = symbols == null
                ? variable.symbolName()
                : symbol != null && symbols.isUnambiguous(symbol) ? symbol.name() : null;
        long start = symbol != null && symbol.type() == SymbolType.TLS ? symbol.value() : 0;
        Definition root = root(variable);
        ItemOutcome.@Nullable Located part = switch (found) {
            case ItemOutcome.PathFound path ->
                new ItemOutcome.PathFound(root, List.of(), ReadPlan.moved(path.placement(), start));
            case ItemOutcome.PlanFound plan ->
                new ItemOutcome.PlanFound(root, List.of(), plan.plan().after(start));
            default -> null;
        };
        return part == null ? found : new ItemOutcome.VariableFound(variable, symbol, name, part, program);
    }

    /** Returns a definition of the type of a variable, under the name of the variable. */
    static Definition root(Variable variable) {
        return new Definition(
                TypeKind.TYPEDEF,
                variable.name(),
                variable.qualifiedName(),
                variable.function(),
                variable.unit(),
                variable.language(),
                "",
                0,
                variable.type());
    }

    /** Answers a path whose type matches a name only partially. */
    private ItemOutcome partly(Alternative.TypePath path, DefinitionChoice types) {
        ItemOutcome.Missed several = null;
        for (Alternative.TypeAndSteps split : path.splits()) {
            Optional<DefinitionChoice.ChosenDefinitions> found = types.partly(split.typeName(), path.kind());
            if (found.isPresent()) {
                DefinitionChoice.ChosenDefinitions chosen = found.get();
                if (!chosen.definitions().isEmpty()) {
                    return walked(chosen, path, split);
                }
                several =
                        several == null ? new ItemOutcome.Missed(ItemStatus.TYPE_NOT_FOUND, chosen.detail()) : several;
            }
        }
        return several == null ? noType() : several;
    }

    /** Returns the static member that {@code Class::member} names, or null. */
    private static @Nullable ItemOutcome staticMember(Alternative.TypePath path, DefinitionChoice types) {
        String name = TypeNames.canonical(path.splits().getFirst().typeName());
        String member = TypeNames.unqualified(name);
        if (member.equals(name) || !path.splits().getFirst().steps().isEmpty()) {
            return null;
        }
        String scope = name.substring(0, name.length() - member.length() - "::".length());
        return scope.isEmpty()
                ? null
                : types.types(scope, path.kind())
                        .flatMap(found -> types.staticMember(found.definitions(), member))
                        .orElse(null);
    }

    private ItemOutcome walked(
            DefinitionChoice.ChosenDefinitions chosen, Alternative.TypePath path, Alternative.TypeAndSteps split) {
        ItemOutcome outcome = acrossPointers(chosen, path, split);
        boolean mayBeStatic =
                outcome.status() == ItemStatus.FIELD_NOT_FOUND && split.steps().size() == 1;
        return mayBeStatic
                        && choice != null
                        && split.steps().getFirst() instanceof Alternative.PathStep.MemberStep(String name)
                ? choice.staticMember(chosen.definitions(), name).orElse(outcome)
                : outcome;
    }

    /** Follows a path from pointer to pointer. All definitions of a pointer's target go on with the rest of the path. */
    private ItemOutcome acrossPointers(
            DefinitionChoice.ChosenDefinitions chosen, Alternative.TypePath path, Alternative.TypeAndSteps split) {
        List<ItemOutcome.DifferingAnswer> walked = chosen.definitions().stream()
                .map(definition -> new ItemOutcome.DifferingAnswer(
                        definition, walker.walk(definition, chosen.alsoMatches(), path, split)))
                .toList();
        List<Placement.Fixed> pointers = new ArrayList<>();
        while (true) {
            ItemOutcome outcome =
                    merged(walked, ItemOutcome.DifferingAnswer::definition, ItemOutcome.DifferingAnswer::outcome);
            if (!(outcome instanceof ItemOutcome.CrossesPointer crosses)
                    || split.steps().get(crosses.step()) instanceof Alternative.PathStep.MemberStep) {
                return planned(chosen, pointers, outcome);
            }
            ItemOutcome.Missed obstacle = obstacle(crosses, pointers.size());
            if (obstacle != null) {
                return obstacle;
            }
            pointers.add(crosses.placement());
            TargetDefinitions.Target target = target(walked);
            if (target.why() != null) {
                return target.why();
            }
            walked = target.definitions().stream()
                    .map(definition -> new ItemOutcome.DifferingAnswer(
                            definition, walker.walkBehind(definition, path, split, crosses)))
                    .toList();
        }
    }

    /** Returns why a path cannot follow a pointer; null if it can. */
    private static ItemOutcome.@Nullable Missed obstacle(ItemOutcome.CrossesPointer crosses, int followed) {
        if (followed == ItemParser.MAX_STEPS) {
            return new ItemOutcome.Missed(
                    ItemStatus.UNSUPPORTED,
                    "the path follows more than " + ItemParser.MAX_STEPS + " pointers, which is the limit");
        }
        long bytes = ReadPlan.pointerSize(crosses.placement());
        return (bytes == Integer.BYTES || bytes == Long.BYTES || bytes == Short.BYTES)
                        && !crosses.placement().isBitField()
                ? null
                : new ItemOutcome.Missed(
                        ItemStatus.UNSUPPORTED,
                        HostileText.quote(crosses.at()) + " is a pointer of " + bytes
                                + " bytes; expected 2, 4 or 8 whole ones");
    }

    /** Returns what the pointers point to that several definitions have in one place. */
    private TargetDefinitions.Target target(List<ItemOutcome.DifferingAnswer> walked) {
        TargetDefinitions behind = Objects.requireNonNull(targets);
        // Without this, definitions that refer to each other by name would multiply with each pointer.
        Set<String> named = new HashSet<>();
        List<Definition> definitions = new ArrayList<>();
        for (ItemOutcome.DifferingAnswer each : walked) {
            if (each.outcome() instanceof ItemOutcome.CrossesPointer crosses
                    && crosses.placement().type().peeled() instanceof PointerShape pointer
                    && (!TargetDefinitions.isNamed(pointer)
                            || named.add(pointer.target().spelling()))) {
                TargetDefinitions.Target target = behind.of(pointer, each.definition(), crosses.at());
                if (target.why() != null) {
                    return target;
                }
                definitions.addAll(target.definitions());
            }
        }
        return new TargetDefinitions.Target(definitions, null);
    }

    /** Returns an outcome behind pointers as one of the whole path. */
    private static ItemOutcome planned(
            DefinitionChoice.ChosenDefinitions chosen, List<Placement.Fixed> pointers, ItemOutcome outcome) {
        if (pointers.isEmpty()) {
            return outcome;
        }
        return switch (outcome) {
            case ItemOutcome.PathFound path ->
                new ItemOutcome.PlanFound(
                        chosen.definitions().getFirst(),
                        chosen.alsoMatches(),
                        new ReadPlan(pointers, path.placement()));
            case ItemOutcome.Ambiguous ambiguous ->
                new ItemOutcome.Ambiguous(
                        ambiguous.variants().stream()
                                .map(variant -> new ItemOutcome.DifferingAnswer(
                                        variant.definition(), planned(chosen, pointers, variant.outcome())))
                                .toList(),
                        ambiguous.total());
            default -> outcome;
        };
    }

    private ItemOutcome enumerator(String name) {
        if (choice == null) {
            return noType();
        }
        List<EnumeratorDefinition> found = choice.enumerators(name);
        return found.isEmpty() ? noType() : merged(found, EnumeratorDefinition::enumeration, ItemResolver::valueOf);
    }

    private static ItemOutcome valueOf(EnumeratorDefinition found) {
        return found.enumerator().known()
                ? new ItemOutcome.EnumeratorFound(found)
                : new ItemOutcome.Missed(ItemStatus.UNSUPPORTED, "its value needs more than 64 bits");
    }

    /** Returns the outcome that all definitions agree on, or an ambiguous one with those that differ. */
    private <T> ItemOutcome merged(
            List<T> found, Function<T, Definition> definition, Function<T, ItemOutcome> outcome) {
        if (found.size() == 1) {
            return outcome.apply(found.getFirst());
        }
        ScalarMerge scalars = new ScalarMerge(overridden);
        Map<String, ItemOutcome.DifferingAnswer> different = new LinkedHashMap<>();
        for (T each : found) {
            ItemOutcome one = outcome.apply(each);
            different.merge(
                    equality.keyOf(one),
                    new ItemOutcome.DifferingAnswer(definition.apply(each), one),
                    (known, other) -> new ItemOutcome.DifferingAnswer(
                            known.definition(), scalars.merged(known, other.outcome(), other.definition())));
        }
        List<ItemOutcome.DifferingAnswer> variants = List.copyOf(different.values());
        return variants.size() == 1
                ? variants.getFirst().outcome()
                : new ItemOutcome.Ambiguous(
                        variants.subList(0, Math.min(variants.size(), MAX_VARIANTS)), variants.size());
    }
}
