package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import java.lang.foreign.ValueLayout;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.List;

/**
 * The relocations of a program that add its load address, by their place: what is the pointer there if the program is loaded at
 * the addresses in the file. From a table of {@code Elf32_Rela} or {@code Elf64_Rela}, or from one that Android's linkers pack:
 * {@code APS2}, and the numbers of the entries as signed LEB128 numbers in groups, which share what is equal (bionic,
 * "linker_reloc_iterators").
 */
final class RelativeRelocations {

    private static final byte[] PACKED = {'A', 'P', 'S', '2'};

    private static final int GROUPED_BY_INFO = 1;
    private static final int GROUPED_BY_OFFSET_DELTA = 2;
    private static final int GROUPED_BY_ADDEND = 4;
    private static final int HAS_ADDEND = 8;

    private static final int BYTES_PER_RELOCATION = 64;

    private final Section table;
    private final int word;
    private final int type;
    private final Limits limits;
    private final HeapBudget heap;
    private final List<long[]> found = new ArrayList<>();

    private RelativeRelocations(Section table, int word, int type, Limits limits, HeapBudget heap) {
        this.table = table;
        this.word = word;
        this.type = type;
        this.limits = limits;
        this.heap = heap;
    }

    /** The places, sorted, and the pointer at each. */
    // Never compared, and only read.
    @SuppressWarnings("ArrayRecordComponent")
    record Pointers(long[] places, long[] targets) {}

    /**
     * Reads the relocations of one type.
     *
     * @param word bytes of an address
     * @throws LimitExceededException if there are too many
     */
    static Pointers read(Section table, int word, int type, Limits limits, HeapBudget heap) throws ExtractionException {
        RelativeRelocations relocations = new RelativeRelocations(table, word, type, limits, heap);
        if (isPacked(table)) {
            relocations.readPacked();
        } else {
            relocations.readTable();
        }
        relocations.found.sort(Comparator.comparingLong(entry -> entry[0]));
        return new Pointers(
                relocations.found.stream().mapToLong(entry -> entry[0]).toArray(),
                relocations.found.stream().mapToLong(entry -> entry[1]).toArray());
    }

    private static boolean isPacked(Section table) {
        return table.size() >= PACKED.length
                && Arrays.equals(table.bytes().asSlice(0, PACKED.length).toArray(ValueLayout.JAVA_BYTE), PACKED);
    }

    private void readTable() throws ExtractionException {
        int entryBytes = 3 * word;
        long entries = table.size() / entryBytes;
        expect(entries);
        ByteCursor in = table.cursor(0, entries * entryBytes);
        while (in.hasRemaining()) {
            Deadline.checkCurrent(in.offset() / entryBytes);
            add(in.unsigned(word), in.unsigned(word), in.unsigned(word));
        }
    }

    private void readPacked() throws ExtractionException {
        ByteCursor in = table.cursor(PACKED.length, table.size() - PACKED.length);
        long entries = in.sleb128();
        expect(entries);
        long place = in.sleb128();
        long addend = 0;
        long left = entries;
        while (left > 0) {
            long groupSize = in.sleb128();
            long flags = in.sleb128();
            if (groupSize <= 0 || groupSize > left) {
                throw in.malformed(in.offset(), "group of " + groupSize + " relocations; expected 1 to " + left);
            }
            boolean hasAddends = (flags & HAS_ADDEND) != 0;
            long groupStep = (flags & GROUPED_BY_OFFSET_DELTA) != 0 ? in.sleb128() : 0;
            long groupInfo = (flags & GROUPED_BY_INFO) != 0 ? in.sleb128() : 0;
            if (!hasAddends) {
                addend = 0;
            } else if ((flags & GROUPED_BY_ADDEND) != 0) {
                addend += in.sleb128();
            }
            for (long i = 0; i < groupSize; i++) {
                Deadline.checkCurrent(left - i);
                place += (flags & GROUPED_BY_OFFSET_DELTA) != 0 ? groupStep : in.sleb128();
                long info = (flags & GROUPED_BY_INFO) != 0 ? groupInfo : in.sleb128();
                if (hasAddends && (flags & GROUPED_BY_ADDEND) == 0) {
                    addend += in.sleb128();
                }
                add(place, info, addend);
            }
            left -= groupSize;
        }
    }

    /** Counts relocations that are about to be read. A group whose entries are all equal takes a few bytes. */
    private void expect(long entries) throws ExtractionException {
        if (entries < 0 || entries > limits.maxEntries()) {
            throw new LimitExceededException(
                    table.name(),
                    ExtractionException.NO_OFFSET,
                    "maxEntries",
                    limits.maxEntries(),
                    Long.toUnsignedString(entries) + " relocations");
        }
        heap.keep(entries * BYTES_PER_RELOCATION, table.name(), 0);
    }

    private void add(long place, long info, long addend) {
        if ((word == Long.BYTES ? info & 0xffff_ffffL : info & 0xff) == type) {
            found.add(new long[] {place, addend});
        }
    }
}
