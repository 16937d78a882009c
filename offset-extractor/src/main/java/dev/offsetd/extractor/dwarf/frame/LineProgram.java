package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import org.jspecify.annotations.Nullable;

/** The state machine that a line program runs on (DWARF 5 §6.2.2). Used for one program. */
final class LineProgram {

    private static final int OPCODES_BETWEEN_CHECKS = 1 << 14;

    private final LineHeader header;
    private final AddressRanges code;
    private final LineRows rows;
    private final Deadline deadline;
    private final ByteCursor in;
    private final String section;

    private long address;
    private int operation;
    private long file;
    private long line;
    private long column;
    private long discriminator;

    /** Whether the sequence is of discarded code, or has addresses that go backwards. */
    private boolean dropped;

    private @Nullable MalformedInputException disorder;

    /**
     * @param code the parts of the file that have code, by address
     * @param rows is filled
     */
    LineProgram(LineHeader header, AddressRanges code, LineRows rows, Deadline deadline, String section)
            throws ExtractionException {
        this.header = header;
        this.code = code;
        this.rows = rows;
        this.deadline = deadline;
        this.in = header.program();
        this.section = section;
        reset();
    }

    /**
     * Runs the program. If it has a fault, the rows have the sequences before it.
     *
     * @return a fault that cost some sequences only, or null
     */
    @Nullable
    MalformedInputException run() throws ExtractionException {
        try {
            for (int opcodes = 1; in.hasRemaining(); opcodes++) {
                if (opcodes % OPCODES_BETWEEN_CHECKS == 0) {
                    deadline.check(section);
                }
                step();
            }
        } finally {
            // Rows after the last end of a sequence have no end.
            rows.dropSequence();
        }
        return disorder;
    }

    private void reset() {
        address = 0;
        operation = 0;
        file = 1;
        line = 1;
        column = 0;
        discriminator = 0;
        dropped = false;
    }

    private void step() throws ExtractionException {
        int opcode = in.u8();
        if (opcode >= header.opcodeBase()) {
            int adjusted = opcode - header.opcodeBase();
            requireLineRange();
            advance(adjusted / header.lineRange());
            line += header.lineBase() + adjusted % header.lineRange();
            addRow();
            return;
        }
        switch (opcode) {
            case 0 -> extended();
            case Dwarf.DW_LNS_copy -> addRow();
            case Dwarf.DW_LNS_advance_pc -> advance(in.uleb128());
            case Dwarf.DW_LNS_advance_line -> line += in.sleb128();
            case Dwarf.DW_LNS_set_file -> file = in.uleb128();
            case Dwarf.DW_LNS_set_column -> column = in.uleb128();
            case Dwarf.DW_LNS_negate_stmt,
                    Dwarf.DW_LNS_set_basic_block,
                    Dwarf.DW_LNS_set_prologue_end,
                    Dwarf.DW_LNS_set_epilogue_begin -> {
                // Rows are used whatever they say of statements and blocks.
            }
            case Dwarf.DW_LNS_const_add_pc -> {
                requireLineRange();
                advance((255 - header.opcodeBase()) / header.lineRange());
            }
            case Dwarf.DW_LNS_fixed_advance_pc -> {
                address += in.u16();
                operation = 0;
            }
            case Dwarf.DW_LNS_set_isa -> in.skipLeb128();
            default -> {
                for (int i = 0; i < header.operandCount(opcode); i++) {
                    in.skipLeb128();
                }
            }
        }
    }

    private void requireLineRange() throws MalformedInputException {
        if (header.lineRange() == 0) {
            throw in.malformed(in.offset() - 1, "line_range is 0, and the opcode divides by it");
        }
    }

    private void advance(long operations) {
        if (header.operationsPerInstruction() == 1) {
            address += header.minimumInstructionBytes() * operations;
            return;
        }
        long all = operation + operations;
        address += header.minimumInstructionBytes() * Long.divideUnsigned(all, header.operationsPerInstruction());
        operation = (int) Long.remainderUnsigned(all, header.operationsPerInstruction());
    }

    private void extended() throws ExtractionException {
        long length = in.uleb128();
        long start = in.offset();
        if (length < 0 || length > in.end() - start) {
            throw in.malformed(start, "an extended opcode of " + Long.toUnsignedString(length) + " bytes");
        }
        if (length == 0) {
            return;
        }
        switch (in.u8()) {
            case Dwarf.DW_LNE_end_sequence -> {
                endSequence();
                reset();
            }
            case Dwarf.DW_LNE_set_address -> {
                int bytes = (int) Math.min(length - 1, Integer.MAX_VALUE);
                if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8) {
                    throw in.malformed(start, "an address of " + bytes + " bytes; expected 1, 2, 4 or 8");
                }
                address = in.unsigned(bytes);
                operation = 0;
            }
            case Dwarf.DW_LNE_define_file -> header.addFile(in);
            case Dwarf.DW_LNE_set_discriminator -> discriminator = in.uleb128();
            default -> {
                // Other extensions say nothing of lines; their length leads past them.
            }
        }
        in.seek(start + length);
    }

    /** Returns the address of the current operation: those of an instruction of many follow it, one byte each. */
    private long place() {
        return address + operation;
    }

    private void addRow() throws LimitExceededException {
        long place = place();
        if (rows.isAtStart()) {
            dropped |= code.endAround(place) == 0;
        } else if (Long.compareUnsigned(place, rows.lastAddress()) < 0) {
            noteDisorder(place);
        }
        if (!dropped) {
            rows.add(
                    place,
                    file < 0 || file > Integer.MAX_VALUE ? LineRows.NO_FILE : (int) file,
                    number(line),
                    number(column),
                    number(discriminator));
        }
        discriminator = 0;
    }

    private void noteDisorder(long place) {
        dropped = true;
        rows.dropSequence();
        if (disorder == null) {
            disorder = in.malformed(
                    in.offset(), "the address goes back to 0x" + Long.toHexString(place) + " in a sequence of lines");
        }
    }

    private void endSequence() {
        if (!dropped && !rows.isAtStart() && Long.compareUnsigned(place(), rows.lastAddress()) < 0) {
            noteDisorder(place());
        }
        if (dropped) {
            rows.dropSequence();
        }
        rows.endSequence(place());
    }

    /** Returns a number that no source exceeds; 0, which means none, for one that does. */
    private static int number(long value) {
        return value < 0 || value > Integer.MAX_VALUE ? 0 : (int) value;
    }
}
