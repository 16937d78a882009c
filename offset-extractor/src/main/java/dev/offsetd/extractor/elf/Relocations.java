package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.lang.foreign.MemorySegment;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;

/**
 * Applies the relocations of a debug section of a relocatable file (gABI, "Relocation"; the types are each processor's
 * supplement's). In such a file the offsets from one debug section into another stand in the relocation table. Sections
 * are taken to start at address 0, as they do there.
 */
final class Relocations {

    private static final ValueLayout.OfInt INT = ValueLayout.JAVA_INT_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);
    private static final ValueLayout.OfLong LONG = ValueLayout.JAVA_LONG_UNALIGNED.withOrder(ByteOrder.LITTLE_ENDIAN);

    private static final int EM_MIPS = 8;
    private static final int SHN_LORESERVE = 0xff00;

    private final int machine;
    private final RelocationTypes types;
    private final int bits;
    private final Section symbols;
    private final long[] startsOfSections;

    /**
     * @param machine {@code e_machine}
     * @param symbols the symbol table that the relocations refer to
     * @param startsOfSections where each section starts, by its index
     */
    Relocations(int machine, int bits, Section symbols, long[] startsOfSections) {
        this.machine = machine;
        this.types = RelocationTypes.of(machine);
        this.bits = bits;
        this.symbols = symbols;
        this.startsOfSections = startsOfSections;
    }

    /**
     * Applies a table to the contents of its section, which are changed.
     *
     * @param explicitAddends whether entries carry their addend ({@code SHT_RELA}); else it is in the place itself
     * @throws MalformedInputException if an entry lies outside the section, or names a symbol outside the table
     * @throws UnsupportedInputException if an entry is of a type that is not known here
     */
    void apply(Section table, boolean explicitAddends, Section contents) throws ExtractionException {
        int word = bits / 8;
        int entrySize = word * (explicitAddends ? 3 : 2);
        boolean bigEndian = contents.byteOrder() == ByteOrder.BIG_ENDIAN;
        for (long at = 0; at < table.size(); at += entrySize) {
            ByteCursor in = table.cursor(at, entrySize);
            long offset = in.unsigned(word);
            long info = in.unsigned(word);
            if (machine == EM_MIPS && bits == 64 && !bigEndian) {
                // 64-bit MIPS splits r_info: the symbol in the file's byte order, then four bytes, the type last.
                info = (info << 32) | Integer.toUnsignedLong(Integer.reverseBytes((int) (info >>> 32)));
            }
            long symbol = bits == 64 ? info >>> 32 : info >>> 8;
            int type = (int) (bits == 64 ? info & 0xffff_ffffL : info & 0xff);
            int width = types.width(type, bits);
            if (width == RelocationTypes.NOTHING) {
                continue;
            }
            if (width == RelocationTypes.UNKNOWN) {
                throw new UnsupportedInputException(
                        contents.name(),
                        offset,
                        "relocation type " + type + " of machine " + machine + " (" + HostileText.quote(table.name())
                                + ") is not supported; link the file first");
            }
            ByteCursor place = contents.cursor(offset, width);
            long addend = explicitAddends ? signed(in.unsigned(word)) : 0;
            if (!explicitAddends || types.addsToPlace()) {
                addend += signed(place.unsigned(width), width);
            }
            write(contents.bytes(), offset, width, symbolValue(symbol) + addend, bigEndian);
        }
    }

    private long signed(long value) {
        return bits == 64 ? value : (int) value;
    }

    private static long signed(long value, int width) {
        return width == 8 ? value : (int) value;
    }

    private static void write(MemorySegment bytes, long offset, int width, long value, boolean bigEndian) {
        if (width == 8) {
            bytes.set(LONG, offset, bigEndian ? Long.reverseBytes(value) : value);
        } else {
            bytes.set(INT, offset, bigEndian ? Integer.reverseBytes((int) value) : (int) value);
        }
    }

    /** {@code st_value} of a symbol, from where its section starts. */
    private long symbolValue(long index) throws MalformedInputException {
        int entrySize = bits == 64 ? 24 : 16;
        if (index < 0 || index >= symbols.size() / entrySize) {
            throw new MalformedInputException(
                    symbols.name(),
                    ExtractionException.NO_OFFSET,
                    "reference to symbol " + index + " of " + symbols.size() / entrySize);
        }
        ByteCursor in = symbols.cursor(index * entrySize, entrySize);
        long value;
        int section;
        if (bits == 64) {
            in.skip(6);
            section = in.u16();
            value = in.u64();
        } else {
            in.skip(4);
            value = in.u32();
            in.skip(6);
            section = in.u16();
        }
        // Special indexes, such as that of absolute symbols, are past every section that a 16-bit field can name.
        return section < Math.min(startsOfSections.length, SHN_LORESERVE) ? startsOfSections[section] + value : value;
    }
}
