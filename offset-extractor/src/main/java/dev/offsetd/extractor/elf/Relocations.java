package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.elf.RelocationTypes.Operation;
import dev.offsetd.extractor.input.Deadline;
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

    /** A number of 64 bits takes no more in ULEB128. */
    private static final int MAX_LEB_BYTES = 10;

    private final int machine;
    private final RelocationTypes types;
    private final int bits;
    private final Section symbols;
    private final Section extendedIndexes;
    private final long[] startsOfSections;

    /**
     * @param machine {@code e_machine}
     * @param symbols the symbol table that the relocations refer to
     * @param extendedIndexes the section indexes of symbols that have no room for them
     * @param startsOfSections where each section starts, by its index
     */
    Relocations(int machine, int bits, Section symbols, Section extendedIndexes, long[] startsOfSections) {
        this.machine = machine;
        this.types = RelocationTypes.of(machine);
        this.bits = bits;
        this.symbols = symbols;
        this.extendedIndexes = extendedIndexes;
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
            Deadline.checkCurrent(at / entrySize);
            ByteCursor in = table.cursor(at, entrySize);
            long offset = in.unsigned(word);
            long info = in.unsigned(word);
            if (machine == EM_MIPS && bits == 64 && !bigEndian) {
                // 64-bit MIPS splits r_info: the symbol in the file's byte order, then four bytes, the type last.
                info = (info << 32) | Integer.toUnsignedLong(Integer.reverseBytes((int) (info >>> 32)));
            }
            long symbol = bits == 64 ? info >>> 32 : info >>> 8;
            int type = (int) (bits == 64 ? info & 0xffff_ffffL : info & 0xff);
            RelocationTypes.Effect effect = types.effect(type, bits);
            if (effect == null) {
                throw new UnsupportedInputException(
                        contents.name(),
                        offset,
                        "relocation type " + type + " of machine " + machine + " (" + HostileText.quote(table.name())
                                + ") is not supported; link the file first");
            }
            if (effect.operation() == Operation.NOTHING) {
                continue;
            }
            boolean leb = effect.bytes() == RelocationTypes.Effect.LEB;
            int width = leb ? lebBytes(contents, offset) : effect.bytes();
            long before = leb
                    ? contents.cursor(offset, width).uleb128()
                    : contents.cursor(offset, width).unsigned(width);
            long addend = explicitAddends ? signed(in.unsigned(word)) : 0;
            if (!explicitAddends || types.addsToPlace()) {
                addend += signed(before, width);
            }
            long value = symbolValue(symbol) + addend;
            value = switch (effect.operation()) {
                case ADD -> before + value;
                case SUBTRACT -> before - value;
                default -> value;
            };
            if (leb) {
                writeLeb(contents.bytes(), offset, width, value);
            } else {
                write(contents.bytes(), offset, width, value, bigEndian);
            }
        }
    }

    /** Returns how many bytes a number in ULEB128 takes. */
    private static int lebBytes(Section contents, long offset) throws MalformedInputException {
        long left = contents.size() - Math.clamp(offset, 0, contents.size());
        ByteCursor in = contents.cursor(offset, Math.min(left, MAX_LEB_BYTES));
        in.skipLeb128();
        return (int) (in.offset() - offset);
    }

    /** Writes the low bits of a value, and no more bytes than are there. */
    private static void writeLeb(MemorySegment bytes, long offset, int width, long value) {
        for (int i = 0; i < width; i++) {
            long low = i * 7 < Long.SIZE ? value >>> (i * 7) : 0;
            bytes.set(ValueLayout.JAVA_BYTE, offset + i, (byte) ((low & 0x7f) | (i + 1 < width ? 0x80 : 0)));
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
        } else if (width == 4) {
            bytes.set(INT, offset, bigEndian ? Integer.reverseBytes((int) value) : (int) value);
        } else {
            for (int i = 0; i < width; i++) {
                long shown = value >>> (Byte.SIZE * (bigEndian ? width - 1 - i : i));
                bytes.set(ValueLayout.JAVA_BYTE, offset + i, (byte) shown);
            }
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
        long section;
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
        if (section == SectionHeaders.SHN_XINDEX && 4 * (index + 1) <= extendedIndexes.size()) {
            section = extendedIndexes.cursor(4 * index, 4).u32();
        } else if (section >= SectionHeaders.SHN_LORESERVE) {
            // Absolute symbols and others that are in no section.
            return value;
        }
        return section < startsOfSections.length ? startsOfSections[(int) section] + value : value;
    }
}
