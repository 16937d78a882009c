package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;

/**
 * Places of code and data, sorted by address, those of one address in the order in which they are to answer; how addresses
 * are looked up in them. A place with a size reaches from its address to the end of its bytes.
 */
abstract class SymbolPlaces {

    /** How many there are. */
    abstract int count();

    /** Where place {@code i} starts. */
    abstract long start(int i);

    /** Where place {@code i} ends: exclusive, unsigned, 0 without a size. */
    abstract long end(int i);

    /** What is there. */
    abstract Symbol symbol(int i);

    /** Index of the first place that starts past this address. */
    abstract int firstAfter(long address);

    /** Index of the last place before {@code limit} that reaches past the address, -1 if none does. */
    abstract int lastReaching(int limit, long address);

    /** Where a place ends; the end of the address space if its size goes beyond. */
    static long endOf(long start, long size) {
        if (size == 0) {
            return 0;
        }
        long end = start + size;
        return Long.compareUnsigned(end, start) < 0 ? -1 : end;
    }

    /** As {@link SymbolIndex#at(long, int, SearchBudget)}. */
    final Matches<SymbolAt> at(long address, int limit, SearchBudget budget) {
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

    /** Adds the symbols that start here and reach past the address; all of them if it is the address itself. */
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

    /** Index of the first place that starts at this address or past it. */
    private int firstAt(long address) {
        return address == 0 ? 0 : firstAfter(address - 1);
    }
}
