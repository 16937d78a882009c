package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import java.util.function.Predicate;

/** One search in a {@link NameLookup}, within a budget. */
final class NameSearch {

    private final NameLookup names;
    private final Matches.Collector<Symbol> found;
    private final SearchBudget budget;

    NameSearch(NameLookup names, int limit, SearchBudget budget) {
        this.names = names;
        this.found = new Matches.Collector<>(limit);
        this.budget = budget;
    }

    /** Adds the suiting symbols of all names that start with {@code start} and match. */
    void addNamed(String start, Predicate<String> matches, Predicate<Symbol> suits) {
        for (int index = names.firstFrom(start); index < names.count(); index++) {
            String name = names.name(index);
            if (!budget.takeName(name) || !name.startsWith(start)) {
                return;
            }
            if (matches.test(name)) {
                addSuiting(index, suits);
            }
        }
    }

    void addSuiting(int index, Predicate<Symbol> suits) {
        int count = names.symbolCount(index);
        for (int i = 0; i < count; i++) {
            if (found.isFull() && suits.equals(SymbolPattern.EVERY_SYMBOL)) {
                found.count(count - i);
                return;
            }
            if (!budget.takeOne()) {
                return;
            }
            Symbol symbol = names.symbol(index, i);
            if (suits.test(symbol)) {
                found.add(symbol);
            }
        }
    }

    Matches<Symbol> matches() {
        return found.matches();
    }
}
