package dev.offsetd.extractor.dwarf.unit;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;

/**
 * The header of one unit (DWARF 5 §7.5.1; of {@code .debug_types} DWARF 4 §7.5.1.2).
 *
 * @param base address of the section that the unit is in, see {@link DieAddress}
 * @param contribution the share of a {@code .dwp} file that it belongs to
 * @param unitOffset where the unit starts: bytes from the start of the section
 * @param end where the next one starts
 * @param version DWARF version, 2 to 5
 * @param unitType {@code DW_UT_*}; {@code DW_UT_compile} before DWARF 5, which had no such field
 * @param offsetSize 4 in the 32-bit format, 8 in the 64-bit format (§7.4)
 * @param addressSize bytes of an address of the target
 * @param abbrevOffset where its abbreviations start in {@code .debug_abbrev}
 * @param typeSignature of a type unit, else 0
 * @param typeDie address of the DIE of the type of a type unit, else 0
 * @param dwoId what a skeleton unit and its split unit share (DWARF 5 §3.1.2), if the header says it, else 0
 * @param firstDie section offset of the unit DIE
 */
public record UnitHeader(
        long base,
        Contribution contribution,
        long unitOffset,
        long end,
        int version,
        int unitType,
        int offsetSize,
        int addressSize,
        long abbrevOffset,
        long typeSignature,
        long typeDie,
        long dwoId,
        long firstDie) {

    /** Nothing states where the addresses of the unit start in {@code .debug_addr}. */
    public static final long NO_BASE = -1;

    /** Largest size of a header: that of a type unit in the 64-bit format. */
    private static final int MAX_BYTES = 40;

    /**
     * Returns where the unit that starts at this section offset ends.
     *
     * @throws MalformedInputException if its length leads nowhere: no unit behind it can be found
     */
    static long end(Section info, long unitOffset) throws MalformedInputException {
        // A cursor over more bytes would wait for the rest of the section to be decompressed.
        ByteCursor in = info.cursor(unitOffset, Math.min(info.size() - unitOffset, MAX_BYTES));
        long length = in.u32();
        if (length == 0xffff_ffffL) {
            length = in.u64();
        } else {
            requireUnreserved(info, unitOffset, length);
        }
        requireLength(info, unitOffset, in.offset(), length);
        return in.offset() + length;
    }

    /**
     * Reads the header of a unit.
     *
     * @param end where the unit {@linkplain #end(Section, long) ends}
     */
    static UnitHeader read(Section info, long unitOffset, long end, long base, Contribution contribution)
            throws ExtractionException {
        ByteCursor in = info.cursor(unitOffset, Integer.BYTES);
        int offsetSize = in.u32() == 0xffff_ffffL ? 8 : 4;
        long contents = unitOffset + (offsetSize == 8 ? 12 : 4);
        long length = end - contents;
        ByteCursor header = info.cursor(contents, Math.min(length, MAX_BYTES));
        int version = header.u16();
        requireVersion(info, contents, version);
        int unitType = Dwarf.DW_UT_compile;
        int addressSize;
        long abbrevOffset;
        if (version >= 5) {
            unitType = header.u8();
            addressSize = header.u8();
            abbrevOffset = header.unsigned(offsetSize);
        } else {
            abbrevOffset = header.unsigned(offsetSize);
            addressSize = header.u8();
        }
        requireAddressSize(info, contents, addressSize);
        long signature = 0;
        long typeDie = 0;
        long dwoId = 0;
        if (DieAddress.isInTypes(base)) {
            unitType = Dwarf.DW_UT_type;
        }
        switch (unitType) {
            case Dwarf.DW_UT_compile, Dwarf.DW_UT_partial -> {}
            case Dwarf.DW_UT_skeleton, Dwarf.DW_UT_split_compile -> dwoId = header.u64();
            case Dwarf.DW_UT_type, Dwarf.DW_UT_split_type -> {
                signature = header.u64();
                long place = header.offset();
                long typeOffset = header.unsigned(offsetSize);
                requireTypeOffset(info, place, typeOffset, contents + length - unitOffset);
                typeDie = base + unitOffset + typeOffset;
            }
            default -> throw unknownType(info, contents + 2, unitType);
        }
        return new UnitHeader(
                base,
                contribution,
                unitOffset,
                contents + length,
                version,
                unitType,
                offsetSize,
                addressSize,
                contribution.abbrev() + abbrevOffset,
                signature,
                typeDie,
                dwoId,
                header.offset());
    }

    private static void requireUnreserved(Section info, long unitOffset, long length) throws MalformedInputException {
        if (length >= 0xffff_fff0L) {
            throw new MalformedInputException(
                    info.name(), unitOffset, "unit_length is the reserved value 0x" + Long.toHexString(length));
        }
    }

    private static void requireVersion(Section info, long place, int version) throws UnsupportedInputException {
        if (version < 2 || version > 5) {
            throw new UnsupportedInputException(
                    info.name(), place, "DWARF version " + version + " is not supported; versions 2 to 5 are");
        }
    }

    private static void requireLength(Section info, long unitOffset, long contents, long length)
            throws MalformedInputException {
        if (length < 0 || length > info.size() - contents) {
            throw new MalformedInputException(
                    info.name(),
                    unitOffset,
                    "unit_length is " + Long.toUnsignedString(length) + ", the section has " + (info.size() - contents)
                            + " bytes left");
        }
    }

    private static UnsupportedInputException unknownType(Section info, long place, int unitType) {
        return new UnsupportedInputException(
                info.name(), place, "unit type 0x" + Integer.toHexString(unitType) + " is unknown");
    }

    private static void requireAddressSize(Section info, long place, int addressSize) throws MalformedInputException {
        if (addressSize != 1 && addressSize != 2 && addressSize != 4 && addressSize != 8) {
            throw new MalformedInputException(
                    info.name(), place, "address_size is " + addressSize + "; expected 1, 2, 4 or 8");
        }
    }

    private static void requireTypeOffset(Section info, long place, long typeOffset, long unitBytes)
            throws MalformedInputException {
        if (typeOffset < 0 || typeOffset >= unitBytes) {
            throw new MalformedInputException(
                    info.name(),
                    place,
                    "type_offset is 0x" + Long.toHexString(typeOffset) + ", the unit has 0x"
                            + Long.toHexString(unitBytes) + " bytes");
        }
    }

    /** Returns the address of its first byte. */
    public long startAddress() {
        return base + unitOffset;
    }

    /** Returns the address of the byte behind it. */
    public long endAddress() {
        return base + end;
    }

    /** Returns whether the DIE at this address is in the unit. */
    boolean holds(long dieAddress) {
        return dieAddress >= startAddress() && dieAddress < endAddress();
    }

    /** Returns the number of the file that it is in, see {@link DieAddress}. */
    public int file() {
        return DieAddress.file(base);
    }

    /**
     * Returns where the addresses of the unit start in {@code .debug_addr}, or {@link #NO_BASE}.
     *
     * @param die the unit DIE
     */
    public long addressBase(DieScratch die) {
        return die.get(Slot.ADDR_BASE, version < 5 ? 0 : NO_BASE);
    }

    /** Address that references to all of {@code .debug_info} count from ({@code DW_FORM_ref_addr}). */
    long referenceBase() {
        return DieAddress.info(file()) + contribution.units();
    }

    /**
     * Returns whether the unit names the file of its split unit; split units name their own file too.
     *
     * @param die the unit DIE
     */
    public boolean isSkeleton(DieScratch die) {
        return die.has(Slot.DWO_NAME) && !isModule(die);
    }

    /**
     * Returns whether the unit stands for a module that clang has compiled to another file ({@code -gmodules}): it names that
     * file as a skeleton does, but no code depends on it. Only a module states its own name as well.
     */
    boolean isModule(DieScratch die) {
        return die.has(Slot.DWO_NAME) && die.has(Slot.NAME) && unitType == Dwarf.DW_UT_compile;
    }

    boolean isTypeUnit() {
        return unitType == Dwarf.DW_UT_type || unitType == Dwarf.DW_UT_split_type;
    }

    /** Returns where {@code .debug_rnglists} is counted from when the unit does not say: behind the header of its share. */
    public long defaultRangeListsBase() {
        return contribution.rangeLists() + (offsetSize == 4 ? 12 : 20);
    }

    /** Returns where the share of {@code .debug_rnglists} starts that the unit belongs to. */
    public long rangeListsStart() {
        return contribution.rangeLists();
    }

    /**
     * Returns where {@code .debug_str_offsets} is counted from when the unit does not say: behind the header of its
     * share. There was no header before DWARF 5.
     */
    long defaultStrOffsetsBase() {
        int header = version < 5 ? 0 : offsetSize == 4 ? 8 : 16;
        return contribution.strOffsets() + header;
    }
}
