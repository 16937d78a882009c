package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.Arrays;
import org.jspecify.annotations.Nullable;

/** The header of a line program (DWARF 5 §6.2.4; before version 5 DWARF 4 §6.2.4), with its table of files. */
final class LineHeader {

    /** Linux opens no longer path. */
    static final int MAX_PATH = 4096;

    private static final int FIRST_VERSION = 2;
    private static final int LAST_VERSION = 5;

    /** Heap of a folder and of a file, with the smaller arrays that they are copied from when a table grows. */
    private static final int FOLDER_BYTES = 12;

    private static final int FILE_BYTES = 20;

    private static final int ENTRIES_BETWEEN_CHECKS = 1 << 14;

    /** Codes from this one on state the lengths of the operands; special opcodes follow. */
    private final int opcodeBase;

    private final Section section;
    private final DwarfUnits dwarf;
    private final Unit unit;
    private final String folder;
    private final int version;
    private final int offsetSize;
    private final int minimumInstructionBytes;
    private final int operationsPerInstruction;
    private final int lineBase;
    private final int lineRange;
    private final int[] operandCounts;
    private final long start;
    private final long program;
    private final long end;

    /** Cursor at the tables of folders and files. */
    private final ByteCursor tables;

    private final MemoryAccount account;

    /** Places of names: in another section a {@link NameRef}, in this one the complement of the offset. */
    private long[] folders = new long[16];

    private int folderCount;
    private long[] names = new long[32];
    private int[] foldersOfFiles = new int[32];
    private int fileCount;

    /**
     * Reads the header of the line program of a unit up to the tables, which {@link #readTables} reads.
     *
     * @param folder that the unit was compiled in; empty if unknown
     * @param account charged with the tables
     */
    LineHeader(DwarfUnits dwarf, Unit unit, long offset, String folder, MemoryAccount account)
            throws ExtractionException {
        this.dwarf = dwarf;
        this.account = account;
        this.start = offset;
        this.unit = unit;
        this.folder = folder;
        this.section = dwarf.code(0).line();
        ByteCursor in = section.cursor(offset, section.size() - Math.min(offset, section.size()));
        long length = in.u32();
        offsetSize = length == 0xffff_ffffL ? 8 : 4;
        length = offsetSize == 8 ? in.u64() : length;
        if (length < 0 || length > section.size() - in.offset()) {
            throw malformed(
                    offset,
                    "unit_length is " + Long.toUnsignedString(length) + ", the section has "
                            + (section.size() - in.offset()) + " bytes left");
        }
        end = in.offset() + length;
        in = section.cursor(in.offset(), length);
        version = in.u16();
        if (version < FIRST_VERSION || version > LAST_VERSION) {
            throw new UnsupportedInputException(
                    section.name(), offset, "line programs of version " + version + " are not supported; 2 to 5 are");
        }
        if (version >= 5) {
            in.skip(2);
        }
        long headerLength = in.unsigned(offsetSize);
        program = in.offset() + headerLength;
        if (headerLength < 0 || headerLength > end - in.offset()) {
            throw malformed(
                    offset, "header_length is " + Long.toUnsignedString(headerLength) + ", the unit ends before");
        }
        in = section.cursor(in.offset(), headerLength);
        minimumInstructionBytes = in.u8();
        operationsPerInstruction = version >= 4 ? Math.max(1, in.u8()) : 1;
        in.skip(1);
        lineBase = (byte) in.u8();
        lineRange = in.u8();
        opcodeBase = in.u8();
        operandCounts = new int[Math.max(1, opcodeBase)];
        for (int i = 1; i < opcodeBase; i++) {
            operandCounts[i] = in.u8();
        }
        tables = in;
    }

    /** Reads the tables of folders and files. */
    void readTables() throws ExtractionException {
        if (version >= 5) {
            readTable(tables, true);
            readTable(tables, false);
        } else {
            readOldTables(tables);
        }
    }

    private MalformedInputException malformed(long offset, String problem) {
        return new MalformedInputException(section.name(), offset, problem);
    }

