package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.input.MalformedInputException;

/**
 * Member locations that are constant although they are expressions: DWARF 2 producers write {@code DW_OP_plus_uconst n}
 * where later ones write n (DWARF 5 §2.5.1, §5.7.6). GCC up to 4.3 writes a lone {@code DW_OP_constu n} for MIPS, Alpha
 * and OpenBSD: by the letter an address, which no member has, and to every reader the offset. Every other expression needs
 * the running program.
 */
final class Expression {

    /** The result for an expression that is not constant. */
    static final long COMPUTED = Long.MIN_VALUE;

    private Expression() {}

    /** Returns what the expression adds to the address of the containing object in bytes, or {@link #COMPUTED}. */
    static long constantOffset(Section section, long offset, long length) throws MalformedInputException {
        if (length == 0) {
            // An empty location description: the member does not exist (DWARF 5 §2.6.1.1.4).
            return COMPUTED;
        }
        ByteCursor in = section.cursor(offset, length);
        long sum = 0;
        boolean first = true;
        while (in.hasRemaining()) {
            int operation = in.u8();
            if (operation == Dwarf.DW_OP_plus_uconst) {
                sum += in.uleb128();
            } else {
                long constant = constant(operation, in);
                boolean alone = first && !in.hasRemaining();
                if (constant == COMPUTED || (!alone && (!in.hasRemaining() || in.u8() != Dwarf.DW_OP_plus))) {
                    return COMPUTED;
                }
                sum += constant;
            }
            if (sum < 0) {
                return COMPUTED;
            }
            first = false;
        }
        return sum;
    }

    /** Returns the constant that an operation pushes (DWARF 5 §2.5.1.1), or {@link #COMPUTED} for any other operation. */
    private static long constant(int operation, ByteCursor in) throws MalformedInputException {
        return switch (operation) {
            case Dwarf.DW_OP_const1u -> in.u8();
            case Dwarf.DW_OP_const1s -> (byte) in.u8();
            case Dwarf.DW_OP_const2u -> in.u16();
            case Dwarf.DW_OP_const2s -> (short) in.u16();
            case Dwarf.DW_OP_const4u -> in.u32();
            case Dwarf.DW_OP_const4s -> (int) in.u32();
            case Dwarf.DW_OP_const8u, Dwarf.DW_OP_const8s -> in.u64();
            case Dwarf.DW_OP_constu -> in.uleb128();
            case Dwarf.DW_OP_consts -> in.sleb128();
            default ->
                operation >= Dwarf.DW_OP_lit0 && operation <= Dwarf.DW_OP_lit31
                        ? operation - Dwarf.DW_OP_lit0
                        : COMPUTED;
        };
    }
}
