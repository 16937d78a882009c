package dev.offsetd.query.typeset;

import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.query.item.BuildContents;
import dev.offsetd.query.item.Item;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.ItemSyntaxException;
import dev.offsetd.query.item.Need;
import dev.offsetd.query.item.Suggestions;
import dev.offsetd.query.item.SymbolSearch;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The items of a query with its type sets expanded: the item of each set, followed by the items of the set. Each item
 * occurs once. Immutable.
 */
public final class Expansion {

    /** Most items of an expanded query: four sets of the largest size, or all built-in ones. */
    public static final int MAX_ITEMS = 2_000;

    private final List<Item> sent;
    private final List<Item> items;

    /** The sets by the text of their items. */
    private final Map<String, TypeSet> sets;

    /** The map whose items these are, instead of those of its set. */
    private final @Nullable ChosenMap map;

    private Expansion(List<Item> sent, List<Item> items, Map<String, TypeSet> sets, @Nullable ChosenMap map) {
        this.sent = List.copyOf(sent);
        this.items = List.copyOf(items);
        this.sets = Map.copyOf(sets);
        this.map = map;
    }

    private record ChosenMap(TypeSet set, NameMap map) {}

    /**
     * Answers to all items of an expansion.
     *
     * @param complete whether every item outside sets is found, and every required entry of each set; of a name map,
     *     whether every name has a value
     * @param values those of a name map; null for any other query
     */
    public record Answers(List<ItemAnswer> items, boolean complete, NameMap.@Nullable Values values) {

        public Answers {
            items = List.copyOf(items);
        }

        public Answers(List<ItemAnswer> items, boolean complete) {
            this(items, complete, null);
        }

        /** Returns the values of a name map; empty for any other query. */
        public Optional<NameMap.Values> map() {
            return Optional.ofNullable(values);
        }

        /** Returns whether symbols may add to the answers although no item needs any, because an item is a variable. */
        public boolean areOfVariables() {
            return items.stream().anyMatch(ItemAnswer::isOfVariable);
        }

        /** Returns these answers, each replaced by another of the same status. */
        public Answers mapped(UnaryOperator<ItemAnswer> replacing) {
            return new Answers(items.stream().map(replacing).toList(), complete, values);
        }
    }

    /**
     * Expands the sets among the items of a query.
     *
     * @throws UnknownTypeSetException if a set is unknown
     * @throws ItemSyntaxException if the expansion has more than {@link #MAX_ITEMS} items
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
        return new Expansion(sent, List.copyOf(items.values()), sets, null);
    }

    /**
     * Expands a query for a name map to the items of the map.
     *
     * @param sent the set of the map, and nothing else
     * @param name the name of the map; null for the only one of the set
     * @throws UnknownTypeSetException if a set is unknown
     * @throws UnknownNameMapException if the query is not for one set, or the set has no such map
     */
    public static Expansion ofMap(List<Item> sent, @Nullable String name, TypeSetSource source) {
        Optional<String> setName = sent.size() == 1 ? sent.getFirst().setName() : Optional.empty();
        if (setName.isEmpty()) {
            throw new UnknownNameMapException("view=map is of one type set; expected a single item @SET", List.of());
        }
        TypeSet set = source.find(setName.get())
                .orElseThrow(() -> new UnknownTypeSetException(1, sent.getFirst(), source.names()));
        NameMap map = set.map(name);
        return new Expansion(sent, map.items(), Map.of(), new ChosenMap(set, map));
    }

    /** Returns the items that were asked for, without those of the sets. */
    public List<Item> sent() {
        return sent;
    }

    /** Returns the sets that were expanded, or the set of the name map. */
    public List<TypeSet> sets() {
        return map == null ? List.copyOf(sets.values()) : List.of(map.set());
    }

    /** Returns all items in the order of the answer, those of the sets themselves included; of a name map, its items. */
    public List<Item> items() {
        return items;
    }

    /** Returns the number of names that are looked up: an item has one for each of its alternatives. */
    public int alternatives() {
        return Item.lookUps(items);
    }

    /** Returns the items whose layouts can be compared: those that the client wrote, and of the sets those with a layout. */
    public List<Item> comparable() {
        return items.stream()
                .filter(item -> item.setName().isEmpty() && (item.needsTypes() || sent.contains(item)))
                .toList();
    }

    /**
     * Returns whether a build may lack an item of this text: the client did not write it, and no set requires it by itself. No
     * build has every item of a set.
     */
    public boolean isOptional(String text) {
        return sent.stream().noneMatch(item -> item.text().equals(text))
                && sets.values().stream()
                        .flatMap(set -> set.entries().stream())
                        .noneMatch(entry -> entry instanceof TypeSetEntry.SingleEntry(Item item, Need need, var _)
                                && need == Need.REQUIRED
                                && item.text().equals(text));
    }

    /** Returns whether an item needs symbols or thread-local storage. */
    public boolean needsSymbols() {
        return items.stream().anyMatch(Item::needsSymbols);
    }

    /** Returns the names of types to extract for the items, see {@link Item#typeNames()}. */
    public Set<String> typeNames() {
        return Item.names(items, Item::typeNames);
    }

    /** Returns those of the names that C and C++ have, see {@link Item#simpleTypeNames()}. */
    public Set<String> simpleTypeNames() {
        return Item.names(items, Item::simpleTypeNames);
    }

