package dev.offsetd.extractor.go;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Header of {@code .gopclntab}. All places are addresses.
 *
 * @param quantum bytes that addresses of instructions are a multiple of
 * @param count number of functions
 * @param list entries of the list of functions: the address of the code, and where the struct is
 * @param functions base of the structs of functions
 * @param names base of the names of functions
 * @param unitFiles numbers of files by unit; without units, offsets of files by number
 * @param files base of the paths
 * @param tables base of the tables of functions
 * @param inlineTree number of the data of a function that is its tree of inlined calls
 */
record LineTableHeader(
        Format format,
        int quantum,
        long count,
        long list,
        long functions,
        long names,
        long unitFiles,
        long files,
        long tables,
        int inlineTree) {

    /** Layout of the table, which its magic number tells. */
    enum Format {
        /** Go 1.2 to 1.15: addresses, and one list of files. */
        ADDRESSES(0xffff_fffbL, 32),
        /** Go 1.16 and 1.17: with files by unit. */
        UNITS(0xffff_fffaL, 36),
        /** Go 1.18 and 1.19: with offsets of 32 bits instead of addresses. */
        OFFSETS(0xffff_fff0L, 36),
        /** From Go 1.20 on: with the lines where functions start, and without parts of inlined calls. */
        START_LINES(0xffff_fff1L, 40);

        private final long magic;

        /** Bytes of the struct of a function up to its tables, without the start of its code. */
        private final int functionBytes;

        Format(long magic, int functionBytes) {
            this.magic = magic;
            this.functionBytes = functionBytes;
        }

        boolean hasUnits() {
            return this != ADDRESSES;
        }

        boolean hasOffsets() {
            return compareTo(OFFSETS) >= 0;
        }

        boolean hasStartLine() {
            return this == START_LINES;
        }

        /** Returns the size of a field of the list of functions, which is that of the first field of their structs, too. */
        int listFieldBytes(int word) {
            return hasOffsets() ? 4 : word;
        }

        /** Returns the size of the struct of a function up to its tables. */
        int functionBytes(int word) {
            return listFieldBytes(word) + functionBytes;
        }
    }

    /** Magic, 0, 0, and the sizes of an instruction and of an address. */
    static final int START_BYTES = 8;

    private static final int QUANTUM = 6;

    private static final List<Format> FORMATS = List.of(Format.values());
    private static final Set<Integer> QUANTUMS = Set.of(1, 2, 4);
    private static final int WORDS = 8;

    /** First minor version whose functions have their tree of inlined calls in the place that is read. */
    private static final int INLINE_TREE_MINOR = 12;

    private static final int INLINE_TREE_OF_ADDRESSES = 4;
    private static final int INLINE_TREE = 3;

    private static final int MAX_DATA = 256;

    /** Returns the layout of the table that starts here, or empty if none that is known does. */
    static Optional<Format> format(ByteCursor in, int word) throws ExtractionException {
        long magic = in.u32();
        for (Format format : FORMATS) {
            if (format.magic == magic) {
                boolean valid = in.u16() == 0 && QUANTUMS.contains(in.u8()) && in.u8() == word;
                return valid ? Optional.of(format) : Optional.empty();
            }
        }
        return Optional.empty();
    }

    /** @throws UnsupportedInputException if the program has no table, or one in a layout that is not known */
    static LineTableHeader read(GoProgram program, Memory memory) throws ExtractionException {
        long table = program.lineTable();
        if (table == 0) {
            throw unsupported("the program of Go " + HostileText.quote(program.version()) + " has no .gopclntab");
        }
        int word = memory.wordBytes();
        Optional<Format> known = format(memory.at(table, START_BYTES), word);
        if (known.isEmpty()) {
            ByteCursor in = memory.at(table, START_BYTES);
            throw unsupported("the line table of Go " + HostileText.quote(program.version()) + " starts with 0x"
                    + Long.toHexString(in.u32()) + ", 0x" + Long.toHexString(in.u32())
                    + "; expected the magic number of Go 1.2, 1.16, 1.18 or 1.20");
        }
        Format format = known.get();
        int quantum = memory.at(table + QUANTUM, 1).u8();
        long places = table + START_BYTES;
        long count = memory.at(places, word).unsigned(word);
        if (count < 0 || count > program.loadedAt(table).size() / (2L * format.listFieldBytes(word))) {
            throw memory.malformed(table, "a line table of " + Long.toUnsignedString(count) + " functions");
        }
        if (format == Format.ADDRESSES) {
            long list = places + word;
            long unitFiles = table + memory.at(list + (2 * count + 1) * word, 4).u32();
            boolean hasTree = ModuleData.minor(program.version()) >= INLINE_TREE_MINOR;
            return new LineTableHeader(
                    format,
                    quantum,
                    count,
                    list,
                    table,
                    table,
                    unitFiles,
                    table,
                    table,
                    hasTree ? INLINE_TREE_OF_ADDRESSES : MAX_DATA);
        }
        ByteCursor words = memory.at(places, (long) WORDS * word);
        words.skip((format.hasOffsets() ? 3L : 2L) * word);
        long names = table + words.unsigned(word);
        long unitFiles = table + words.unsigned(word);
        long files = table + words.unsigned(word);
        long tables = table + words.unsigned(word);
        long list = table + words.unsigned(word);
        return new LineTableHeader(format, quantum, count, list, list, names, unitFiles, files, tables, INLINE_TREE);
    }

    private static UnsupportedInputException unsupported(String message) {
        return new UnsupportedInputException(".gopclntab", ExtractionException.NO_OFFSET, message);
    }
}
