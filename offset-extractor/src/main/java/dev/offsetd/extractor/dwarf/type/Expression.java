package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.bytes.ByteCursor;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.input.MalformedInputException;

/**
 * Member locations that are constant although they are expressions: DWARF 2 producers write {@code DW_OP_plus_uconst n}
 * where later ones write n (DWARF 5 §2.5.1, §5.7.6). Every other expression needs the running program.
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
        while (in.hasRemaining()) {
            int operation = in.u8();
            if (operation == Dwarf.DW_OP_plus_uconst) {
                sum += in.uleb128();
            } else if (operation == Dwarf.DW_OP_constu
                    || (operation >= Dwarf.DW_OP_lit0 && operation <= Dwarf.DW_OP_lit31)) {
                long constant = operation == Dwarf.DW_OP_constu ? in.uleb128() : operation - Dwarf.DW_OP_lit0;
                if (!in.hasRemaining() || in.u8() != Dwarf.DW_OP_plus) {
                    return COMPUTED;
                }
                sum += constant;
            } else {
                return COMPUTED;
            }
            if (sum < 0) {
                return COMPUTED;
            }
        }
        return sum;
    }
}
