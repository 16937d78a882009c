package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.Language.Family;
import dev.offsetd.extractor.layout.Omission.Part;
import java.util.HashSet;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Scanner of units for the selected types, and with a {@link VariableScanner} for variables. A DIE is skipped unless its
 * name is selected or its children may be. Namespaces and classes are entered, and functions if the {@link Selection}
 * includes them; otherwise {@code DW_AT_sibling} leads past them. Structs of C are entered if their compiler may put types
 * there. In a scan for every type, which reads the members of each for its layout, they are entered if that found some.
 * Not thread-safe.
 */
public final class DefinitionScanner {

    /** Heap is counted for this many definitions of a unit at once. */
    private static final int COUNTED_TOGETHER = 1024;

    private final DwarfUnits dwarf;
    private final Selection selection;
    private final MemoryAccount texts;
    private final TypeSpeller speller;
    private final NameHashes names;
    private final LayoutHasher hasher;
    private final ScopeHasher scopeHasher;
    private final ScopeStack scopes;
    private final DieReaders readers;

    /** Hashes of the scopes of inline namespaces found so far. */
    private final Set<Long> inlineNamespaces = new HashSet<>();

    public DefinitionScanner(DwarfUnits dwarf, Selection selection) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.texts = new MemoryAccount(dwarf);
        this.speller = new TypeSpeller(dwarf, texts);
        this.names = new NameHashes(dwarf.names());
        this.hasher = new LayoutHasher(dwarf, names, speller);
        this.scopeHasher = new ScopeHasher(dwarf, names, speller);
        this.scopes = new ScopeStack(dwarf, scopeHasher);
        this.readers = new DieReaders(dwarf);
    }

    /**
     * Returns the selected definitions of one unit, each with the key by which equal ones are found; none if a fault keeps
     * the unit from being read to its end, which is noted.
     */
    public UnitDefinitions scan(int unitIndex) throws LimitExceededException {
        UnitDefinitions found = new UnitDefinitions(unitIndex);
        try {
            scan(dwarf.unit(unitIndex), found);
            return found;
        } catch (ExtractionException e) {
            dwarf.omit(Part.UNIT, dwarf.startAddress(unitIndex), e);
            dwarf.release(found.heapBytes());
            return new UnitDefinitions(unitIndex);
        }
    }

    private void scan(Unit unit, UnitDefinitions found) throws ExtractionException {
        hasher.beginUnit(unit);
        speller.beginUnit();
        speller.forgetTexts();
        texts.clear();
        walk(unit, found);
    }

    /**
     * A walk over the DIEs of a unit.
     *
     * @param nestedTypes whether every struct is entered for the types in it
     */
    private record Walk(
            Unit unit,
            DieReader reader,
            Section strings,
            VariableScanner variables,
            boolean nestedTypes,
            UnitDefinitions found) {}

    private void walk(Unit unit, UnitDefinitions found) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        Abbreviation root = reader.hasRemaining() ? reader.read() : null;
        if (root == null || !root.hasChildren()) {
            return;
        }
        VariableScanner variables = new VariableScanner(
                dwarf, selection, names, hasher, speller, readers, unit, reader.die, found.variables);
        scopes.begin(unit.language());
        boolean nestedTypes = selection.isOfEveryType()
                ? unit.language().family() != Family.C
                : selection.intoFunctions() || NestedTags.mayBeIn(unit, dwarf.names());
        Walk walk = new Walk(unit, reader, dwarf.names().strings(unit.header().file()), variables, nestedTypes, found);
        boolean endedEarly = false;
        while (reader.hasRemaining()) {
            long dieAddress = reader.address();
            try {
                boolean end = !step(walk, dieAddress);
                if (end && reader.passPadding()) {
                    endedEarly = true;
                    dwarf.omit(Part.UNIT, dieAddress, dwarf.malformed(dieAddress, "the DIEs end before their unit"));
                }
            } catch (ExtractionException e) {
                if (!leaveScope(reader, dieAddress, e)) {
                    if (!endedEarly) {
                        throw e;
                    }
                    break;
                }
            }
        }
        dwarf.omissions().noteUnit();
    }

    /**
     * Reads a DIE, or the end of a list of children.
     *
     * @return false at the end of the list that belongs to the unit itself. DIEs that follow nevertheless are read as a part of
     *     it: a {@code DW_AT_sibling} has led into the children of its DIE
     */
    private boolean step(Walk walk, long dieAddress) throws ExtractionException {
        DieReader reader = walk.reader;
        Abbreviation abbreviation = reader.next();
        if (abbreviation == null) {
            boolean inside = scopes.leave();
            if (!inside) {
                scopes.begin(walk.unit.language());
            }
            return inside;
        }
        boolean entered = abbreviation.hasChildren() && isEntered(abbreviation, walk.nestedTypes);
        if (isNoted(dieAddress, abbreviation, reader, walk.strings)) {
            reader.capture(abbreviation);
            long behind = reader.address();
            try {
                entered |= note(walk, dieAddress, abbreviation);
            } catch (ExtractionException e) {
                dwarf.omit(part(abbreviation), dieAddress, e);
                reader.seek(behind);
            }
            if (!entered) {
                reader.skipChildren(abbreviation);
            }
        } else if (entered) {
            reader.passAttributes(abbreviation);
        } else {
            reader.pass(abbreviation);
        }
        if (entered) {
            scopes.enter(dieAddress, abbreviation);
            if (abbreviation.isInlineNamespace()) {
                noteInlineNamespace(dieAddress, walk.found);
            }
        }
        return true;
    }

    /** Notes a DIE, and returns whether it is a struct of C that has types among its children. */
    private boolean note(Walk walk, long dieAddress, Abbreviation abbreviation) throws ExtractionException {
        if (abbreviation.isNamedType()) {
            noteType(walk.unit, dieAddress, abbreviation, walk.reader, walk.found);
            return !walk.nestedTypes && isNesting(dieAddress, abbreviation, walk.reader);
        }
        if (abbreviation.isVariable()) {
            walk.variables.note(dieAddress, abbreviation, walk.reader, scopes);
            countVariables(dieAddress, walk.found);
        } else {
            importUnit(walk.reader.die.get(Slot.IMPORT, 0), walk.unit);
        }
        return false;
    }

    /**
     * Goes on behind the innermost scope around a fault that tells its end by {@code DW_AT_sibling}. The rest of
     * its children is left out.
     *
     * @return false if no scope tells its end
     */
    private boolean leaveScope(DieReader reader, long faultyDie, ExtractionException fault) throws ExtractionException {
        for (long scopeDie = scopes.innermost(); scopeDie != 0; scopeDie = scopes.innermost()) {
            scopes.leave();
            DieReader scope = readers.at(scopeDie);
            Abbreviation abbreviation = scope.require();
            if (scope.die.has(Slot.SIBLING)) {
                scope.skipChildren(abbreviation);
                if (scope.address() > faultyDie) {
                    dwarf.omit(part(abbreviation), scopeDie, fault);
                    reader.seek(scope.address());
                    return true;
                }
            }
        }
        return false;
    }

    private static Part part(Abbreviation noted) {
        return noted.isNamedType() ? Part.TYPE : noted.isVariable() ? Part.VARIABLE : Part.UNIT;
    }

    /** Returns whether a struct of C has types among its children, as far as its layout has been needed. */
    private boolean isNesting(long dieAddress, Abbreviation abbreviation, DieReader reader) throws ExtractionException {
        if (!abbreviation.isScope() || !abbreviation.hasChildren()) {
            return false;
        }
        if (selection.isOfEveryType() && !reader.die.has(Slot.NAME)) {
            // Its layout is needed later: a member or typedef refers to it.
            hasher.type(dieAddress);
        }
        return hasher.nestsTypes(dieAddress);
    }

    private void noteInlineNamespace(long dieAddress, UnitDefinitions found) throws ExtractionException {
        if (inlineNamespaces.add(scopes.hash())) {
            dwarf.requireEntries(inlineNamespaces.size(), "inline namespaces", dieAddress);
            dwarf.keep(MemoryAccount.NOTE_BYTES, dieAddress);
            found.inlineNamespaces.add(dieAddress);
        }
    }

    private void countVariables(long dieAddress, UnitDefinitions found) throws ExtractionException {
        long bytes = (long) found.variables.count() / COUNTED_TOGETHER * COUNTED_TOGETHER * VariableTable.BYTES;
        if (bytes > found.countedVariableBytes) {
            dwarf.keep(bytes - found.countedVariableBytes, dieAddress);
            found.countedVariableBytes = bytes;
        }
    }

    /**
     * Returns whether the DIE whose abbreviation was read last is one to note, as far as its name alone tells. A name that
     * cannot be read is a fault of this DIE.
     */
    private boolean isNoted(long dieAddress, Abbreviation abbreviation, DieReader reader, Section strings)
            throws LimitExceededException {
        try {
            return isNoted(abbreviation, reader, strings);
        } catch (ExtractionException e) {
            dwarf.omit(part(abbreviation), dieAddress, e);
            return false;
        }
    }

    private boolean isNoted(Abbreviation abbreviation, DieReader reader, Section strings) throws ExtractionException {
        if (abbreviation.isNamedType()) {
            boolean mayHoldEnumerator = abbreviation.tag() == Dwarf.DW_TAG_enumeration_type
                    && !selection.enumerators().isEmpty();
            return mayHoldEnumerator || mayBeNamed(selection.types(), strings, abbreviation, reader);
        }
        if (abbreviation.isVariable()) {
            return selection.hasVariables()
                    && (abbreviation.isLocatedByExpression() || abbreviation.isExternDeclaration() || !scopes.isLocal())
                    && mayBeNamed(selection.variables(), strings, abbreviation, reader);
        }
        return abbreviation.tag() == Dwarf.DW_TAG_imported_unit;
    }

    private static boolean mayBeNamed(
            @Nullable NameMatcher wanted, Section strings, Abbreviation abbreviation, DieReader reader)
            throws ExtractionException {
        return wanted == null || abbreviation.nameAt() < 0 || wanted.mayMatch(strings, reader.nameOffset(abbreviation));
    }

    private void importUnit(long unitDie, Unit importer) throws ExtractionException {
        if (unitDie > 0) {
            dwarf.usedBy(unitDie, importer);
        }
    }

    private void noteType(
            Unit unit, long dieAddress, Abbreviation abbreviation, DieReader reader, UnitDefinitions found)
            throws ExtractionException {
        DieScratch die = reader.die;
        DefinitionTable definitions = found.definitions;
        int tag = abbreviation.tag();
        long nameRef = nameRef(dieAddress, abbreviation, reader, unit);
        long originDie = Math.max(die.get(Slot.ORIGIN, 0), 0);
        // An out-of-line definition takes its name and scope from the declaration that DW_AT_specification names.
        int declared = originDie > 0 ? definitions.find(originDie) : -1;
        if (originDie > 0 && nameRef == NameRef.NONE) {
            nameRef = declared >= 0 ? definitions.nameRef(declared) : scopeHasher.nameAt(originDie);
        }
        if (!isWanted(tag, abbreviation, nameRef, dieAddress, unit)) {
            return;
        }
        long scopeHash = originDie == 0
                ? scopeHashHere(unit, dieAddress)
                : declared >= 0 ? definitions.scopeHash(declared) : scopeHasher.around(originDie);
        boolean declaration = die.isSet(Slot.DECLARATION);
        int flags = (declaration ? DefinitionTable.DECLARATION : 0) | (scopes.isLocal() ? DefinitionTable.LOCAL : 0);
        long high = HashMixing.mix(tag + ((long) flags << 16));
        long low = 0;
        if (!declaration) {
            long encoding = die.get(Slot.ENCODING, 0);
            if (tag == Dwarf.DW_TAG_enumeration_type) {
                hasher.enumeration(dieAddress);
            } else {
                hasher.type(dieAddress);
            }
            high = HashMixing.mix(high + hasher.high() + encoding);
            low = HashMixing.mix(hasher.low() ^ hasher.readings());
        }
        long nameHash = nameRef == NameRef.NONE ? 0 : names.hash(nameRef);
        definitions.add(dieAddress, tag, nameRef, scopeHash, flags);
        if (definitions.count() % COUNTED_TOGETHER == 0) {
            found.countedBytes += COUNTED_TOGETHER * UnitDefinitions.BYTES;
            dwarf.keep(COUNTED_TOGETHER * UnitDefinitions.BYTES, dieAddress);
        }
        dwarf.requireEntries(definitions.count(), "definitions", dieAddress);
        definitions.setKey(
                definitions.count() - 1,
                HashMixing.mix(high + scopeHash ^ nameHash),
                HashMixing.mix(low ^ nameHash + HashMixing.GOLDEN));
    }

    /** Types local to two functions are two types, which queries name by the function. */
    private long scopeHashHere(Unit unit, long dieAddress) throws ExtractionException {
        if (unit.language().isFortran() && !scopes.isLocal()) {
            // A type at file scope may belong to a module.
            return scopeHasher.around(dieAddress);
        }
        long functionDie = scopes.function();
        return functionDie > 0 ? scopes.hash() + scopeHasher.function(functionDie) : scopes.hash();
    }

    /** Returns the resolved name; its template arguments are put together only if it may be wanted with them. */
    private long nameRef(long dieAddress, Abbreviation abbreviation, DieReader reader, Unit unit)
            throws ExtractionException {
        long name = reader.die.get(Slot.NAME, NameRef.NONE);
        if (name == NameRef.NONE) {
            return name;
        }
        long resolved = dwarf.names().resolve(name, unit);
        NameMatcher wanted = selection.types();
        return wanted == null
                        || wanted.mayMatch(
                                dwarf.names().section(resolved), dwarf.names().checkedOffset(resolved))
                ? speller.nameRef(dieAddress, abbreviation, reader, unit)
                : resolved;
    }

    private boolean isWanted(int tag, Abbreviation abbreviation, long nameRef, long dieAddress, Unit unit)
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
                && hasWantedEnumerator(dieAddress, unit);
    }

    private boolean hasWantedEnumerator(long dieAddress, Unit unit) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        reader.require();
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
            reader.skipChildren(child);
        }
        return false;
    }

    private boolean isEntered(Abbreviation abbreviation, boolean nestedTypes) {
        return abbreviation.isFunction()
                ? selection.intoFunctions()
                : abbreviation.isScope() && (nestedTypes || !abbreviation.isNamedType());
    }
}
