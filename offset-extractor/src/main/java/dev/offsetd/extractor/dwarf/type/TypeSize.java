package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.TypeShape;

/** Sizes of types as their DIEs state them. */
public final class TypeSize {

    private TypeSize() {}

    /** Returns {@code DW_AT_byte_size}, or {@link TypeShape#UNKNOWN_SIZE} if it is absent or computed at run time. */
    public static long ofDie(DieScratch die) {
        if (!die.has(Slot.BYTE_SIZE)
                || die.isExpression(Slot.BYTE_SIZE)
                || die.get(Slot.BYTE_SIZE) < 0
                || die.has(Slot.DYNAMIC)) {
            return TypeShape.UNKNOWN_SIZE;
        }
        return die.get(Slot.BYTE_SIZE);
    }

    /**
     * Returns the size of the pointer that {@code reader} has just read. Without {@code DW_AT_byte_size} it is the size of
     * an address. A pointer to a member function has two: the second is added to {@code this} (Itanium C++ ABI §2.3,
     * which all ELF platforms follow).
     */
    public static long ofPointer(int tag, DieReader reader, DieReaders readers, int maxHops)
            throws ExtractionException {
        if (reader.die.has(Slot.BYTE_SIZE)) {
            return ofDie(reader.die);
        }
        if (reader.die.get(Slot.ADDRESS_CLASS, 0) != 0) {
            // GPUs have pointers of several sizes (DWARF 5 §2.12), which LLVM does not write.
            return TypeShape.UNKNOWN_SIZE;
        }
        int addressSize = reader.header().addressSize();
        if (tag != Dwarf.DW_TAG_ptr_to_member_type) {
            return addressSize;
        }
        long dieAddress = reader.die.get(Slot.TYPE, 0);
        for (int hops = 0; dieAddress > 0 && hops <= maxHops; hops++) {
            DieReader target = readers.at(dieAddress);
            int targetTag = target.require().tag();
            if (targetTag == Dwarf.DW_TAG_subroutine_type) {
                return 2L * addressSize;
            }
            dieAddress = Dwarf.isAlias(targetTag) ? target.die.get(Slot.TYPE, 0) : 0;
        }
        return addressSize;
    }
}
