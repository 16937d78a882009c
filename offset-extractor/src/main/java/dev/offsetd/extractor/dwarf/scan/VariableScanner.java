package dev.offsetd.extractor.dwarf.scan;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.DieScratch;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.TypeSpeller;
import dev.offsetd.extractor.dwarf.type.StaticLocation;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.HashMixing;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;

/**
 * Scanner of the variables with static storage duration among the DIEs that a {@link DefinitionScanner} visits (DWARF 5
 * §4.1). Attributes that a definition omits are in the declaration that it
 * completes ({@code DW_AT_specification}), or in its abstract
 * instance ({@code DW_AT_abstract_origin}). Not thread-safe.
 */
final class VariableScanner {

    /** A concrete instance refers to an abstract one, that to a declaration; no producer goes further. */
    static final int MAX_ORIGINS = 4;

    private final DwarfUnits dwarf;
    private final Selection selection;
    private final NameHashes names;
    private final LayoutHasher hasher;
    private final TypeSpeller speller;
    private final DieReaders readers;
    private final Unit unit;
    private final StaticLocation location;
    private final VariableTable found;

    /**
     * Whether {@code extern} in a function declares a variable at file scope, as it does in C. In C++, it is one of the
     * namespace around the function, which its DIE does not tell.
     */
    private final boolean blockExterns;

    /** Attributes of the current DIE and of those that it refers to. */
    private long nameRef;

    private long linkageNameRef;
    private long typeDie;
    private boolean external;

    /** @param root the unit DIE */
    VariableScanner(
            DwarfUnits dwarf,
            Selection selection,
            NameHashes names,
            LayoutHasher hasher,
            TypeSpeller speller,
            DieReaders readers,
            Unit unit,
            DieScratch root,
            VariableTable found) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.names = names;
        this.hasher = hasher;
        this.speller = speller;
        this.readers = readers;
        this.unit = unit;
        this.location = new StaticLocation(
                dwarf.addresses(), dwarf.addressBase(unit, root), unit.header().addressSize(), dwarf.hasZero());
        this.found = found;
        this.blockExterns = dwarf.language(unit).family() == Family.C;
    }

    /** Adds the DIE if it is a selected variable with static storage duration. The reader is not moved. */
    void note(long dieAddress, Abbreviation abbreviation, DieReader reader, ScopeStack scopes)
            throws ExtractionException {
        DieScratch die = reader.die;
        int tag = abbreviation.tag();
        boolean declaration = die.isSet(Slot.DECLARATION);
        boolean local = scopes.isLocal() && !(blockExterns && declaration && die.isSet(Slot.EXTERNAL));
        if (local ? declaration : tag == Dwarf.DW_TAG_member && !isStaticMember(die)) {
            return;
        }
        if (!declaration && !readLocation(die, dieAddress, local)) {
            return;
        }
        long scopedDie = readNames(reader, abbreviation, dieAddress);
        if (nameRef == NameRef.NONE || !isWanted()) {
            return;
        }
        boolean address = !declaration && location.isAddress;
        boolean blockOffset = !declaration && location.isBlockOffset;
        int flags = (declaration ? VariableTable.DECLARATION : 0)
                | (external ? VariableTable.EXTERNAL : 0)
                | (address ? VariableTable.ADDRESS : 0)
                | (blockOffset ? VariableTable.BLOCK_OFFSET : 0)
                | (local ? VariableTable.LOCAL : 0);
        hasher.type(typeDie);
        long nameHash = names.hash(nameRef, unit);
        int row = found.add(dieAddress, nameRef, flags);
        found.set(
                row,
                linkageNameRef,
                typeDie,
                location.address,
                scopedDie,
                local ? scopes.function() : ScopeStack.NO_FUNCTION);
        long identity = address || blockOffset ? location.address : declaration || external ? 0 : dieAddress;
        found.setKey(
                row,
                HashMixing.mix(nameHash + HashMixing.mix(scopes.hash() ^ flags) ^ hasher.high()),
                HashMixing.mix(hasher.low() ^ HashMixing.mix(identity + HashMixing.GOLDEN)));
    }

    /**
     * Returns whether the member is static. Static data members are variables since DWARF 5, and declared members before
     * (§5.7.7).
     */
    private static boolean isStaticMember(DieScratch die) {
        return die.isSet(Slot.DECLARATION) && die.isSet(Slot.EXTERNAL);
    }

    /**
     * Returns whether the variable has static storage duration. Constants and variables that are optimized away have none. GCC
     * states no location of thread-local variables of AArch64 and others: if other units see them, a symbol has their place.
     */
    private boolean readLocation(DieScratch die, long dieAddress, boolean local) throws ExtractionException {
        if (!die.has(Slot.LOCATION)) {
            location.clear();
            return !local && die.isSet(Slot.EXTERNAL) && !die.has(Slot.CONST_VALUE);
        }
        if (!die.isExpression(Slot.LOCATION)) {
            location.clear();
            return !local;
        }
        long length = die.expressionLength(Slot.LOCATION);
        location.read(dwarf.section(dieAddress), die.get(Slot.LOCATION), length);
        return location.isAddress || location.isThreadLocal || (!local && length > 0 && !location.isDiscarded);
    }

    /**
     * Sets name, type and visibility from the DIE and those that it refers to.
     *
     * @return the last of them: the one whose scopes are the variable's
     */
    private long readNames(DieReader first, Abbreviation abbreviation, long dieAddress) throws ExtractionException {
        nameRef = NameRef.NONE;
        linkageNameRef = NameRef.NONE;
        typeDie = 0;
        external = false;
        take(dieAddress, abbreviation, first, unit);
        long scopedDie = dieAddress;
        long originDie = first.die.get(Slot.ORIGIN, 0);
        for (int hops = 0; originDie > 0 && hops < MAX_ORIGINS; hops++) {
            DieReader reader = readers.at(originDie);
            Abbreviation named = reader.require();
            scopedDie = originDie;
            take(originDie, named, reader, dwarf.unit(originDie));
            originDie = reader.die.get(Slot.ORIGIN, 0);
        }
        return scopedDie;
    }

    private void take(long dieAddress, Abbreviation abbreviation, DieReader reader, Unit owner)
            throws ExtractionException {
        DieScratch die = reader.die;
        if (nameRef == NameRef.NONE && die.has(Slot.NAME)) {
            nameRef = speller.nameRef(dieAddress, abbreviation, reader, owner);
        }
        if (linkageNameRef == NameRef.NONE && die.has(Slot.LINKAGE_NAME)) {
            linkageNameRef = dwarf.names().resolve(die.get(Slot.LINKAGE_NAME), owner);
        }
        if (typeDie == 0) {
            typeDie = die.get(Slot.TYPE, 0);
        }
        external |= die.isSet(Slot.EXTERNAL);
    }

    private boolean isWanted() throws ExtractionException {
        NameMatcher wanted = selection.variables();
        return wanted == null
                || matches(wanted, nameRef)
                || (linkageNameRef != NameRef.NONE && matches(wanted, linkageNameRef));
    }

    private boolean matches(NameMatcher wanted, long ref) throws ExtractionException {
        return wanted.matches(dwarf.names().section(ref), dwarf.names().checkedOffset(ref));
    }
}
