package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.Arrays;

/** Reads the functions of a unit, those that are inlined into them, and their ranges. Holds the last unit. Not thread-safe. */
final class ScopeReader {

    static final int NONE = FrameRange.NONE;

    /** Number in place of a scope: the function around the DIE was left out, with all that it contains. */
    private static final int LEFT_OUT = -2;

    /** Heap of a scope with its numbers while the ranges are written, and of a range with what it takes to find those that count. */
    private static final int SCOPE_BYTES = 48;

    private static final int RANGE_BYTES = 100;

    private final DwarfUnits dwarf;
    private final RangeReader ranges;
    private final MemoryAccount account;

    /** The function that a scope has its names from. */
    private long[] functionDies = new long[64];

    /** Parent, and file, line, column and discriminator of the call. */
    private int[] numbers = new int[64 * INTS];

    private static final int INTS = 5;

    private int count;
    private Overlay overlay = new Overlay();

    /** The number of scopes, and of their ranges, that are complete: all but the function whose DIEs are being read. */
    private int completeScopes;

    private int completeRanges;

    /** Depth of the DIE of the last function. */
    private int depthOfLast;

    /** Scopes of the ranges in the overlay. */
    private int[] scopesOfRanges = new int[64];

    /** The innermost scope around the DIEs of each depth. */
    private int[] around = new int[32];

    /** @param ranges reads the ranges of DIEs */
    ScopeReader(DwarfUnits dwarf, RangeReader ranges, MemoryAccount account) {
        this.dwarf = dwarf;
        this.ranges = ranges;
        this.account = account;
    }

    /**
     * Reads a unit. If it has a fault, the functions that end before the fault stay: all that is inlined into them is known.
     */
    void read(CodeUnit unit) throws ExtractionException {
        count = 0;
        overlay = new Overlay();
        depthOfLast = 0;
        complete();
        try {
            readDies(unit);
        } catch (ExtractionException e) {
            leaveOutIncomplete();
            throw e;
        }
    }

    private void complete() {
        completeScopes = count;
        completeRanges = overlay.count();
    }

    private void leaveOutIncomplete() {
        count = completeScopes;
        overlay.truncate(completeRanges);
    }

    private void readDies(CodeUnit unit) throws ExtractionException {
        DieReader reader = dwarf.reader(unit.unit());
        Abbreviation root = reader.read();
        if (root == null || !root.hasChildren()) {
            return;
        }
        boolean c = unit.unit().language().family() == Family.C;
        around[0] = NONE;
        int depth = 0;
        while (depth >= 0 && reader.hasRemaining()) {
            long dieAddress = reader.address();
            Abbreviation abbreviation = reader.next();
            if (abbreviation == null) {
                depth--;
                if (depth <= depthOfLast) {
                    complete();
                }
                continue;
            }
            int tag = abbreviation.tag();
            int scope = around[depth];
            if (tag == Dwarf.DW_TAG_subprogram || tag == Dwarf.DW_TAG_inlined_subroutine) {
                if (scope == NONE) {
                    complete();
                    depthOfLast = depth;
                }
                reader.capture(abbreviation);
                scope = scope == LEFT_OUT ? LEFT_OUT : noteIfReadable(dieAddress, tag, reader, unit, scope);
                if (scope == LEFT_OUT) {
                    Arrays.fill(around, depthOfLast + 1, Math.max(depthOfLast, depth) + 1, LEFT_OUT);
                }
            } else if (hasNoCode(tag, c)) {
                reader.pass(abbreviation);
                continue;
            } else {
                reader.passAttributes(abbreviation);
            }
            if (abbreviation.hasChildren()) {
                depth = enter(depth, scope, dieAddress);
            } else if (depth <= depthOfLast) {
                complete();
            }
        }
    }

    /** Functions of C are in no type, and nothing is in what describes an array or a call. */
    private static boolean hasNoCode(int tag, boolean c) {
        return tag == Dwarf.DW_TAG_enumeration_type
                || tag == Dwarf.DW_TAG_array_type
                || tag == Dwarf.DW_TAG_subroutine_type
                || tag == Dwarf.DW_TAG_call_site
                || tag == Dwarf.DW_TAG_GNU_call_site
                || (c && Dwarf.isAggregate(tag));
    }

