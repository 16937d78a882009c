package dev.offsetd.extractor.testkit;

import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.List;

/**
 * A line program in the making (DWARF 5 §6.2): the opcodes that are added, behind a header. Its line range is 14 from -5 on, and
 * opcodes from 13 on are special, as those of GCC are.
 */
public final class LineProgramWriter {

    private static final int LINE_BASE = -5;
    private static final int LINE_RANGE = 14;
    private static final int OPCODE_BASE = 13;

    private final int version;
    private final ByteOrder order;
    private final BinaryWriter opcodes;
    private final List<String> files = new ArrayList<>();
    private int namelessFolders;
    private int namelessFiles;
    private int instructionBytes = 1;
    private int operations = 1;

    /** A program of a DWARF version in which addresses have 8 bytes. */
    public LineProgramWriter(int version, ByteOrder order) {
        this.version = version;
        this.order = order;
        this.opcodes = new BinaryWriter(order);
    }

    /** Adds a file of the folder {@code include}; they count from 1, and from 0 in version 5. */
    public LineProgramWriter file(String name) {
        files.add(name);
        return this;
    }

    /** Gives folders and files a byte each, instead of those with names, in version 5. */
    public LineProgramWriter nameless(int folders, int ofFiles) {
        namelessFolders = folders;
        namelessFiles = ofFiles;
        return this;
    }

    /** Sets how long instructions are, and how many operations each has. */
    public LineProgramWriter instructions(int bytes, int operationsOfEach) {
        instructionBytes = bytes;
        operations = operationsOfEach;
        return this;
    }

    /** {@code DW_LNE_set_address}. */
    public LineProgramWriter address(long address) {
        opcodes.u8(0).uleb(9).u8(2).u64(address);
        return this;
    }

    /** A special opcode: advances both and adds a row. */
    public LineProgramWriter row(int operationAdvance, int lineAdvance) {
        opcodes.u8(OPCODE_BASE + (lineAdvance - LINE_BASE) + LINE_RANGE * operationAdvance);
        return this;
    }

    /** {@code DW_LNS_advance_pc}. */
    public LineProgramWriter advance(long operationAdvance) {
        opcodes.u8(2).uleb(operationAdvance);
        return this;
    }

    /** {@code DW_LNS_set_file}. */
    public LineProgramWriter setFile(long file) {
        opcodes.u8(4).uleb(file);
        return this;
    }

    /** {@code DW_LNS_set_column}. */
    public LineProgramWriter column(long column) {
        opcodes.u8(5).uleb(column);
        return this;
    }

    /** {@code DW_LNE_set_discriminator}. */
    public LineProgramWriter discriminator(int discriminator) {
        opcodes.u8(0).uleb(2).u8(4).u8(discriminator);
        return this;
    }

    /** Ends the sequence, so many operations behind the last row. */
    public LineProgramWriter end(long operationAdvance) {
        advance(operationAdvance);
        opcodes.u8(0).uleb(1).u8(1);
        return this;
    }

    /** Adds bytes as they are. */
    public LineProgramWriter raw(int... bytes) {
        for (int each : bytes) {
            opcodes.u8(each);
        }
        return this;
    }

    /** The program with its header. */
    public byte[] toBytes() {
        BinaryWriter header = new BinaryWriter(order).u8(instructionBytes);
        if (version >= 4) {
            header.u8(operations);
        }
        header.u8(1).u8(LINE_BASE).u8(LINE_RANGE).u8(OPCODE_BASE);
        header.bytes(new byte[] {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1});
        if (namelessFolders + namelessFiles > 0) {
            // One column: the number of a folder by DW_FORM_data1.
            header.u8(1).uleb(2).uleb(11).uleb(namelessFolders).bytes(new byte[namelessFolders]);
            header.u8(1).uleb(2).uleb(11).uleb(namelessFiles).bytes(new byte[namelessFiles]);
        } else if (version >= 5) {
            // Folders and files by DW_FORM_string; files with their folder and an MD5.
            header.u8(1).uleb(1).uleb(8).uleb(2).string("/src").string("include");
            header.u8(3).uleb(1).uleb(8).uleb(2).uleb(11).uleb(5).uleb(30).uleb(files.size());
            files.forEach(file -> header.string(file).u8(1).integer(0, 16));
        } else {
            header.string("include").u8(0);
            files.forEach(file -> header.string(file).uleb(1).uleb(0).uleb(0));
            header.u8(0);
        }
        BinaryWriter unit = new BinaryWriter(order).u16(version);
        if (version >= 5) {
            unit.u8(8).u8(0);
        }
        unit.u32(header.size()).bytes(header.toBytes()).bytes(opcodes.toBytes());
        return new BinaryWriter(order).u32(unit.size()).bytes(unit.toBytes()).toBytes();
    }
}
