package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;

/**
 * Reads the ranges of addresses of a DIE (DWARF 5 §2.17): from a low to a high address, or a list in {@code .debug_rnglists} or,
 * before version 5, in {@code .debug_ranges}. Ranges that do not start in code are left out: linkers set those of discarded
 * functions to 0, 1 or the highest addresses. Not thread-safe.
 */
final class RangeReader {

    /** Heap of a range, with what it takes to sort the ranges of a unit. */
    private static final int RANGE_BYTES = 180;

    private static final int ENTRIES_BETWEEN_CHECKS = 1 << 14;

    private final DwarfUnits dwarf;
    private final AddressRanges code;
    private final ReadingBudget budget;
    private final MemoryAccount account;
    private final AddressRanges found = new AddressRanges();

    /** How many ranges the heap memory that is charged suffices for. */
    private int charged = 64;

    /** Address of the unit whose ranges are read. */
    private long unitAddress;

    /**
     * @param code the parts of the file that have code, by address
     * @param budget bounds how often lists are read
     */
    RangeReader(DwarfUnits dwarf, AddressRanges code, ReadingBudget budget) {
        this.dwarf = dwarf;
        this.code = code;
        this.budget = budget;
        this.account = new MemoryAccount(dwarf);
    }

    /** Returns the ranges of a DIE of the unit. Valid until the next call. */
    AddressRanges of(DieScratch die, CodeUnit unit) throws ExtractionException {
        found.clear();
        unitAddress = unit.unit().header().startAddress();
        if (die.has(Slot.RANGES) || die.has(Slot.RANGES_INDEX)) {
            readList(die, unit);
            return found;
        }
        long low;
        if (die.has(Slot.LOW_PC)) {
            low = die.get(Slot.LOW_PC);
        } else if (die.has(Slot.LOW_PC_INDEX)) {
            low = unit.address(die.get(Slot.LOW_PC_INDEX));
        } else {
            return found;
        }
        if (die.has(Slot.HIGH_PC_ADDRESS)) {
            add(low, die.get(Slot.HIGH_PC_ADDRESS));
        } else if (die.has(Slot.HIGH_PC_INDEX)) {
            add(low, unit.address(die.get(Slot.HIGH_PC_INDEX)));
        } else if (die.has(Slot.HIGH_PC)) {
            add(low, low + die.get(Slot.HIGH_PC));
        }
        return found;
    }

    private void add(long start, long end) throws LimitExceededException {
        long codeEnd = Long.compareUnsigned(start, end) < 0 ? code.endAround(start) : 0;
        if (codeEnd != 0) {
            if (found.count() == charged) {
                account.addBytes((long) RANGE_BYTES * charged, unitAddress);
                charged *= 2;
            }
            dwarf.requireEntries(found.count() + 1L, "ranges of a DIE", unitAddress);
            found.add(start, Long.compareUnsigned(end, codeEnd) < 0 ? end : codeEnd);
        }
    }

    private void readList(DieScratch die, CodeUnit unit) throws ExtractionException {
        boolean old = unit.unit().header().version() < 5;
        Section lists = old
                ? dwarf.code(0).ranges()
                : dwarf.code(unit.unit().header().file()).rangeLists();
        long start;
        if (die.has(Slot.RANGES_INDEX)) {
            start = unit.rangeList(die.get(Slot.RANGES_INDEX), lists);
        } else if (old) {
            start = unit.rangesBase() + die.get(Slot.RANGES);
        } else {
            start = unit.unit().header().rangeListsStart() + die.get(Slot.RANGES);
        }
        ByteCursor in = lists.cursor(start, lists.size() - Math.clamp(start, 0, lists.size()));
        budget.require(lists, start);
        try {
            if (old) {
                readPairs(in, unit, lists.name());
            } else {
                readEntries(in, unit, lists.name());
            }
        } finally {
            budget.spend(in.offset() - start);
        }
    }

    private void checkTime(int entries, String section) throws LimitExceededException {
        if (entries % ENTRIES_BETWEEN_CHECKS == 0) {
            dwarf.deadline().check(section);
        }
    }

    /** Reads a list of {@code .debug_ranges} (DWARF 4 §2.17.3). */
    private void readPairs(ByteCursor in, CodeUnit unit, String section) throws ExtractionException {
        int bytes = unit.unit().header().addressSize();
        long highest = -1L >>> (Long.SIZE - bytes * Byte.SIZE);
        long base = unit.base();
        for (int entries = 1; true; entries++) {
            checkTime(entries, section);
            long start = in.unsigned(bytes);
            long end = in.unsigned(bytes);
            if (start == 0 && end == 0) {
                return;
            }
            if (start == highest) {
                base = end;
            } else {
                add(base + start, base + end);
            }
        }
    }

    /** Reads a list of {@code .debug_rnglists} (DWARF 5 §7.25). */
    private void readEntries(ByteCursor in, CodeUnit unit, String section) throws ExtractionException {
        int bytes = unit.unit().header().addressSize();
        long base = unit.base();
        for (int entries = 1; true; entries++) {
            checkTime(entries, section);
            int kind = in.u8();
            switch (kind) {
                case Dwarf.DW_RLE_end_of_list -> {
                    return;
                }
                case Dwarf.DW_RLE_base_addressx -> base = unit.address(in.uleb128());
                case Dwarf.DW_RLE_base_address -> base = in.unsigned(bytes);
                case Dwarf.DW_RLE_startx_endx -> {
                    long start = unit.address(in.uleb128());
                    add(start, unit.address(in.uleb128()));
                }
                case Dwarf.DW_RLE_startx_length -> {
                    long start = unit.address(in.uleb128());
                    add(start, start + in.uleb128());
                }
                case Dwarf.DW_RLE_offset_pair -> {
                    long start = base + in.uleb128();
                    add(start, base + in.uleb128());
                }
                case Dwarf.DW_RLE_start_end -> {
                    long start = in.unsigned(bytes);
                    add(start, in.unsigned(bytes));
                }
                case Dwarf.DW_RLE_start_length -> {
                    long start = in.unsigned(bytes);
                    add(start, start + in.uleb128());
                }
                default ->
                    throw in.malformed(
                            in.offset() - 1, "range list entry 0x" + Integer.toHexString(kind) + "; expected 0 to 7");
            }
        }
    }
}
