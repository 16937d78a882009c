package dev.offsetd.extractor.symbol;

import java.util.ArrayList;
import java.util.List;

/**
 * Finds the symbols of an address in logarithmic time, however they are nested. A symbol with a size reaches from its
 * address to the end of its bytes.
 */
final class AddressIndex {

    private final List<Symbol> symbols;
    private final long[] starts;

    /**
     * How far symbols reach, as a tree of greatest ends: leaf i, at {@code leaves + i}, is the end of symbol i (exclusive,
     * unsigned, 0 without a size), node n is the greater of 2n and 2n+1.
     */
    private final long[] ends;

    private final int leaves;

    /** @param symbols places, sorted by address, those of one address in the order in which they are to answer */
    AddressIndex(List<Symbol> symbols, ValueRule values) {
        this.symbols = symbols;
        // One leaf more than symbols, so that "before the end" is a leaf too.
        leaves = Integer.highestOneBit(Math.max(symbols.size(), 1)) << 1;
        starts = new long[symbols.size()];
        ends = new long[2 * leaves];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = values.addressOf(symbols.get(i));
            ends[leaves + i] = end(starts[i], symbols.get(i).size());
        }
        for (int node = leaves - 1; node > 0; node--) {
            long left = ends[2 * node];
            long right = ends[2 * node + 1];
            ends[node] = Long.compareUnsigned(left, right) >= 0 ? left : right;
        }
    }

    private static long end(long start, long size) {
        if (size == 0) {
            return 0;
        }
        long end = start + size;
        return Long.compareUnsigned(end, start) < 0 ? -1 : end;
    }

    /** As {@link SymbolTable#at}. */
    List<SymbolAt> at(long address) {
        int after = firstAfter(address);
        List<SymbolAt> found = new ArrayList<>();
        int innermost = lastReaching(after, address);
        if (innermost >= 0) {
            addStartingAt(starts[innermost], address, found);
        }
        if (after == 0) {
            return found;
        }
        long nearest = starts[after - 1];
        if (nearest == address) {
            if (innermost < 0 || starts[innermost] != address) {
                addStartingAt(address, address, found);
            }
        } else if (innermost < 0 && lastReaching(after, nearest) < 0) {
            for (int i = firstAt(nearest); i < after; i++) {
                if (Long.compareUnsigned(address, symbols.get(i).section().endAddress()) < 0) {
                    found.add(new SymbolAt(symbols.get(i), address - nearest));
                }
            }
        }
        return found;
    }

    /** Adds the symbols that start here and reach past the address; all of them if it is the address itself. */
    private void addStartingAt(long start, long address, List<SymbolAt> found) {
        for (int i = firstAt(start); i < starts.length && starts[i] == start; i++) {
            if (start == address || Long.compareUnsigned(ends[leaves + i], address) > 0) {
                found.add(new SymbolAt(symbols.get(i), address - start));
            }
        }
    }

    /** Index of the first symbol at this address or past it. */
    private int firstAt(long address) {
        return address == 0 ? 0 : firstAfter(address - 1);
    }

    /** Index of the first symbol past this address. */
    private int firstAfter(long address) {
        int low = 0;
        int high = starts.length;
        while (low < high) {
            int middle = (low + high) >>> 1;
            if (Long.compareUnsigned(starts[middle], address) <= 0) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        return low;
    }

    /** Index of the last symbol before {@code limit} that reaches past the address, -1 if none does. */
    private int lastReaching(int limit, long address) {
        for (int node = leaves + limit; node > 1; node >>= 1) {
            boolean isRight = (node & 1) == 1;
            if (isRight && reaches(node - 1, address)) {
                int found = node - 1;
                while (found < leaves) {
                    found = reaches(2 * found + 1, address) ? 2 * found + 1 : 2 * found;
                }
                return found - leaves;
            }
        }
        return -1;
    }

    private boolean reaches(int node, long address) {
        return Long.compareUnsigned(ends[node], address) > 0;
    }
}
