package dev.offsetd.extractor.dwarf.build;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.scan.DefinitionTable;
import dev.offsetd.extractor.dwarf.scan.NameHashes;
import dev.offsetd.extractor.dwarf.scan.ScopeHasher;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * Definitions that a declaration may stand for. With {@code -fno-standalone-debug}, clang describes a class only in the
 * unit that has its vtable or constructor, and GCC does so for classes with a key function; other units declare the class
 * even if they hold one by value. All definitions are known. Not thread-safe.
 */
final class DeclaredTypes implements Declarations {

    /** Most definitions of one name that are compared; a name with more is taken to have several layouts. */
    private static final int MAX_CANDIDATES = 64;

    /** Prevents a hostile file from choosing names that share a slot. The result does not depend on it. */
    private final long seed = System.nanoTime();

    private final DwarfUnits dwarf;
    private final DieReaders readers;
    private final NameHashes names;
    private final TypeSpeller speller;
    private final ScopeHasher scopeHasher;
    private final Set<String> missing = new HashSet<>();

    private final DefinitionTable definitions;

    /** Numbers of definitions, counted from 1, by the low bits of their key; empty until the first declaration. */
    private int[] heads = new int[0];

    private int[] next = new int[0];
    private long[] keys = new long[0];

    /** @param definitions in which to look */
    DeclaredTypes(DwarfUnits dwarf, TypeSpeller speller, NameHashes names, DefinitionTable definitions) {
        this.dwarf = dwarf;
        this.readers = new DieReaders(dwarf);
        this.names = names;
        this.speller = speller;
        this.scopeHasher = new ScopeHasher(dwarf, names, speller);
        this.definitions = definitions;
    }

    @Override
    public Set<String> missing() {
        return missing;
    }

    /**
     * Returns the addresses of the definitions that have the qualified name, kind and language of a declaration, where C
     * and C++ are one language; none if only the declaration's own unit or function can define the type.
     */
    @Override
    public List<Long> definitionsOf(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        Abbreviation abbreviation = reader.require();
        int tag = abbreviation.tag();
        Unit unit = dwarf.unit(dieAddress);
        long nameRef = speller.nameRef(dieAddress, abbreviation, reader, unit);
        if (nameRef == NameRef.NONE || speller.scopes().isVisibleInUnitOnly(dieAddress)) {
            return List.of();
        }
        if (heads.length == 0) {
            index();
        }
        long key = key(names.hash(nameRef), scopeHasher.around(dieAddress), tag, unit);
        List<Long> found = new ArrayList<>();
        for (int at = heads[slot(key)]; at != 0; at = next[at - 1]) {
            long definitionDie = definitions.dieAddress(at - 1);
            if (keys[at - 1] == key) {
                if (found.size() == MAX_CANDIDATES) {
                    return List.of();
                }
                found.add(definitionDie);
            }
        }
        if (found.isEmpty()) {
            missing.add(dwarf.names().text(nameRef, unit));
        }
        return found;
    }

    private void index() throws ExtractionException {
        heads = new int[Math.max(Integer.highestOneBit(definitions.count()) * 4, 4)];
        next = new int[definitions.count()];
        keys = new long[definitions.count()];
        // Backwards, so that each chain starts with the first definition.
        for (int i = definitions.count() - 1; i >= 0; i--) {
            if (Dwarf.isTagged(definitions.tag(i))
                    && !definitions.isDeclaration(i)
                    && !definitions.isLocal(i)
                    && definitions.nameRef(i) != NameRef.NONE) {
                keys[i] = key(
                        names.hash(definitions.nameRef(i)),
                        definitions.scopeHash(i),
                        definitions.tag(i),
                        dwarf.unit(definitions.dieAddress(i)));
                int slot = slot(keys[i]);
                next[i] = heads[slot];
                heads[slot] = i + 1;
            }
        }
    }

    /** Returns what a declaration and its definitions share: name, scopes, kind and language. */
    private long key(long nameHash, long scopeHash, int tag, Unit unit) {
        Family family = dwarf.language(unit).family();
        long kind = isClass(tag) ? Dwarf.DW_TAG_class_type : tag;
        long language = family.ranksFirst() ? -1 : family.name().hashCode();
        return HashMixing.mix(HashMixing.mix(HashMixing.mix(nameHash ^ seed) + scopeHash) ^ language << 32 ^ kind);
    }

    private int slot(long key) {
        return (int) key & (heads.length - 1);
    }

    private static boolean isClass(int tag) {
        return Dwarf.isAggregate(tag) && tag != Dwarf.DW_TAG_union_type;
    }
}
