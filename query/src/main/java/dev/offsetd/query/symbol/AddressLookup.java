package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;

/**
 * Symbols of code and data sorted by address, and the look-up of addresses in them. Symbols at one address are in the order
 * in which they answer.
 */
public interface AddressLookup {

    /** Returns the first address of symbol {@code i}. */
    long start(int i);

    /** Returns the end of symbol {@code i}: exclusive, unsigned, 0 if it has no size. */
    long end(int i);

    Symbol symbol(int i);

    /** Returns the index of the first symbol that starts past this address. */
    int firstAfter(long address);

    /** Returns the index of the last symbol before {@code limit} that ends past the address, or -1. */
    int lastReaching(int limit, long address);

    /** Implements {@link SymbolIndex#at(long, int, SearchBudget)}. */
    default Matches<SymbolAt> at(long address, int limit, SearchBudget budget) {
        Matches.Collector<SymbolAt> found = new Matches.Collector<>(limit);
        int after = firstAfter(address);
        int innermost = lastReaching(after, address);
        if (innermost >= 0) {
            addStartingAt(start(innermost), address, found, budget);
        }
        if (after == 0) {
            return found.matches();
        }
        long nearest = start(after - 1);
        if (nearest == address) {
            if (innermost < 0 || start(innermost) != address) {
                addStartingAt(address, address, found, budget);
            }
        } else if (innermost < 0 && lastReaching(after, nearest) < 0) {
            for (int i = firstAt(nearest); i < after && budget.takeOne(); i++) {
                Symbol symbol = symbol(i);
                if (Long.compareUnsigned(address, symbol.section().endAddress()) < 0) {
                    found.add(new SymbolAt(symbol, address - nearest));
                }
            }
        }
        return found.matches();
    }

    /** Adds the symbols that start at {@code start} and end past the address, or all if it is the address. */
    private void addStartingAt(long start, long address, Matches.Collector<SymbolAt> found, SearchBudget budget) {
        int after = firstAfter(start);
        for (int i = firstAt(start); i < after; i++) {
            if (found.isFull() && start == address) {
                found.count(after - i);
                return;
            }
            if (!budget.takeOne()) {
                return;
            }
            if (start == address || Long.compareUnsigned(end(i), address) > 0) {
                if (found.isFull()) {
                    found.count(1);
                } else {
                    found.add(new SymbolAt(symbol(i), address - start));
                }
            }
        }
    }

    /** Returns the index of the first symbol that starts at this address or past it. */
    private int firstAt(long address) {
        return address == 0 ? 0 : firstAfter(address - 1);
    }
}
