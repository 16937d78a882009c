package dev.offsetd.query.symbol;

import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolSource;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.Deque;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Merges several symbol tables. Entries of <em>different</em> tables are one symbol if all their fields are equal, except
 * that one may lack a version, as some linkers write versions only into {@code .dynsym}, the name of its section, or the
 * code that its descriptor states. Entries of one table are never merged.
 */
final class SymbolMerge {

    private final List<Symbol> all = new ArrayList<>();
    private final int[] tableOf;
    private final int[] names;
    private final int[] sections;
    private final int[] versions;
    private final @Nullable Symbol[] merged;
    private final Map<List<SymbolSource>, List<SymbolSource>> sources = new HashMap<>();

    private SymbolMerge(List<List<Symbol>> tables) {
        tables.forEach(all::addAll);
        tableOf = new int[all.size()];
        int end = 0;
        for (int table = 0; table < tables.size(); table++) {
            int start = end;
            end += tables.get(table).size();
            Arrays.fill(tableOf, start, end, table);
        }
        names = Ranks.of(all, Symbol::name);
        // A file without section headers does not name the sections that its debug file names.
        boolean named = all.stream().noneMatch(symbol -> symbol.section().isUnknown());
        sections = Ranks.of(
                all,
                symbol -> named && symbol.descriptor() == null
                        ? symbol.section().kind() + symbol.section().name()
                        : null);
        versions = Ranks.of(
                all,
                symbol -> symbol.version() == null ? null : symbol.version().name());
        merged = all.toArray(Symbol[]::new);
    }

    /** Returns the symbols of all tables in their order; merged ones at the position of the first. */
    static List<Symbol> of(List<List<Symbol>> tables) {
        return tables.size() == 1 ? List.copyOf(tables.getFirst()) : new SymbolMerge(tables).merge();
    }

    private List<Symbol> merge() {
        Comparator<Integer> likeness = Comparator.<Integer>comparingInt(this::nameOf)
                .thenComparingLong(i -> placeOf(all.get(i)))
                .thenComparingLong(i -> all.get(i).size())
                .thenComparing(i -> all.get(i).type())
                .thenComparing(i -> all.get(i).binding())
                .thenComparing(i -> all.get(i).visibility())
                .thenComparingInt(i -> sections[i]);
        List<Integer> order = new ArrayList<>(all.size());
        for (int i = 0; i < all.size(); i++) {
            order.add(i);
        }
        // The sort is stable: entries that differ only in versions stay in the order of the tables.
        order.sort(likeness);
        int start = 0;
        for (int i = 1; i <= order.size(); i++) {
            Deadline.checkCurrent(i);
            if (i == order.size() || likeness.compare(order.get(start), order.get(i)) != 0) {
                if (i - start > 1) {
                    mergeAlike(order.subList(start, i));
                }
                start = i;
            }
        }
        List<Symbol> kept = new ArrayList<>(all.size());
        for (Symbol symbol : merged) {
            if (symbol != null) {
                kept.add(symbol);
            }
        }
        return List.copyOf(kept);
    }

    /** Returns the rank of a symbol's name; checks the deadline at some symbols, because a sort calls this all the time. */
    private int nameOf(int symbol) {
        Deadline.checkCurrent(symbol);
        return names[symbol];
    }

    /** Returns the value by which tables agree: only some have the address of the code that a descriptor states. */
    private static long placeOf(Symbol symbol) {
        return symbol.descriptor() == null ? symbol.value() : symbol.descriptor();
    }

    /** Merges entries, given by index in the order of the tables, that differ only in versions. */
    private void mergeAlike(List<Integer> alike) {
        int start = 0;
        List<Integer> kept = new ArrayList<>();
        while (start < alike.size()) {
            int end = start + 1;
            while (end < alike.size() && tableOf[alike.get(end)] == tableOf[alike.get(start)]) {
                end++;
            }
            mergeInto(kept, alike.subList(start, end));
            start = end;
        }
    }

    /** Merges the entries of one table with those of the tables before it, and appends the others. */
    private void mergeInto(List<Integer> kept, List<Integer> entries) {
        Map<Integer, Deque<Integer>> open = new HashMap<>();
        for (int place : kept) {
            open.computeIfAbsent(versions[place], version -> new ArrayDeque<>(1))
                    .add(place);
        }
        for (int entry : entries) {
            Deadline.checkCurrent();
            Integer place = poll(open, versions[entry]);
            if (place == null) {
                place = versions[entry] == Ranks.NONE ? pollAny(open) : poll(open, Ranks.NONE);
            }
            if (place == null) {
                kept.add(entry);
            } else {
                join(place, entry);
            }
        }
    }

    private static @Nullable Integer poll(Map<Integer, Deque<Integer>> open, int version) {
        Deque<Integer> places = open.get(version);
        Integer place = places == null ? null : places.poll();
        if (places != null && places.isEmpty()) {
            open.remove(version);
        }
        return place;
    }

    /** Takes the first one left of any version: equal symbols are interchangeable. */
    private static @Nullable Integer pollAny(Map<Integer, Deque<Integer>> open) {
        return open.isEmpty() ? null : poll(open, open.keySet().iterator().next());
    }

    private void join(int place, int entry) {
        Symbol first = Objects.requireNonNull(merged[place]);
        Symbol second = all.get(entry);
        List<SymbolSource> both = new ArrayList<>(first.sources());
        both.addAll(second.sources());
        List<SymbolSource> shared = sources.computeIfAbsent(List.copyOf(both), list -> list);
        if (versions[place] == Ranks.NONE) {
            versions[place] = versions[entry];
        }
        merged[place] = (first.section().isUnknown() ? first.in(second.section()) : first)
                .with(first.version() == null ? second.version() : first.version(), shared);
        merged[entry] = null;
    }
}
