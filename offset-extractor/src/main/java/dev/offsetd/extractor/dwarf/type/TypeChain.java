package dev.offsetd.extractor.dwarf.type;

import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;

/** Chains of types, each of which refers to the next by {@code DW_AT_type}. */
public final class TypeChain {

    private TypeChain() {}

    /**
     * Returns why a chain cannot be followed to its end. One that comes back to a type is damage to these types alone; one that
     * is longer than the limit is refused with the file.
     *
     * @param dieAddress a type at which the limit of references was reached
     */
    public static ExtractionException endless(long dieAddress, DieReaders readers, DwarfUnits dwarf)
            throws ExtractionException {
        long nextDie = dieAddress;
        for (int hops = 0; nextDie > 0 && hops <= dwarf.limits().maxTypeDepth(); hops++) {
            DieReader reader = readers.at(nextDie);
            reader.require();
            nextDie = reader.die.get(Slot.TYPE, 0);
            if (nextDie == dieAddress) {
                return dwarf.malformed(dieAddress, "a type refers to itself");
            }
        }
        return dwarf.tooDeep(dieAddress);
    }
}
