package dev.offsetd.query.symbol;

import dev.offsetd.extractor.layout.Symbol;
import dev.offsetd.extractor.layout.ValueRule;
import java.util.List;

/** Address index over symbols in memory. Look-ups take logarithmic time, however symbols are nested. */
final class AddressIndex implements AddressLookup {

    private final List<Symbol> symbols;
    private final long[] starts;

    /**
     * Binary tree of greatest ends of symbols: leaf i, at {@code leaves + i}, is the end of symbol i (exclusive, unsigned,
     * 0 without a size), node n is the greater of 2n and 2n+1.
     */
    private final long[] ends;

    private final int leaves;

    /** Indexes symbols that are sorted by address, those at one address in the order in which they answer. */
    AddressIndex(List<Symbol> symbols, ValueRule values) {
        this.symbols = symbols;
        // One leaf more than symbols, so that "before the end" is a leaf too.
        leaves = Integer.highestOneBit(Math.max(symbols.size(), 1)) << 1;
        starts = new long[symbols.size()];
        ends = new long[2 * leaves];
        for (int i = 0; i < starts.length; i++) {
            starts[i] = values.addressOf(symbols.get(i));
            ends[leaves + i] = AddressLookup.endOf(starts[i], symbols.get(i).size());
        }
        for (int node = leaves - 1; node > 0; node--) {
            long left = ends[2 * node];
            long right = ends[2 * node + 1];
            ends[node] = Long.compareUnsigned(left, right) >= 0 ? left : right;
        }
    }

    @Override
    public int count() {
        return starts.length;
    }

    @Override
    public long start(int i) {
        return starts[i];
    }

    @Override
    public long end(int i) {
        return ends[leaves + i];
    }

    @Override
    public Symbol symbol(int i) {
        return symbols.get(i);
    }

    @Override
    public int firstAfter(long address) {
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

    @Override
    public int lastReaching(int limit, long address) {
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