    /** Returns the names of enumerators to extract for the items, without scopes. */
    public Set<String> enumeratorNames() {
        return Item.names(items, Item::enumeratorNames);
    }

    /**
     * Returns whether the client wrote the name of a type or enumerator that the build lacks. Any other name of the build may
     * be meant.
     */
    public boolean isNameMissing(Answers answers) {
        return answers.items().stream()
                .anyMatch(answer ->
                        (answer.status() == ItemStatus.TYPE_NOT_FOUND || answer.status() == ItemStatus.NOT_IN_BINARY)
                                && answer.item().needsTypes()
                                && sent.contains(answer.item()));
    }

    /**
     * Returns whether these answers stay the same if the build has other types and variables besides.
     *
     * @param types all that the build has of the names that the items need
     */
    public boolean areFinal(Answers answers, TypeCatalogue types) {
        // In C++, what is not a member may be a static one, which is a variable.
        boolean cpp = types.definitions().stream()
                .anyMatch(definition -> definition.language().family() == Language.Family.CPP);
        return !isNameMissing(answers)
                && answers.items().stream().noneMatch(ItemAnswer::followsPointers)
                && (!cpp || answers.items().stream().allMatch(ItemAnswer::isFirstChoice));
    }

    /**
     * Answers all items from a build. Suggests names for the items that the client wrote itself: no build has every item of a
     * type set.
     *
     * @param types null if the build has no debug information
     * @param symbols reads the symbols of the build if an item needs them or is a variable; null if it has none
     * @param language only definitions in this language; null for any, C and C++ first
     */
    public Answers answer(
            @Nullable TypeIndex types, Supplier<@Nullable SymbolSearch> symbols, Language.@Nullable Family language) {
        return answerTwiceForVariables(types, symbols, build -> {
            ItemResolver resolver = new ItemResolver(build, language);
            return answer(build, item -> resolve(item, resolver, build));
        });
    }

    /** Answers all items from a build, see {@link #answer(TypeIndex, Supplier, Language.Family)}. */
    public Answers answerWithoutSuggestions(@Nullable TypeIndex types, Supplier<@Nullable SymbolSearch> symbols) {
        return answerTwiceForVariables(types, symbols, build -> answer(new ItemResolver(build, null)::resolve));
    }

    private Answers answerTwiceForVariables(
            @Nullable TypeIndex types,
            Supplier<@Nullable SymbolSearch> symbols,
            Function<BuildContents, Answers> answering) {
        SymbolSearch search = needsSymbols() ? symbols.get() : null;
        Answers answers = answering.apply(new BuildContents(types, search));
        return search == null && answers.areOfVariables()
                ? answering.apply(new BuildContents(types, symbols.get()))
                : answers;
    }

    /** Answers an item; one that needs symbols of a build without any lacks debug information. */
    private static ItemAnswer resolve(Item item, ItemResolver resolver, BuildContents build) {
        ItemAnswer answer = resolver.resolve(item);
        return item.needsSymbols() && build.symbols() == null && answer.status() == ItemStatus.UNSUPPORTED
                ? new ItemAnswer(item, null, new ItemOutcome.Missed(ItemStatus.NO_DEBUGINFO, null))
                : answer;
    }

    /**
     * Answers all items. Suggests names of a build for the items that the client wrote itself.
     *
     * @param resolver answers an item other than a set
     */
    public Answers answer(BuildContents build, Function<Item, ItemAnswer> resolver) {
        Set<Item> typed = Set.copyOf(sent);
        Suggestions suggestions = new Suggestions(build);
        return answer(item -> {
            ItemAnswer answer = resolver.apply(item);
            return typed.contains(item) ? suggestions.addTo(answer) : answer;
        });
    }

    /**
     * Answers all items. Types behind the first {@link ListedMembers#MAX} members are {@link ItemStatus#UNSUPPORTED}.
     *
     * @param resolver answers an item other than a set
     */
    public Answers answer(Function<Item, ItemAnswer> resolver) {
        Map<String, ItemAnswer> answers = new LinkedHashMap<>();
        ListedMembers members = new ListedMembers();
        for (Item item : items) {
            if (!sets.containsKey(item.text())) {
                answers.put(item.text(), members.limited(resolver.apply(item)));
            }
        }
        if (map != null) {
            return answer(map, answers);
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
                                    item,
                                    null,
                                    new ItemOutcome.SetFound(set.name(), set.version(), set.coverage(status))));
        }
        Map<String, ItemAnswer> byText = new LinkedHashMap<>();
        all.forEach(answer -> byText.put(answer.item().text(), answer));
        for (Item item : sent) {
            complete &= isComplete(answerTo(item, byText));
        }
        return new Answers(all, complete);
    }

    private static Answers answer(ChosenMap chosen, Map<String, ItemAnswer> answers) {
        NameMap.Values values = new NameMap.Values(
                chosen.set().name(),
                chosen.set().version(),
                chosen.map(),
                chosen.map().values(item -> answerTo(item, answers)));
        return new Answers(List.copyOf(answers.values()), values.isComplete(), values);
    }

    private static boolean isComplete(ItemAnswer answer) {
        return answer.outcome() instanceof ItemOutcome.SetFound set
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
