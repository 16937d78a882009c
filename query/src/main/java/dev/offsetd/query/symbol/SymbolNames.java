package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;
import java.util.List;
import java.util.function.Predicate;
import java.util.stream.IntStream;

/** Symbols by their distinct names, sorted by {@link String#compareTo}; how patterns are looked up in them. */
abstract class SymbolNames {

    /** How many names there are. */
    abstract int count();

    /** The name at this place. */
    abstract String name(int place);

    /** The first place whose name is this one or comes after it. */
    abstract int firstFrom(String name);

    /** How many symbols have the name at this place. */
    abstract int symbolCount(int place);

    /** Symbol {@code i} of the name at this place, in the order of the tables. */
    abstract Symbol symbol(int place, int i);

    /** The symbols of the name at this place, in the order of the tables. */
    final List<Symbol> symbols(int place) {
        return IntStream.range(0, symbolCount(place))
                .mapToObj(i -> symbol(place, i))
                .toList();
    }

    /** As {@link SymbolIndex#find(SymbolPattern, boolean, int, SearchBudget)}. */
    final Matches<Symbol> find(SymbolPattern pattern, boolean family, int limit, SearchBudget budget) {
        Search search = new Search(limit, budget);
        NamePattern name = pattern.name();
        Predicate<Symbol> ofVersion = pattern.versionTest(budget);
        if (name.isLiteral()) {
            int place = placeOf(name.literal());
            if (place >= 0) {
                search.addSuiting(place, ofVersion);
            }
        } else {
            search.addNamed(name.literal(), other -> name.matches(other, budget), ofVersion);
        }
        // Compilers give no versions to the pieces.
        if (family && name.isLiteral()) {
            search.addNamed(
                    name.literal() + ".",
                    other -> CloneSuffixes.isCloneOf(name.literal(), other),
                    SymbolPattern.EVERY_SYMBOL);
        } else if (family) {
            search.addNamed(
                    name.literal(),
                    other -> !name.matches(other, budget) && name.matches(CloneSuffixes.functionOf(other), budget),
                    SymbolPattern.EVERY_SYMBOL);
        }
        pattern.wholeName()
                .ifPresent(whole -> search.addNamed(
                        whole.literal(), other -> whole.matches(other, budget), symbol -> symbol.version() == null));
        return search.found.matches();
    }

    /** The place of this name, -1 if there is no such name. */
    final int placeOf(String name) {
        int place = firstFrom(name);
        return place < count() && name(place).equals(name) ? place : -1;
    }

    /** One search, as far as its limits go. */
    private final class Search {

        private final Matches.Collector<Symbol> found;
        private final SearchBudget budget;

        Search(int limit, SearchBudget budget) {
            this.found = new Matches.Collector<>(limit);
            this.budget = budget;
        }

        /** Adds the symbols that suit, of all names that start with this and match. */
        void addNamed(String start, Predicate<String> matches, Predicate<Symbol> suits) {
            for (int place = firstFrom(start); place < count(); place++) {
                String name = name(place);
                if (!budget.takeName(name) || !name.startsWith(start)) {
                    return;
                }
                if (matches.test(name)) {
                    addSuiting(place, suits);
                }
            }
        }

        void addSuiting(int place, Predicate<Symbol> suits) {
            int count = symbolCount(place);
            for (int i = 0; i < count; i++) {
                if (found.isFull() && suits.equals(SymbolPattern.EVERY_SYMBOL)) {
                    found.count(count - i);
                    return;
                }
                if (!budget.takeOne()) {
                    return;
                }
                Symbol symbol = symbol(place, i);
                if (suits.test(symbol)) {
                    found.add(symbol);
                }
            }
        }
    }
}
