package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import org.jspecify.annotations.Nullable;

/**
 * A unit with code, and what its unit DIE says of where the code is. A split unit has most of that from its skeleton (DWARF 5
 * §3.1.3). Immutable.
 */
final class CodeUnit {

    /** The unit states no line program. */
    private static final long NONE = -1;

    private final DwarfUnits dwarf;
    private final Unit unit;
    private final DieScratch root;
    private final @Nullable CodeUnit skeleton;
    private final boolean isSkeleton;
    private final long dwoId;

    private CodeUnit(DwarfUnits dwarf, Unit unit, DieScratch root, boolean isSkeleton, @Nullable CodeUnit skeleton) {
        this.dwarf = dwarf;
        this.unit = unit;
        this.root = root;
        this.isSkeleton = isSkeleton;
        this.skeleton = skeleton;
        this.dwoId = root.get(Slot.DWO_ID, unit.header().dwoId());
    }

    /** Returns the unit, or null if it is none that has code. */
    static @Nullable CodeUnit read(DwarfUnits dwarf, Unit unit) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        Abbreviation root = reader.hasRemaining() ? reader.read() : null;
        if (root == null || (root.tag() != Dwarf.DW_TAG_compile_unit && root.tag() != Dwarf.DW_TAG_skeleton_unit)) {
            return null;
        }
        boolean isSkeleton = unit.header().file() == 0 && unit.header().isSkeleton(reader.die);
        return new CodeUnit(dwarf, unit, reader.die, isSkeleton, null);
    }

    /** Returns the same unit, of a split file, with its skeleton. */
    CodeUnit of(CodeUnit other) {
        return new CodeUnit(dwarf, unit, root, false, other);
    }

    Unit unit() {
        return unit;
    }

    /** Returns whether the DIEs of the unit are in another file. */
    boolean isSkeleton() {
        return isSkeleton;
    }

    boolean isSplit() {
        return unit.header().file() > 0;
    }

    /** Returns what a split unit and its skeleton have in common. */
    long dwoId() {
        return dwoId;
    }

    /** Returns the unit of the linked file: the skeleton of a split unit, or else this one. */
    CodeUnit linked() {
        return skeleton == null ? this : skeleton;
    }

    /** Returns the attributes of the unit DIE of the linked file. */
    DieScratch root() {
        return linked().root;
    }

    boolean hasLines() {
        return root().has(Slot.LINE_PROGRAM);
    }

    /** Returns where the line program starts. */
    long lineProgram() {
        return root().get(Slot.LINE_PROGRAM, NONE);
    }

    private boolean statesRanges() {
        return root().has(Slot.RANGES)
                || root().has(Slot.RANGES_INDEX)
                || root().has(Slot.HIGH_PC)
                || root().has(Slot.HIGH_PC_ADDRESS)
                || root().has(Slot.HIGH_PC_INDEX);
    }

    /**
     * Returns where the unit DIE states that the code is; null if it states nothing, or its ranges have a fault. Valid until
     * the next call.
     */
    @Nullable
    AddressRanges statedCode(RangeReader ranges) throws LimitExceededException {
        try {
            return statesRanges() ? ranges.of(root(), linked()) : null;
        } catch (LimitExceededException e) {
            throw e;
        } catch (ExtractionException unreadable) {
            return null;
        }
    }

    /** Returns whether the unit has no other code: DWARF 2 has no ranges, so its units state the place of one section alone. */
    boolean statesAllCode() {
        return linked().unit.header().version() > 2 || root().has(Slot.RANGES);
    }

    /** Charges heap memory to the unit. */
    void keep(long heapBytes) throws LimitExceededException {
        dwarf.keep(heapBytes, unit.header().startAddress());
    }

    /** Returns the folder of the compilation; empty if unknown, or too long for a path. */
    String folder() {
        long place = linked().unit.folder();
        Unit owner = linked().unit;
        if (place == NameRef.NONE) {
            place = unit.folder();
            owner = unit;
        }
        try {
            return place == NameRef.NONE ? "" : dwarf.names().text(place, owner, LineHeader.MAX_PATH);
        } catch (ExtractionException unreadable) {
            return "";
        }
    }

    /** Returns the address that ranges count from at first. */
    long base() throws ExtractionException {
        DieScratch die = root();
        return die.has(Slot.LOW_PC)
                ? die.get(Slot.LOW_PC)
                : die.has(Slot.LOW_PC_INDEX) ? address(die.get(Slot.LOW_PC_INDEX)) : 0;
    }

    /** Returns the address of this index in {@code .debug_addr}. */
    long address(long index) throws ExtractionException {
        Section addresses = dwarf.addresses();
        int bytes = unit.header().addressSize();
        long base = linked().unit.header().addressBase(root());
        if (base < 0 || index < 0 || index >= addresses.size() / bytes) {
            throw new MalformedInputException(
                    addresses.name(),
                    Math.max(base, 0),
                    "address index " + Long.toUnsignedString(index) + ", the section has " + addresses.size()
                            + " bytes");
        }
        return addresses.cursor(base + index * bytes, bytes).unsigned(bytes);
    }

    /** Returns what offsets into {@code .debug_ranges} count from. */
    long rangesBase() {
        return skeleton == null ? 0 : skeleton.root.get(Slot.RANGES_BASE, 0);
    }

    /** Returns where the list of ranges of this index starts in {@code .debug_rnglists} of the unit's file. */
    long rangeList(long index, Section lists) throws ExtractionException {
        long base = root.get(Slot.RANGE_LISTS_BASE, unit.header().defaultRangeListsBase());
        int bytes = unit.header().offsetSize();
        if (index < 0 || index >= lists.size() / bytes) {
            throw new MalformedInputException(
                    lists.name(), Math.max(base, 0), "range list index " + Long.toUnsignedString(index));
        }
        ByteCursor in = lists.cursor(base + index * bytes, bytes);
        return base + in.unsigned(bytes);
    }
}
