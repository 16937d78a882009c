package dev.offsetd.query.typeset;

import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Outcome;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Function;

/**
 * The items of a question with those of its type sets among them: each set's item first, then the items of the set, as
 * if they had been sent in its place. Every item is there once. Immutable; safe for any number of threads.
 */
public final class Expansion {

    /** Most items of one question with those of its sets: four of the largest sets that can be, or all built-in ones. */
    public static final int MAX_ITEMS = 2_000;

    private final List<Item> sent;
    private final List<Item> items;

    /** The sets by the text of the items that ask for them. */
    private final Map<String, TypeSet> sets;

    private Expansion(List<Item> sent, List<Item> items, Map<String, TypeSet> sets) {
        this.sent = List.copyOf(sent);
        this.items = List.copyOf(items);
        this.sets = Map.copyOf(sets);
    }

    /**
     * Every item that was looked for, with its answer.
     *
     * @param complete whether every item that was sent by itself is found, and of every set all that is required
     */
    public record Answers(List<ItemAnswer> items, boolean complete) {

        public Answers {
            items = List.copyOf(items);
        }
    }

    /**
     * Adds the items of sets.
     *
     * @throws UnknownTypeSetException if there is no such set
     * @throws ItemSyntaxException if there are more than {@link #MAX_ITEMS} then
     */
    public static Expansion of(List<Item> sent, TypeSetSource source) {
        Map<String, Item> items = new LinkedHashMap<>();
        Map<String, TypeSet> sets = new LinkedHashMap<>();
        int number = 0;
        for (Item item : sent) {
            number++;
            items.putIfAbsent(item.text(), item);
            Optional<String> name = item.setName();
            if (name.isPresent()) {
                Optional<TypeSet> set = source.find(name.get());
                if (set.isEmpty()) {
                    throw new UnknownTypeSetException(number, item, source.names());
                }
                sets.put(item.text(), set.get());
                set.get().items().forEach(each -> items.putIfAbsent(each.text(), each));
            }
            if (items.size() > MAX_ITEMS) {
                throw new ItemSyntaxException(
                        number,
                        1,
                        item.text(),
                        "fewer items: the limit is " + MAX_ITEMS + " with those of the type sets");
            }
        }
        return new Expansion(sent, List.copyOf(items.values()), sets);
    }

    /** All items to look for, in the order of the answer; those that ask for sets too. */
    public List<Item> items() {
        return items;
    }

    /**
     * The answers to all items.
     *
     * @param resolver answers an item that asks for something else than a set
     */
    public Answers answer(Function<Item, ItemAnswer> resolver) {
        Map<String, ItemAnswer> answers = new LinkedHashMap<>();
        for (Item item : items) {
            if (!sets.containsKey(item.text())) {
                answers.put(item.text(), resolver.apply(item));
            }
        }
        Function<Item, ItemStatus> status = item -> answerTo(item, answers).status();
        boolean complete = true;
        List<ItemAnswer> all = new ArrayList<>(items.size());
        for (Item item : items) {
            TypeSet set = sets.get(item.text());
            all.add(
                    set == null
                            ? answerTo(item, answers)
                            : new ItemAnswer(
                                    item, null, new Outcome.SetFound(set.name(), set.version(), set.coverage(status))));
        }
        Map<String, ItemAnswer> byText = new LinkedHashMap<>();
        all.forEach(answer -> byText.put(answer.item().text(), answer));
        for (Item item : sent) {
            complete &= isComplete(answerTo(item, byText));
        }
        return new Answers(all, complete);
    }

    private static boolean isComplete(ItemAnswer answer) {
        return answer.outcome() instanceof Outcome.SetFound set
                ? set.coverage().isComplete()
                : answer.status() == ItemStatus.FOUND;
    }

    private static ItemAnswer answerTo(Item item, Map<String, ItemAnswer> answers) {
        ItemAnswer answer = answers.get(item.text());
        if (answer == null) {
            throw new IllegalStateException("no answer to " + item.text());
        }
        return answer;
    }
}
