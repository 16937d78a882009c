package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.TypeShape;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;

/**
 * The definitions that a declaration may stand for. C++ compilers describe a class where its virtual functions are, or where it
 * is constructed, and declare it in the other units, even where these hold one by value. For one thread.
 */
final class DeclaredTypes {

    /** Definitions of one name that are compared; a name with more has several layouts. */
    private static final int MAX_CANDIDATES = 64;

    /** Keeps a file from choosing names that all go to the same slot. The result does not depend on it. */
    private final long seed = System.nanoTime();

    private final DwarfTypes dwarf;
    private final UnitReaders readers;
    private final LayoutHasher names;
    private final TypeSpeller speller;
    private final ScopeHasher scopeHasher;
    private final Set<String> missing = new HashSet<>();

    private final DefinitionMerge definitions;

    /** Numbers of definitions, counted from 1, by the low bits of their key; empty until a declaration is met. */
    private int[] heads = new int[0];

    private int[] next = new int[0];
    private long[] keys = new long[0];

    /** @param definitions in which to look */
    DeclaredTypes(DwarfTypes dwarf, TypeSpeller speller, LayoutHasher names, DefinitionMerge definitions) {
        this.dwarf = dwarf;
        this.readers = new UnitReaders(dwarf);
        this.names = names;
        this.speller = speller;
        this.scopeHasher = new ScopeHasher(dwarf, names, speller);
        this.definitions = definitions;
    }

    /** Names of declarations that nothing was found for. */
    Set<String> missing() {
        return missing;
    }

    /**
     * Addresses of the definitions that have the qualified name of a declaration, its kind and its language, C and C++ being one;
     * none if it can only stand for a type of its own unit or function.
     */
    List<Long> definitionsOf(long declaration) throws ExtractionException {
        DieReader reader = readers.at(declaration);
        Abbreviation abbreviation = reader.require();
        int tag = abbreviation.tag();
        Unit unit = dwarf.unit(declaration);
        long nameRef = speller.nameRef(declaration, abbreviation, reader, unit);
        if (nameRef == NameRef.NONE || speller.scopes().isVisibleInUnitOnly(declaration)) {
            return List.of();
        }
        if (heads.length == 0) {
            index();
        }
        Family family = dwarf.language(unit).family();
        long key = key(names.nameHash(nameRef), scopeHasher.around(declaration));
        List<Long> found = new ArrayList<>();
        for (int at = heads[slot(key)]; at != 0; at = next[at - 1]) {
            long definition = definitions.dieAddresses[at - 1];
            if (keys[at - 1] != key || !isOfKind(definitions.tags[at - 1], tag)) {
                continue;
            }
            Family other = dwarf.language(dwarf.unit(definition)).family();
            if (other == family || (other.ranksFirst() && family.ranksFirst())) {
                if (found.size() == MAX_CANDIDATES) {
                    return List.of();
                }
                found.add(definition);
            }
        }
        if (found.isEmpty()) {
            missing.add(dwarf.names().text(nameRef, unit));
        }
        return found;
    }

    private void index() throws ExtractionException {
        heads = new int[Math.max(Integer.highestOneBit(definitions.count) * 4, 4)];
        next = new int[definitions.count];
        keys = new long[definitions.count];
        // Backwards, so that the first definition is found first.
        for (int i = definitions.count - 1; i >= 0; i--) {
            boolean tagged =
                    Dwarf.isAggregate(definitions.tags[i]) || definitions.tags[i] == Dwarf.DW_TAG_enumeration_type;
            if (tagged && definitions.flags[i] == 0 && definitions.nameRefs[i] != NameRef.NONE) {
                keys[i] = key(names.nameHash(definitions.nameRefs[i]), definitions.scopeHashes[i]);
                int slot = slot(keys[i]);
                next[i] = heads[slot];
                heads[slot] = i + 1;
            }
        }
    }

    private long key(long nameHash, long scopeHash) {
        return Hash.mix(Hash.mix(nameHash ^ seed) + scopeHash);
    }

    private int slot(long key) {
        return (int) key & (heads.length - 1);
    }

    private static boolean isOfKind(int tag, int other) {
        return tag == other || (isClass(tag) && isClass(other));
    }

    private static boolean isClass(int tag) {
        return Dwarf.isAggregate(tag) && tag != Dwarf.DW_TAG_union_type;
    }

    /** Whether two types are laid out alike; how their parts are spelled does not count. */
    static boolean haveOneLayout(TypeShape one, TypeShape other) {
        TypeShape left = one.peeled();
        TypeShape right = other.peeled();
        if (left.equals(right)) {
            return true;
        }
        return switch (left) {
            case AggregateShape aggregate ->
                right instanceof AggregateShape second
                        && aggregate.kind() == second.kind()
                        && aggregate.byteSize() == second.byteSize()
                        && haveOneLayout(aggregate.members(), second.members());
            case ArrayShape array ->
                right instanceof ArrayShape second
                        && Objects.equals(array.indexing(), second.indexing())
                        && array.byteSize() == second.byteSize()
                        && array.counts().equals(second.counts())
                        && areHeldAlike(array.element(), second.element());
            case EnumShape enumeration ->
                right instanceof EnumShape second
                        && enumeration.byteSize() == second.byteSize()
                        && enumeration.enumerators().equals(second.enumerators());
            case IncompleteShape _ -> right instanceof IncompleteShape;
            default -> isScalar(right) && left.byteSize() == right.byteSize();
        };
    }

    private static boolean haveOneLayout(List<Member> one, List<Member> other) {
        boolean same = one.size() == other.size();
        for (int i = 0; same && i < one.size(); i++) {
            Member left = one.get(i);
            Member right = other.get(i);
            Object[] placeOfLeft = {left.role(), left.name(), left.location(), left.bitSize(), left.variant()};
            Object[] placeOfRight = {right.role(), right.name(), right.location(), right.bitSize(), right.variant()};
            same = Arrays.equals(placeOfLeft, placeOfRight) && areHeldAlike(left.type(), right.type());
        }
        return same;
    }

    /** Whether members or elements of two types take the same place; enumerations are scalars there. */
    private static boolean areHeldAlike(TypeShape one, TypeShape other) {
        boolean enumeration = one.peeled() instanceof EnumShape || other.peeled() instanceof EnumShape;
        if (enumeration && isHeldAsScalar(one.peeled()) && isHeldAsScalar(other.peeled())) {
            return one.byteSize() == other.byteSize();
        }
        return haveOneLayout(one, other);
    }

    private static boolean isHeldAsScalar(TypeShape shape) {
        return isScalar(shape) || shape instanceof EnumShape;
    }

    private static boolean isScalar(TypeShape shape) {
        return !(shape instanceof AggregateShape
                || shape instanceof ArrayShape
                || shape instanceof EnumShape
                || shape instanceof IncompleteShape);
    }
}
