package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeIndex.EnumeratorDefinition;
import dev.offsetd.extractor.layout.TypeNames;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Answers items from the contents of a build. An answer depends on the definitions, the symbols and their order only. As
 * thread-safe as the contents.
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
        this.choice = types == null ? null : new DefinitionChoice(types, language);
        this.symbols = build.symbols();
        this.omissions = types == null ? List.of() : types.omissions();
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
     * <p>Of several alternatives, the first that is found answers. If none is, the closest miss does: first those that
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
        for (Alternative next : alternatives.subList(1, alternatives.size())) {
            if (answer.status() == ItemStatus.FOUND) {
                break;
            }
            ItemOutcome outcome = answer(next);
            if (distance(outcome.status()) < distance(answer.status())) {
                best = next;
                answer = outcome;
            }
        }
        boolean exists = distance(answer.status()) <= distance(ItemStatus.FIELD_NOT_FOUND);
        return new ItemAnswer(
                item, exists && alternatives.size() > 1 ? best : null, answer, isIncomplete(best, answer), List.of());
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

    /**
     * Returns whether what was left out may change an answer from types. A unit may define any name, and a name that was found
     * in another way; a type may be the one that was not found.
     */
    private boolean isIncomplete(Alternative alternative, ItemOutcome outcome) {
        if (!(alternative instanceof Alternative.TypePath || alternative instanceof Alternative.EnumeratorName)) {
            return false;
        }
        return omissions.stream()
                .anyMatch(omission -> omission.part() == Omission.Part.UNIT
                        || (omission.part() == Omission.Part.TYPE && outcome.status() == ItemStatus.TYPE_NOT_FOUND));
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

    private ItemOutcome path(Alternative.TypePath path) {
        if (choice == null) {
            return noType();
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
        if (path.quoted()) {
            return noType();
        }
        ItemOutcome inClass = staticMember(path, choice);
        return inClass == null ? partly(path, choice) : inClass;
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
        ItemOutcome outcome = inObject(chosen, path, split);
        boolean mayBeStatic =
                outcome.status() == ItemStatus.FIELD_NOT_FOUND && split.steps().size() == 1;
        return mayBeStatic
                        && choice != null
                        && split.steps().getFirst() instanceof Alternative.PathStep.MemberStep(String name)
                ? choice.staticMember(chosen.definitions(), name).orElse(outcome)
                : outcome;
    }

    private ItemOutcome inObject(
            DefinitionChoice.ChosenDefinitions chosen, Alternative.TypePath path, Alternative.TypeAndSteps split) {
        return merged(
                chosen.definitions(),
                Function.identity(),
                definition -> walker.walk(definition, chosen.alsoMatches(), path, split));
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
