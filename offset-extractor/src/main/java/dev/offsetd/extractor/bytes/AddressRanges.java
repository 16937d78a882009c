package dev.offsetd.extractor.bytes;

import dev.offsetd.extractor.input.Search;
import java.util.Arrays;

/** Ranges of addresses, some of which may be empty. Not thread-safe. */
public final class AddressRanges {

    private long[] bounds = new long[8];
    private int count;

    public void add(long start, long end) {
        if (2 * count == bounds.length) {
            bounds = Arrays.copyOf(bounds, bounds.length * 2);
        }
        bounds[2 * count] = start;
        bounds[2 * count + 1] = end;
        count++;
    }

    public void clear() {
        count = 0;
    }

    public int count() {
        return count;
    }

    public long start(int index) {
        return bounds[2 * index];
    }

    public long end(int index) {
        return bounds[2 * index + 1];
    }

    /**
     * Returns whether one of the ranges holds one of these addresses.
     *
     * @param addresses in ascending order, as unsigned numbers
     */
    public boolean holdAny(long[] addresses) {
        for (int i = 0; i < count; i++) {
            long start = start(i);
            int first = Search.firstNot(addresses.length, n -> Long.compareUnsigned(addresses[n], start) < 0);
            if (first < addresses.length && Long.compareUnsigned(addresses[first], end(i)) < 0) {
                return true;
            }
        }
        return false;
    }

    /** Returns the ranges in the order of addresses, without those that are empty and what others cover. */
    public AddressRanges sorted() {
        Overlay overlay = new Overlay();
        for (int i = 0; i < count; i++) {
            if (Long.compareUnsigned(start(i), end(i)) < 0) {
                overlay.add(start(i), end(i));
            }
        }
        Overlay.Parts parts = overlay.parts();
        AddressRanges sorted = new AddressRanges();
        for (int i = 0; i < parts.count(); i++) {
            sorted.add(parts.start(i), parts.end(i));
        }
        return sorted;
    }

    /** Returns the end of the range that holds the address, of ranges in the order of addresses; 0 if none does. */
    public long endAround(long address) {
        int last = Search.firstNot(count, i -> Long.compareUnsigned(start(i), address) <= 0) - 1;
        return last >= 0 && Long.compareUnsigned(address, end(last)) < 0 ? end(last) : 0;
    }
}