    private void readOldTables(ByteCursor in) throws ExtractionException {
        for (long place = in.offset(); in.u8() != 0; place = in.offset()) {
            in.skipString();
            addFolder(~place);
        }
        for (long place = in.offset(); in.u8() != 0; place = in.offset()) {
            in.seek(place);
            addFile(in);
        }
    }

    /** Adds a file whose entry is at the cursor: in the table, or from {@code DW_LNE_define_file}. */
    void addFile(ByteCursor in) throws ExtractionException {
        long place = in.offset();
        in.skipString();
        long inFolder = in.uleb128();
        in.skipLeb128();
        in.skipLeb128();
        addFile(~place, inFolder);
    }

    private void addFolder(long name) throws LimitExceededException {
        requireMore(folderCount, "folders of a line program");
        if (folderCount == folders.length) {
            account.addBytes((long) FOLDER_BYTES * folderCount, unit.header().startAddress());
            folders = Arrays.copyOf(folders, folderCount * 2);
        }
        folders[folderCount++] = name;
    }

    private void addFile(long name, long inFolder) throws LimitExceededException {
        requireMore(fileCount, "files of a line program");
        if (fileCount == names.length) {
            account.addBytes((long) FILE_BYTES * fileCount, unit.header().startAddress());
            names = Arrays.copyOf(names, fileCount * 2);
            foldersOfFiles = Arrays.copyOf(foldersOfFiles, fileCount * 2);
        }
        names[fileCount] = name;
        foldersOfFiles[fileCount++] = inFolder < 0 || inFolder > Integer.MAX_VALUE ? -1 : (int) inFolder;
    }

    /** Checks that a table may have one more entry: a byte of the file suffices for one. */
    private void requireMore(int entries, String what) throws LimitExceededException {
        if (entries % ENTRIES_BETWEEN_CHECKS == 0) {
            dwarf.deadline().check(section.name());
        }
        dwarf.requireEntries(entries + 1L, what, unit.header().startAddress());
    }

    /** Reads the folders or the files as DWARF 5 has them: a description of the entries, and the entries. */
    private void readTable(ByteCursor in, boolean isOfFolders) throws ExtractionException {
        int columns = in.u8();
        long[] types = new long[columns];
        long[] forms = new long[columns];
        for (int i = 0; i < columns; i++) {
            types[i] = in.uleb128();
            forms[i] = in.uleb128();
        }
        long place = in.offset();
        long count = in.uleb128();
        // Each form takes a byte at least, so the table bounds the number of entries that have any.
        if (count < 0 || (count > 0 && (columns == 0 || count > in.end() - in.offset()))) {
            throw malformed(
                    place,
                    Long.toUnsignedString(count) + " entries of " + columns + " forms in " + (in.end() - in.offset())
                            + " bytes");
        }
        for (long entry = 0; entry < count; entry++) {
            long name = NameRef.NONE;
            long inFolder = 0;
            for (int i = 0; i < columns; i++) {
                if (types[i] == Dwarf.DW_LNCT_path) {
                    name = readName(in, forms[i]);
                } else {
                    long value = readNumber(in, forms[i]);
                    inFolder = types[i] == Dwarf.DW_LNCT_directory_index ? value : inFolder;
                }
            }
            if (isOfFolders) {
                addFolder(name);
            } else {
                addFile(name, inFolder);
            }
        }
    }

    private long readName(ByteCursor in, long form) throws ExtractionException {
        int file = NameRef.inFile(0);
        return switch (Dwarf.narrowed(form)) {
            case Dwarf.DW_FORM_string -> {
                long place = in.offset();
                in.skipString();
                yield ~place;
            }
            case Dwarf.DW_FORM_line_strp -> NameRef.of(NameRef.LINE_STR | file, in.unsigned(offsetSize));
            case Dwarf.DW_FORM_strp -> NameRef.of(NameRef.STR | file, in.unsigned(offsetSize));
            case Dwarf.DW_FORM_strp_sup ->
                NameRef.of(NameRef.STR | NameRef.inFile(dwarf.supplementaryFile()), in.unsigned(offsetSize));
            case Dwarf.DW_FORM_strx -> NameRef.of(NameRef.INDEX | file, in.uleb128());
            case Dwarf.DW_FORM_strx1, Dwarf.DW_FORM_strx2, Dwarf.DW_FORM_strx3, Dwarf.DW_FORM_strx4 ->
                NameRef.of(NameRef.INDEX | file, in.unsigned((int) form - Dwarf.DW_FORM_strx1 + 1));
            default -> throw unknownForm(in, form);
        };
    }

