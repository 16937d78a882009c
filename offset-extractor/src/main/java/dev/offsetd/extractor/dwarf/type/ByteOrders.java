package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import java.nio.ByteOrder;
import org.jspecify.annotations.Nullable;

/**
 * Byte orders that DIEs state (DWARF 5 §5.1, {@code DW_AT_endianity}). GCC makes base types and enumerations of the other
 * order for the members of a struct with {@code scalar_storage_order}; pointers keep that of the machine.
 */
public final class ByteOrders {

    private ByteOrders() {}

    /** Returns the byte order of a type or member if it states one that is not that of the file; else null. */
    public static @Nullable ByteOrder ofDie(DieScratch die, boolean bigEndian) {
        ByteOrder other = bigEndian ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN;
        long stated = die.get(Slot.ENDIANITY, Dwarf.DW_END_default);
        boolean isOther = stated == (bigEndian ? Dwarf.DW_END_little : Dwarf.DW_END_big);
        return isOther || die.isSet(Slot.OTHER_ENDIAN) ? other : null;
    }

    /** Returns whether the DIE states an order that only its vendor knows. */
    public static boolean isUnknown(DieScratch die) {
        return die.has(Slot.ENDIANITY)
                && (die.isExpression(Slot.ENDIANITY)
                        || die.get(Slot.ENDIANITY) < Dwarf.DW_END_default
                        || die.get(Slot.ENDIANITY) > Dwarf.DW_END_little);
    }
}
