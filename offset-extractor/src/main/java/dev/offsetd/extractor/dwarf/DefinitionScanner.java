package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;
import java.util.Arrays;

/**
 * Walks units and notes the named types in them, and has a {@link VariableScanner} note the variables. Namespaces and classes are looked into; so are functions if the
 * {@link Selection} says so, else they are hopped over by {@code DW_AT_sibling}. In C a type is never inside another,
 * so structs are hopped over there. For one thread.
 */
public final class DefinitionScanner {

    private final DwarfTypes dwarf;
    private final Selection selection;
    private final UnitReaders readers;
    private final Scopes scopes;
    private final LayoutHasher hasher;
    private final UnitReaders variableReaders;

    private long[] scopeHashes = new long[32];
    private int[] functionDepths = new int[32];

    public DefinitionScanner(DwarfTypes dwarf, Selection selection) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.readers = new UnitReaders(dwarf);
        this.scopes = new Scopes(dwarf);
        this.hasher = new LayoutHasher(dwarf, new UnitReaders(dwarf));
        this.variableReaders = new UnitReaders(dwarf);
    }

    /** The wanted definitions of one unit, each with the key by which equal ones are found. */
    public UnitDefinitions scan(int unitIndex) throws ExtractionException {
        Unit unit = dwarf.unit(unitIndex);
        UnitDefinitions found = new UnitDefinitions(unitIndex);
        hasher.beginUnit();
        walk(unit, found);
        return found;
    }

    private void walk(Unit unit, UnitDefinitions found) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        if (!reader.hasRemaining()) {
            return;
        }
        Abbreviation root = reader.read();
        if (root == null || !root.hasChildren()) {
            return;
        }
        VariableScanner variables =
                new VariableScanner(dwarf, selection, hasher, variableReaders, unit, reader.die, found.variables);
        boolean nestedTypes = unit.language().family() != Family.C;
        int depth = 0;
        scopeHashes[0] = 0;
        functionDepths[0] = 0;
        while (reader.hasRemaining()) {
            long start = reader.offset();
            Abbreviation abbreviation = reader.read();
            if (abbreviation == null) {
                if (depth-- == 0) {
                    return;
                }
                continue;
            }
            int tag = abbreviation.tag();
            long name = reader.die.get(Slot.NAME, NameRef.NONE);
            if (Dwarf.isNamedType(tag)) {
                note(unit, start, abbreviation, name, reader, scopeHashes[depth], functionDepths[depth] > 0, found);
            } else if (tag == Dwarf.DW_TAG_variable || tag == Dwarf.DW_TAG_member) {
                variables.note(start, tag, reader.die, scopeHashes[depth], depth);
            } else if (tag == Dwarf.DW_TAG_imported_unit) {
                importUnit(reader.die.get(Slot.IMPORT, 0), unit);
            }
            if (!abbreviation.hasChildren()) {
                continue;
            }
            boolean function = isFunction(tag);
            if (function ? !selection.intoFunctions() : !isScope(tag, nestedTypes)) {
                reader.skipChildren(abbreviation, start);
                continue;
            }
            if (++depth > dwarf.limits().maxDieDepth()) {
                throw dwarf.exceeded(
                        start, "maxDieDepth", dwarf.limits().maxDieDepth(), "a DIE is nested " + depth + " deep");
            }
            if (depth == scopeHashes.length) {
                scopeHashes = Arrays.copyOf(scopeHashes, depth * 2);
                functionDepths = Arrays.copyOf(functionDepths, depth * 2);
            }
            variables.enter(start, tag, depth);
            functionDepths[depth] = functionDepths[depth - 1] + (function ? 1 : 0);
            scopeHashes[depth] = function ? 0 : scopeHash(scopeHashes[depth - 1], name, reader.die, unit);
        }
    }

    private void importUnit(long unitDie, Unit importer) throws ExtractionException {
        if (unitDie > 0) {
            dwarf.usedBy(unitDie, importer);
        }
    }

    private void note(
            Unit unit,
            long start,
            Abbreviation abbreviation,
            long name,
            DieReader reader,
            long enclosingScope,
            boolean local,
            UnitDefinitions found)
            throws ExtractionException {
        int tag = abbreviation.tag();
        long nameRef = name == NameRef.NONE ? NameRef.NONE : dwarf.names().resolve(name, unit);
        long scopeHash = enclosingScope;
        long origin = reader.die.get(Slot.ORIGIN, 0);
        if (origin > 0) {
            // What a declaration elsewhere has said: the name, and the scope that the definition belongs to.
            int at = Arrays.binarySearch(found.dieOffsets, 0, found.count, origin);
            scopeHash = at >= 0 ? found.scopeHashes[at] : scopeHash(origin);
            if (nameRef == NameRef.NONE) {
                nameRef = at >= 0 ? found.nameRefs[at] : nameAt(origin);
            }
        }
        if (!isWanted(tag, abbreviation, nameRef, start, unit)) {
            return;
        }
        boolean declaration = reader.die.has(Slot.DECLARATION);
        int flags = (declaration ? UnitDefinitions.DECLARATION : 0) | (local ? UnitDefinitions.LOCAL : 0);
        found.add(start, tag, nameRef, scopeHash, flags);
        dwarf.requireEntries(found.count, "definitions", start);
        int at = found.count - 1;
        long what = Hash.mix(tag + ((long) flags << 16));
        if (declaration) {
            found.keysHigh[at] = what;
            found.keysLow[at] = 0;
        } else {
            long encoding = reader.die.get(Slot.ENCODING, 0);
            if (tag == Dwarf.DW_TAG_enumeration_type) {
                hasher.enumeration(start);
            } else {
                hasher.type(start);
            }
            found.keysHigh[at] = Hash.mix(what + hasher.high + encoding);
            found.keysLow[at] = hasher.low;
        }
        long nameHash = nameRef == NameRef.NONE ? 0 : hasher.nameHash(nameRef, unit);
        found.keysHigh[at] = Hash.mix(found.keysHigh[at] + scopeHash ^ nameHash);
        found.keysLow[at] = Hash.mix(found.keysLow[at] ^ nameHash + Hash.GOLDEN);
    }

    /** The name of the DIE at this address. */
    private long nameAt(long address) throws ExtractionException {
        DieReader other = readers.at(address);
        other.require();
        long name = other.die.get(Slot.NAME, NameRef.NONE);
        return name == NameRef.NONE ? NameRef.NONE : dwarf.names().resolve(name, dwarf.unit(address));
    }

    /** The hash of the scope around a DIE, as the walk would have made it. */
    private long scopeHash(long die) throws ExtractionException {
        long hash = 0;
        for (ScopeIndex.Scope scope : scopes.around(die)) {
            long nameRef = scopes.nameRef(scope);
            hash = inner(hash, nameRef == NameRef.NONE ? 0 : hasher.nameHash(nameRef));
        }
        return hash;
    }

    /** The hash of what is inside this DIE. One that only stands for a type with a unit of its own is that type's scope. */
    private long scopeHash(long around, long name, DieScratch die, Unit unit) throws ExtractionException {
        long type = die.get(Slot.SIGNATURE, 0);
        if (type > 0) {
            long typeName = nameAt(type);
            return inner(scopeHash(type), typeName == NameRef.NONE ? 0 : hasher.nameHash(typeName));
        }
        return inner(around, hasher.nameHash(name, unit));
    }

    private static long inner(long scope, long nameHash) {
        return Hash.mix(scope + Hash.GOLDEN ^ nameHash);
    }

    private boolean isWanted(int tag, Abbreviation abbreviation, long nameRef, long start, Unit unit)
            throws ExtractionException {
        NameMatcher types = selection.types();
        if (types == null) {
            return nameRef != NameRef.NONE || tag == Dwarf.DW_TAG_enumeration_type;
        }
        if (nameRef != NameRef.NONE
                && types.matches(dwarf.names().section(nameRef), dwarf.names().checkedOffset(nameRef))) {
            return true;
        }
        return tag == Dwarf.DW_TAG_enumeration_type
                && abbreviation.hasChildren()
                && !selection.enumerators().isEmpty()
                && hasWantedEnumerator(start, unit);
    }

    private boolean hasWantedEnumerator(long start, Unit unit) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        reader.seek(start);
        reader.read();
        for (Abbreviation child = reader.read(); child != null; child = reader.read()) {
            long name = reader.die.get(Slot.NAME, NameRef.NONE);
            if (child.tag() == Dwarf.DW_TAG_enumerator && name != NameRef.NONE) {
                long ref = dwarf.names().resolve(name, unit);
                if (selection
                        .enumerators()
                        .matches(dwarf.names().section(ref), dwarf.names().checkedOffset(ref))) {
                    return true;
                }
            }
            reader.skipChildren(child, reader.offset());
        }
        return false;
    }

    private static boolean isFunction(int tag) {
        return tag == Dwarf.DW_TAG_subprogram
                || tag == Dwarf.DW_TAG_lexical_block
                || (!Dwarf.isType(tag) && !Dwarf.isScope(tag));
    }

    private static boolean isScope(int tag, boolean nestedTypes) {
        return Dwarf.isScope(tag) && (nestedTypes || !Dwarf.isAggregate(tag));
    }
}