    /** Reads a number, or passes over a value that is none. */
    private long readNumber(ByteCursor in, long form) throws ExtractionException {
        switch (Dwarf.narrowed(form)) {
            case Dwarf.DW_FORM_udata -> {
                return in.uleb128();
            }
            case Dwarf.DW_FORM_data1 -> {
                return in.u8();
            }
            case Dwarf.DW_FORM_data2 -> {
                return in.u16();
            }
            case Dwarf.DW_FORM_data4 -> {
                return in.u32();
            }
            case Dwarf.DW_FORM_data8 -> {
                return in.u64();
            }
            case Dwarf.DW_FORM_data16 -> in.skip(16);
            case Dwarf.DW_FORM_block -> in.skip(in.uleb128());
            default -> readName(in, form);
        }
        return 0;
    }

    private UnsupportedInputException unknownForm(ByteCursor in, long form) {
        return new UnsupportedInputException(
                section.name(), in.offset(), "form 0x" + Long.toHexString(form) + " in a table of files");
    }

    /** Returns the path of a file; null if there is none of this number, or its name is too long or cannot be read. */
    @Nullable
    String path(long file) {
        long index = version >= 5 ? file : file - 1;
        if (index < 0 || index >= fileCount) {
            return null;
        }
        try {
            String name = text(names[(int) index]);
            if (name.isEmpty() || isAbsolute(name)) {
                return name.isEmpty() ? null : name;
            }
            String parent = folderOf(foldersOfFiles[(int) index]);
            return parent.length() + name.length() > MAX_PATH ? null : joined(parent, name);
        } catch (ExtractionException unreadable) {
            return null;
        }
    }

    /** Returns the path of a folder, as other readers do that of the compilation if there is none of this number. */
    private String folderOf(int number) throws ExtractionException {
        int index = version >= 5 ? number : number - 1;
        String inTable = index >= 0 && index < folderCount ? text(folders[index]) : "";
        // Folder 0 is that of the compilation, which version 5 has in the table.
        return isAbsolute(inTable) || (version >= 5 && number == 0 && !inTable.isEmpty())
                ? inTable
                : joined(folder, inTable);
    }

    private String text(long name) throws ExtractionException {
        if (name == NameRef.NONE) {
            return "";
        }
        return name < 0 ? section.string(~name, MAX_PATH) : dwarf.names().text(name, unit, MAX_PATH);
    }

    private static boolean isAbsolute(String path) {
        return path.startsWith("/");
    }

    private static String joined(String parent, String path) {
        return parent.isEmpty() || path.isEmpty() ? parent + path : parent + (parent.endsWith("/") ? "" : "/") + path;
    }

    int opcodeBase() {
        return opcodeBase;
    }

    /** Returns how many numbers follow a standard opcode. */
    int operandCount(int opcode) {
        return operandCounts[opcode];
    }

    int minimumInstructionBytes() {
        return minimumInstructionBytes;
    }

    /** Returns how many operations a VLIW instruction has; 1 on other machines. */
    int operationsPerInstruction() {
        return operationsPerInstruction;
    }

    int lineBase() {
        return lineBase;
    }

    int lineRange() {
        return lineRange;
    }

    /** Returns the size of the header and the program. */
    long byteSize() {
        return end - start;
    }

    /** Returns a cursor over the program. */
    ByteCursor program() throws ExtractionException {
        return section.cursor(program, end - program);
    }
}
