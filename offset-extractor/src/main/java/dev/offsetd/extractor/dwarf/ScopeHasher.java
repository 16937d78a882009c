package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;

/** Hashes of scopes by their names, from the outermost to the innermost: what tells {@code a::T} from {@code b::T}. For one thread. */
final class ScopeHasher {

    private final DwarfTypes dwarf;
    private final LayoutHasher names;
    private final UnitReaders readers;
    private final Scopes scopes;

    /** @param names remembers the hashes of names */
    ScopeHasher(DwarfTypes dwarf, LayoutHasher names) {
        this.dwarf = dwarf;
        this.names = names;
        this.readers = new UnitReaders(dwarf);
        this.scopes = new Scopes(dwarf);
    }

    /** The hash of the scope around a DIE, found from the DIE alone. */
    long around(long die) throws ExtractionException {
        long hash = 0;
        for (ScopeIndex.Scope scope : scopes.around(die)) {
            hash = inner(hash, nameHash(scopes.nameRef(scope)));
        }
        return hash;
    }

    /**
     * The hash of what is inside a scope. A DIE that only stands for a type with a unit of its own is that type's scope.
     *
     * @param around the hash of the scope around it
     */
    long inside(long scope, long around) throws ExtractionException {
        DieReader reader = readers.at(scope);
        reader.require();
        long type = reader.die.get(Slot.SIGNATURE, 0);
        if (type > 0) {
            return inner(around(type), nameHash(nameAt(type)));
        }
        long name = reader.die.get(Slot.NAME, NameRef.NONE);
        return inner(around, names.nameHash(name, dwarf.unit(scope)));
    }

    /** The resolved name of the DIE at this address, or {@link NameRef#NONE}. */
    long nameAt(long address) throws ExtractionException {
        DieReader reader = readers.at(address);
        reader.require();
        long name = reader.die.get(Slot.NAME, NameRef.NONE);
        return name == NameRef.NONE ? NameRef.NONE : dwarf.names().resolve(name, dwarf.unit(address));
    }

    private long nameHash(long nameRef) throws ExtractionException {
        return nameRef == NameRef.NONE ? 0 : names.nameHash(nameRef);
    }

    private static long inner(long scope, long nameHash) {
        return Hash.mix(scope + Hash.GOLDEN ^ nameHash);
    }
}
