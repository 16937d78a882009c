package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.HashMap;
import java.util.Map;

/**
 * Names of functions. A concrete function has its name from its abstract one ({@code DW_AT_abstract_origin}), and that from its
 * declaration ({@code DW_AT_specification}). Not thread-safe.
 */
final class FunctionNames {

    private static final FunctionName NAMELESS = new FunctionName("", null);

    /** Most references that are followed: three at most in real files, and hostile ones form cycles. */
    private static final int MAX_ORIGINS = 8;

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final TypeSpeller speller;
    private final MemoryAccount account;
    private final Map<Long, FunctionName> known = new HashMap<>();

    /** @param account of the unit, charged with its names */
    FunctionNames(DwarfUnits dwarf, MemoryAccount account) {
        this.dwarf = dwarf;
        this.readers = new DieReaders(dwarf);
        this.account = account;
        this.speller = new TypeSpeller(dwarf, account);
    }

    /** Forgets the names of the unit; the caller releases their memory from the account. */
    void endUnit() {
        speller.beginUnit();
        speller.forgetTexts();
        known.clear();
    }

    MemoryAccount account() {
        return account;
    }

    /** Returns the names of the function at this address. A fault of its names is noted, and leaves it nameless. */
    FunctionName of(long dieAddress) throws LimitExceededException {
        FunctionName name = known.get(dieAddress);
        if (name == null) {
            try {
                name = read(dieAddress);
            } catch (ExtractionException e) {
                dwarf.omit(Part.SYMBOL, dieAddress, e);
                name = NAMELESS;
            }
            // Its number in the unit is kept by its address, too.
            account.addEntry(2 * MemoryAccount.NOTE_BYTES, dieAddress);
            known.put(dieAddress, name);
        }
        return name;
    }

    private FunctionName read(long dieAddress) throws ExtractionException {
        long nextDie = dieAddress;
        String linkageName = null;
        for (int origins = 0; nextDie > 0 && origins <= MAX_ORIGINS; origins++) {
            DieReader reader = readers.at(nextDie);
            int tag = reader.require().tag();
            if (tag != Dwarf.DW_TAG_subprogram && tag != Dwarf.DW_TAG_inlined_subroutine) {
                throw dwarf.malformed(nextDie, "tag 0x" + Integer.toHexString(tag) + "; expected a function");
            }
            if (reader.die.has(Slot.LINKAGE_NAME)) {
                linkageName = dwarf.names().text(reader.die.get(Slot.LINKAGE_NAME), dwarf.unit(nextDie));
                break;
            }
            nextDie = reader.die.get(Slot.ORIGIN, 0);
        }
        String name = speller.scopes().functionAt(dieAddress);
        if (name.isEmpty() && linkageName != null) {
            name = linkageName;
        }
        account.addText(name.length() + (linkageName == null ? 0L : linkageName.length()), dieAddress);
        return new FunctionName(name, name.equals(linkageName) ? null : linkageName);
    }
}
