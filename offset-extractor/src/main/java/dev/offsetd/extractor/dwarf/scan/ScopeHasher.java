package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.input.ExtractionException;

/** Hashes of the names of scopes, from the outermost to the innermost, which distinguish {@code a::T} from {@code
 * b::T}. Not thread-safe. */
public final class ScopeHasher {

    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final NameHashes names;
    private final DieReaders readers;
    private long lastFunction = -1;
    private long lastFunctionHash;

    public ScopeHasher(DwarfUnits dwarf, NameHashes names, TypeSpeller speller) {
        this.dwarf = dwarf;
        this.speller = speller;
        this.names = names;
        this.readers = new DieReaders(dwarf);
    }

    /** Returns the hash of the scope around a DIE, found from the DIE alone. */
    public long around(long dieAddress) throws ExtractionException {
        long hash = 0;
        for (long scopeDie : speller.scopes().around(dieAddress)) {
            hash = inner(hash, nameHash(speller.scopes().nameRef(scopeDie)));
        }
        return hash;
    }

    /**
     * Returns the hash of a function by its name and scopes, whatever its parameters; of the last one it is
     * remembered.
     */
    long function(long dieAddress) throws ExtractionException {
        if (dieAddress != lastFunction) {
            lastFunctionHash =
                    inner(around(dieAddress), nameHash(speller.scopes().nameRef(dieAddress)));
            lastFunction = dieAddress;
        }
        return lastFunctionHash;
    }

    /**
     * Returns the hash of a scope and those around it. A stand-in for a type in a type unit has the scope of that type.
     *
     * @param around the hash of the scope around it
     */
    long inside(long scopeDie, long around) throws ExtractionException {
        DieReader reader = readers.at(scopeDie);
        Abbreviation abbreviation = reader.require();
        long typeDie = reader.die.get(Slot.SIGNATURE, 0);
        if (typeDie > 0) {
            return inner(around(typeDie), nameHash(nameAt(typeDie)));
        }
        return inner(around, nameHash(speller.nameRef(scopeDie, abbreviation, reader, dwarf.unit(scopeDie))));
    }

    /** Returns the resolved name of the DIE at this address, or {@link NameRef#NONE}. */
    long nameAt(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        Abbreviation abbreviation = reader.require();
        return speller.nameRef(dieAddress, abbreviation, reader, dwarf.unit(dieAddress));
    }

    private long nameHash(long nameRef) throws ExtractionException {
        return nameRef == NameRef.NONE ? 0 : names.hash(nameRef);
    }

    private static long inner(long around, long nameHash) {
        return HashMixing.mix(around + HashMixing.GOLDEN ^ nameHash);
    }
}