    private int enter(int depth, int scope, long dieAddress) throws LimitExceededException {
        int inside = depth + 1;
        if (inside > dwarf.limits().maxDieDepth()) {
            throw dwarf.exceeded(
                    dieAddress, "maxDieDepth", dwarf.limits().maxDieDepth(), "a DIE is nested " + inside + " deep");
        }
        if (inside == around.length) {
            around = Arrays.copyOf(around, inside * 2);
        }
        around[inside] = scope;
        return inside;
    }

    /**
     * Notes a function as {@link #note} does. If its ranges are unreadable, the function that it is inlined into is left out,
     * because nothing tells which of its code is inlined.
     */
    private int noteIfReadable(long dieAddress, int tag, DieReader reader, CodeUnit unit, int outer)
            throws LimitExceededException {
        try {
            return note(dieAddress, tag, reader, unit, outer);
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, unit.unit().header().startAddress(), e);
            leaveOutIncomplete();
            return LEFT_OUT;
        }
    }

    /** Notes a function with its ranges, if it has any or something in it may. */
    private int note(long dieAddress, int tag, DieReader reader, CodeUnit unit, int outer) throws ExtractionException {
        boolean inlined = tag == Dwarf.DW_TAG_inlined_subroutine;
        AddressRanges found = ranges.of(reader.die, unit);
        if (found.count() == 0 && !inlined) {
            // Functions in a declaration or an abstract instance are on their own.
            return NONE;
        }
        if (count == functionDies.length) {
            account.addBytes((long) SCOPE_BYTES * count, dieAddress);
            functionDies = Arrays.copyOf(functionDies, count * 2);
            numbers = Arrays.copyOf(numbers, count * 2 * INTS);
        }
        dwarf.requireEntries(count, "functions", dieAddress);
        long originDie = reader.die.get(Slot.ORIGIN, 0);
        functionDies[count] = originDie > 0 && !reader.die.has(Slot.NAME) && !reader.die.has(Slot.LINKAGE_NAME)
                ? originDie
                : dieAddress;
        int at = count * INTS;
        numbers[at] = inlined ? outer : NONE;
        numbers[at + 1] = inlined ? number(reader, Slot.CALL_FILE, NONE) : NONE;
        numbers[at + 2] = inlined ? number(reader, Slot.CALL_LINE, 0) : 0;
        numbers[at + 3] = inlined ? number(reader, Slot.CALL_COLUMN, 0) : 0;
        numbers[at + 4] = inlined ? number(reader, Slot.DISCRIMINATOR, 0) : 0;
        for (int i = 0; i < found.count(); i++) {
            if (overlay.count() == scopesOfRanges.length) {
                account.addBytes((long) RANGE_BYTES * overlay.count(), dieAddress);
                scopesOfRanges = Arrays.copyOf(scopesOfRanges, overlay.count() * 2);
            }
            scopesOfRanges[overlay.count()] = count;
            overlay.add(found.start(i), found.end(i));
            dwarf.requireEntries(overlay.count(), "ranges of functions", dieAddress);
        }
        return count++;
    }

    private static int number(DieReader reader, int slot, int none) {
        long value = reader.die.get(slot, none);
        return value < 0 || value > Integer.MAX_VALUE ? none : (int) value;
    }

    int count() {
        return count;
    }

    /** Returns the address of the function that a scope has its names from. */
    long functionDie(int scope) {
        return functionDies[scope];
    }

    /** Returns the scope that this one is inlined into, or {@link #NONE}. */
    int parent(int scope) {
        return numbers[scope * INTS];
    }

    int callFile(int scope) {
        return numbers[scope * INTS + 1];
    }

    int callLine(int scope) {
        return numbers[scope * INTS + 2];
    }

    int callColumn(int scope) {
        return numbers[scope * INTS + 3];
    }

    int callDiscriminator(int scope) {
        return numbers[scope * INTS + 4];
    }

    /** Returns which scope each address is in. */
    Overlay.Parts parts() {
        return overlay.parts();
    }

    /** Returns the scope of a part. */
    int scope(Overlay.Parts parts, int part) {
        return scopesOfRanges[parts.range(part)];
    }
}
