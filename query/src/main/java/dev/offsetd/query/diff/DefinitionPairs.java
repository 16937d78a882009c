package dev.offsetd.query.diff;

import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.OutcomeEquality;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Deque;
import java.util.HashMap;
import java.util.IdentityHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Function;

/**
 * Pairs of the definitions of an ambiguous name: those of equal layouts with each other, the rest unit by unit, and what is left
 * in the order of the debug information.
 *
 * @param areAllPaired whether each definition of either side is in a pair
 */
record DefinitionPairs(List<Pair> pairs, boolean areAllPaired) {

    /** Two definitions that are compared, one of each build. */
    record Pair(ItemOutcome.DifferingAnswer before, ItemOutcome.DifferingAnswer after) {}

    static DefinitionPairs of(ItemOutcome before, ItemOutcome after, OutcomeEquality equality) {
        List<ItemOutcome.DifferingAnswer> olds = new ArrayList<>(variants(before));
        List<ItemOutcome.DifferingAnswer> news = new ArrayList<>(variants(after));
        List<Pair> pairs = new ArrayList<>();
        pair(olds, news, variant -> equality.keyOf(variant.outcome()), pairs);
        pair(olds, news, variant -> variant.definition().unit(), pairs);
        pair(olds, news, variant -> "", pairs);
        return new DefinitionPairs(pairs, olds.isEmpty() && news.isEmpty());
    }

    /** Moves definitions of equal keys from both sides to the pairs. */
    private static void pair(
            List<ItemOutcome.DifferingAnswer> olds,
            List<ItemOutcome.DifferingAnswer> news,
            Function<ItemOutcome.DifferingAnswer, String> key,
            List<Pair> pairs) {
        Map<String, Deque<ItemOutcome.DifferingAnswer>> byKey = new HashMap<>();
        for (ItemOutcome.DifferingAnswer answer : news) {
            byKey.computeIfAbsent(key.apply(answer), _ -> new ArrayDeque<>()).addLast(answer);
        }
        Set<ItemOutcome.DifferingAnswer> paired = Collections.newSetFromMap(new IdentityHashMap<>());
        for (ItemOutcome.DifferingAnswer answer : olds) {
            Deque<ItemOutcome.DifferingAnswer> others = byKey.get(key.apply(answer));
            if (others != null && !others.isEmpty()) {
                ItemOutcome.DifferingAnswer other = others.removeFirst();
                pairs.add(new Pair(answer, other));
                paired.add(answer);
                paired.add(other);
            }
        }
        olds.removeIf(paired::contains);
        news.removeIf(paired::contains);
    }

    /** Returns the answers of the definitions of an outcome. */
    private static List<ItemOutcome.DifferingAnswer> variants(ItemOutcome outcome) {
        return switch (outcome) {
            case ItemOutcome.Ambiguous ambiguous -> ambiguous.variants();
            case ItemOutcome.TypeFound type -> List.of(new ItemOutcome.DifferingAnswer(type.definition(), type));
            case ItemOutcome.PathFound path -> List.of(new ItemOutcome.DifferingAnswer(path.definition(), path));
            case ItemOutcome.PlanFound plan -> List.of(new ItemOutcome.DifferingAnswer(plan.definition(), plan));
            case ItemOutcome.EnumeratorFound found ->
                List.of(new ItemOutcome.DifferingAnswer(found.found().enumeration(), found));
            default -> List.of();
        };
    }
}
