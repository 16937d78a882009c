package dev.offsetd.query.item;

import dev.offsetd.extractor.layout.Definition;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The answer to one item.
 *
 * @param matched the alternative that answers, if the item has several and one of them exists; else null
 * @param incomplete whether something that was left out of the build may change the answer: it may define the name, or define it
 *     in another way
 * @param suggestions names that the build has and that are similar to one that it lacks, the most similar first
 */
public record ItemAnswer(
        Item item, @Nullable Alternative matched, ItemOutcome outcome, boolean incomplete, List<String> suggestions) {

    public ItemAnswer {
        suggestions = List.copyOf(suggestions);
    }

    public ItemAnswer(Item item, @Nullable Alternative matched, ItemOutcome outcome) {
        this(item, matched, outcome, false, List.of());
    }

    ItemAnswer suggesting(List<String> names) {
        return new ItemAnswer(item, matched, outcome, incomplete, names);
    }

    public ItemStatus status() {
        return outcome.status();
    }

    /** Returns whether the answer is of a variable. */
    public boolean isOfVariable() {
        return outcome instanceof ItemOutcome.VariableFound
                || (outcome instanceof ItemOutcome.Ambiguous ambiguous
                        && ambiguous.variants().stream()
                                .anyMatch(each -> each.outcome() instanceof ItemOutcome.VariableFound));
    }

    /** Returns whether the path of the item reaches a pointer, so that types which the item does not name may matter. */
    public boolean followsPointers() {
        return outcome instanceof ItemOutcome.PlanFound
                || item.alternatives().stream()
                        .anyMatch(alternative -> alternative instanceof Alternative.TypePath path
                                && path.steps().stream()
                                        .anyMatch(step -> step instanceof Alternative.PathStep.PointerStep
                                                || (step instanceof Alternative.PathStep.IndexStep
                                                        && status() != ItemStatus.FOUND)));
    }

    /** Returns whether the first alternative of the item was found. */
    public boolean isFirstChoice() {
        return status() == ItemStatus.FOUND
                && (matched == null || matched.equals(item.alternatives().getFirst()));
    }

    /** Returns what was not found if it is not a type: {@code symbol_not_found}, {@code enumerator_not_found}; else null. */
    public @Nullable String code() {
        if (status() != ItemStatus.TYPE_NOT_FOUND) {
            return null;
        }
        if (item.alternatives().stream().allMatch(Alternative.SymbolGlob.class::isInstance)) {
            return "symbol_not_found";
        }
        return item.alternatives().stream().allMatch(Alternative.EnumeratorName.class::isInstance)
                ? "enumerator_not_found"
                : null;
    }

    /** Returns the definition of the type that answers; null if no type or member was found. */
    public @Nullable Definition definition() {
        return switch (outcome) {
            case ItemOutcome.TypeFound type -> type.definition();
            case ItemOutcome.PathFound path -> path.definition();
            case ItemOutcome.PlanFound plan -> plan.definition();
            default -> null;
        };
    }

    /** Returns the full name of the type that answers if the item gives only a part of it, else null. */
    public @Nullable String wholeName() {
        Alternative answered = matched == null ? item.alternatives().getFirst() : matched;
        Definition definition = definition();
        return answered instanceof Alternative.TypePath path
                        && definition != null
                        && path.splits().stream()
                                .noneMatch(split -> DefinitionChoice.isWholeName(split.typeName(), definition))
                ? definition.qualifiedName()
                : null;
    }

    /** Returns whether all of these were found. */
    public static boolean complete(Collection<ItemAnswer> answers) {
        return answers.stream().allMatch(answer -> answer.status() == ItemStatus.FOUND);
    }
}
