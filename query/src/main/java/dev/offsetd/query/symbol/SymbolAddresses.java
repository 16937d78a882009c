package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.query.store.BlobInput;
import dev.offsetd.query.store.BlockTable;
import dev.offsetd.query.store.StoredBlob;
import java.lang.ref.SoftReference;
import java.util.concurrent.atomic.AtomicReferenceArray;
import org.jspecify.annotations.Nullable;

/**
 * Symbols of code and data sorted by address, and the look-up of addresses in them. Symbols at one address are in the order
 * in which they answer.
 */
final class SymbolAddresses {

    private final StoredSymbols symbols;
    private final StoredBlob blob;
    private final BlockTable.Directory places;

    /** For each block of addresses, the greatest end of a symbol in it. */
    private final long[] reaches;

    /**
     * The greatest end up to each symbol of a block, made for the first address in the block. Soft, because a program may have
     * millions of symbols.
     */
    private final AtomicReferenceArray<@Nullable SoftReference<long[]>> greatestEnds;

    SymbolAddresses(StoredSymbols symbols, StoredBlob blob, BlockTable.Directory places, long[] reaches) {
        this.symbols = symbols;
        this.blob = blob;
        this.places = places;
        this.reaches = reaches;
        greatestEnds = new AtomicReferenceArray<>(reaches.length);
    }

    /** Returns the first address of symbol {@code i}. */
    long start(int i) {
        return blob.entry(places, i).unsigned();
    }

    /** Returns the end of a symbol: exclusive, unsigned, 0 if it has no size. */
    private static long end(BlobInput entry) {
        entry.unsigned();
        return entry.unsigned();
    }

    /** Returns the number of symbol {@code i} among those sorted by name. */
    int number(int i) {
        BlobInput in = blob.entry(places, i);
        in.unsigned();
        in.unsigned();
        return in.count();
    }

    private Symbol symbol(int i) {
        return symbols.symbol(number(i));
    }

    Matches<SymbolAt> at(long address, int limit, SearchBudget budget) {
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
            if (start == address || Long.compareUnsigned(end(blob.entry(places, i)), address) > 0) {
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

    /** Returns the index of the first symbol that starts past this address. */
    int firstAfter(long address) {
        int number = places.blockOf(SymbolsFormat.key(address));
        // Entries of one address may fill several blocks: the last block that starts at or before it has the last
        // one.
        if (number < 0) {
            return 0;
        }
        BlockTable.Block block = places.blocks().get(number);
        return block.firstEntry()
                + blob.entries(block).firstNot(entry -> Long.compareUnsigned(entry.unsigned(), address) <= 0);
    }

    /** Returns the index of the last symbol before {@code limit} that ends past the address, or -1. */
    private int lastReaching(int limit, long address) {
        for (int b = reaches.length - 1; b >= 0; b--) {
            BlockTable.Block block = places.blocks().get(b);
            if (block.firstEntry() < limit && Long.compareUnsigned(reaches[b], address) > 0) {
                BlockTable.Entries entries = blob.entries(block);
                long[] greatest = greatestEnds(b, entries);
                int i = Math.min(limit - block.firstEntry(), entries.size()) - 1;
                while (i >= 0 && Long.compareUnsigned(greatest[i], address) > 0) {
                    if (Long.compareUnsigned(end(entries.entry(i)), address) > 0) {
                        return block.firstEntry() + i;
                    }
                    i--;
                }
            }
        }
        return -1;
    }

    /** Returns for each entry of a block the greatest end of those up to it. */
    private long[] greatestEnds(int block, BlockTable.Entries entries) {
        SoftReference<long[]> reference = greatestEnds.get(block);
        long[] known = reference == null ? null : reference.get();
        if (known != null) {
            return known;
        }
        long[] greatest = new long[entries.size()];
        long most = 0;
        for (int i = 0; i < greatest.length; i++) {
            long end = end(entries.entry(i));
            most = Long.compareUnsigned(end, most) > 0 ? end : most;
            greatest[i] = most;
        }
        greatestEnds.set(block, new SoftReference<>(greatest));
        return greatest;
    }
}
