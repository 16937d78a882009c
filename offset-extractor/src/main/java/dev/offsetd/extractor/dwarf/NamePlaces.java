package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.LimitExceededException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Every place in a string section where a wanted name starts. With it a walk over DIEs compares offsets and never reads the
 * names of the DIEs that it passes. Linkers let a string be the end of a longer one, so a name may start anywhere, but it
 * ends where a string ends: the section is read once, from zero byte to zero byte. Immutable.
 */
final class NamePlaces {

    /** Says of each place that a wanted name may start there. */
    static final NamePlaces EVERYWHERE = new NamePlaces(new long[0]);

    /** Past so many places, which only a made-up section has, names are compared instead. */
    private static final int MAX_PLACES = 1 << 16;

    private static final long EMPTY = -1;
    private static final long LOW_BITS = 0x7f7f_7f7f_7f7f_7f7fL;
    private static final int BYTES_BETWEEN_CHECKS = 1 << 24;

    private static final ValueLayout.OfShort SHORT =
            ValueLayout.JAVA_SHORT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    /** A hash table of the offsets with at most every fourth slot taken; no slots stand for every place. */
    private final long[] slots;

    private NamePlaces(long[] slots) {
        this.slots = slots;
    }

    /**
     * Finds the places.
     *
     * @param names bytes of the names, none empty
     */
    static NamePlaces in(Section strings, byte[][] names, Deadline deadline) throws LimitExceededException {
        long[] ends = new long[(1 << Short.SIZE) / Long.SIZE];
        for (byte[] name : names) {
            markEnds(ends, name);
        }
        Found found = new Found();
        MemorySegment bytes = strings.bytes();
        long size = bytes.byteSize();
        for (long at = 0; at < size && found.count <= MAX_PLACES; at += Long.BYTES) {
            if (at % BYTES_BETWEEN_CHECKS == 0) {
                deadline.check(strings.name());
            }
            // The highest bit of each byte that is zero.
            long word = at + Long.BYTES <= size ? bytes.get(LONG, at) : tail(bytes, at);
            for (long zeros = ~(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS); zeros != 0; zeros &= zeros - 1) {
                long end = at + (Long.numberOfTrailingZeros(zeros) >>> 3);
                int lastTwo = end < 2 ? 0 : bytes.get(SHORT, end - 2) & 0xffff;
                if (end < 2 || (ends[lastTwo >>> 6] & 1L << lastTwo) != 0) {
                    found.addThoseBefore(end, names, bytes);
                }
            }
        }
        return found.count > MAX_PLACES ? EVERYWHERE : new NamePlaces(found.table());
    }

    /** Marks what the last two bytes of a string can be that ends with the name. */
    private static void markEnds(long[] ends, byte[] name) {
        int last = (name[name.length - 1] & 0xff) << Byte.SIZE;
        boolean any = name.length == 1;
        for (int before = 0; before < 1 << Byte.SIZE; before++) {
            if (any || before == (name[name.length - 2] & 0xff)) {
                ends[(last | before) >>> 6] |= 1L << (last | before);
            }
        }
    }

    /** The last bytes of the section, and no zero byte behind them. */
    private static long tail(MemorySegment bytes, long from) {
        long word = -1L;
        for (long at = bytes.byteSize() - 1; at >= from; at--) {
            word = (word << 8) | (bytes.get(ValueLayout.JAVA_BYTE, at) & 0xff);
        }
        return word;
    }

    /** Whether a wanted name starts at this offset; for {@link #EVERYWHERE}, whether one may. */
    boolean contains(long offset) {
        if (slots.length == 0) {
            return true;
        }
        int mask = slots.length - 1;
        for (int at = slot(offset, mask); slots[at] != EMPTY; at = at + 1 & mask) {
            if (slots[at] == offset) {
                return true;
            }
        }
        return false;
    }

    private static int slot(long offset, int mask) {
        return (int) ((offset * Hash.GOLDEN) >>> 40) & mask;
    }

    /** The places found so far, in ascending order. */
    private static final class Found {

        private long[] offsets = new long[16];
        private int count;

        /** Adds the names that end before the zero byte at {@code end}. */
        void addThoseBefore(long end, byte[][] names, MemorySegment bytes) {
            for (byte[] name : names) {
                long start = end - name.length;
                if (start >= 0
                        && MemorySegment.mismatch(bytes, start, end, MemorySegment.ofArray(name), 0, name.length) < 0) {
                    if (count == offsets.length) {
                        offsets = Arrays.copyOf(offsets, count * 2);
                    }
                    offsets[count++] = start;
                }
            }
        }

        long[] table() {
            long[] slots = new long[Math.max(Integer.highestOneBit(count) * 8, 8)];
            Arrays.fill(slots, EMPTY);
            int mask = slots.length - 1;
            for (int i = 0; i < count; i++) {
                int at = slot(offsets[i], mask);
                while (slots[at] != EMPTY && slots[at] != offsets[i]) {
                    at = at + 1 & mask;
                }
                slots[at] = offsets[i];
            }
            return slots;
        }
    }
}
