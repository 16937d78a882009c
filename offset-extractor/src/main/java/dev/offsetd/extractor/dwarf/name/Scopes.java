package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.ScopeIndex.Scope;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DieReaders;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.dwarf.unit.UnitMemo;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Scopes of DIEs, across units. A definition belongs to the scope of its declaration ({@code DW_AT_specification}), and a
 * stand-in for a type in a type unit ({@code DW_AT_signature}) to the scope of that
 * type. GCC puts the definition of a type
 * unit beside its namespaces, and a nameless or named stand-in around nested types. Not thread-safe.
 */
public final class Scopes {

    /** Most references followed for one DIE: no producer needs as many, and hostile references can form cycles. */
    private static final int MAX_STEPS = 64;

    private static final int MAX_UNITS = 64;

    private static final String INITIAL_VALUE = "__def_init_";

    private static final String ANONYMOUS_NAMESPACE = "(anonymous namespace)";

    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final DieReaders readers;
    private final UnitMemo<ScopeIndex> units;

    /** By function, what is in it. */
    private final UnitMemo<ScopeIndex> functions;

    private final UnitMemo<String> names;

    /** By unit of Fortran, the modules of types that gfortran put beside them. */
    private final UnitMemo<Map<Long, Scope>> modules;

    private int unitsKept;

    /** @param speller of the types among the scopes */
    Scopes(DwarfUnits dwarf, TypeSpeller speller) {
        this.dwarf = dwarf;
        this.speller = speller;
        this.readers = new DieReaders(dwarf);
        this.units = new UnitMemo<>(dwarf);
        this.functions = new UnitMemo<>(dwarf);
        this.names = new UnitMemo<>(dwarf);
        this.modules = new UnitMemo<>(dwarf);
    }

    /**
     * Returns the namespaces and classes around the DIE, each followed by {@code ::}; empty at file scope, in
     * functions and in C.
     */
    public String qualifier(long dieAddress) throws ExtractionException {
        if (dwarf.language(dwarf.unit(dieAddress)).family() == Family.C) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        for (Scope scope : scopesAround(dieAddress)) {
            String name = name(scope);
            if (!name.isEmpty()) {
                out.append(name).append("::");
            }
            if (out.length() > dwarf.limits().maxNameBytes()) {
                throw dwarf.exceeded(
                        dieAddress,
                        "maxNameBytes",
                        dwarf.limits().maxNameBytes(),
                        "the names of the scopes around it are longer");
            }
        }
        return out.toString();
    }

    /** Returns the name of a scope with those around it. */
    public String qualifiedName(long dieAddress) throws ExtractionException {
        DieReader reader = readers.at(dieAddress);
        long nameRef = speller.nameRef(dieAddress, reader.require(), reader, dwarf.unit(dieAddress));
        return qualifier(dieAddress)
                + (nameRef == NameRef.NONE ? ANONYMOUS_NAMESPACE : dwarf.names().text(nameRef, dwarf.unit(dieAddress)));
    }

    /**
     * Returns the DIEs of the scopes around a DIE that are part of its name, from the outermost to the innermost; none if
     * one of them is a function.
     */
    public List<Long> around(long dieAddress) throws ExtractionException {
        return scopesAround(dieAddress).stream().map(Scope::dieAddress).toList();
    }

    private List<Scope> scopesAround(long dieAddress) throws ExtractionException {
        List<Scope> found = new ArrayList<>();
        int steps = 0;
        long targetDie = declarationOf(dieAddress);
        Scope scope = index(targetDie).around(targetDie);
        if (scope == null && dwarf.unit(targetDie).language().isFortran()) {
            scope = module(targetDie);
        }
        while (scope != null) {
            if (scope.isFunction()) {
                return List.of();
            }
            if (scope.isPartOfNames()) {
                found.add(scope);
            }
            if (scope.elsewhereDie() > 0 && steps++ < MAX_STEPS) {
                targetDie = declarationOf(scope.elsewhereDie());
                scope = index(targetDie).around(targetDie);
            } else {
                scope = scope.parent();
            }
        }
        return found.reversed();
    }

    /**
     * Returns the module of a type at file scope. gfortran 12 writes only the first module of a file with its types, and
     * puts the types of the others beside their modules. Each module has an artificial variable with the initial value of
     * each of its types, {@code __def_init_MODULE_Type}, which leads from the module to the type.
     */
    private @Nullable Scope module(long typeDie) throws ExtractionException {
        Unit unit = dwarf.unit(typeDie);
        long unitAddress = unit.header().startAddress();
        Map<Long, Scope> known = modules.get(unitAddress);
        if (known == null) {
            known = new HashMap<>();
            DieReader reader = dwarf.reader(unit);
            Abbreviation next = reader.hasRemaining() ? reader.read() : null;
            while (next != null && reader.hasRemaining()) {
                long moduleDie = reader.address();
                next = reader.read();
                if (next == null) {
                    break;
                }
                if (next.tag() == Dwarf.DW_TAG_module && next.hasChildren() && reader.die.has(Slot.NAME)) {
                    String module = dwarf.names().text(reader.die.get(Slot.NAME), unit);
                    addTypes(new Scope(moduleDie, false, true, null, 0), INITIAL_VALUE + module + "_", reader, known);
                } else {
                    reader.skipChildren(next);
                }
            }
            modules.put(unitAddress, known, 0, unitAddress);
        }
        return known.get(typeDie);
    }

    /** @param reader has just read the DIE of the module */
    private void addTypes(Scope module, String prefix, DieReader reader, Map<Long, Scope> into)
            throws ExtractionException {
        Unit unit = dwarf.unit(module.dieAddress());
        for (Abbreviation next = reader.read(); next != null; next = reader.read()) {
            long typeDie = reader.die.get(Slot.TYPE, 0);
            if (next.tag() == Dwarf.DW_TAG_variable
                    && typeDie > 0
                    && reader.die.has(Slot.NAME)
                    && dwarf.names().text(reader.die.get(Slot.NAME), unit).startsWith(prefix)) {
                modules.account().addEntry(MemoryAccount.NOTE_BYTES, module.dieAddress());
                into.putIfAbsent(typeDie, module);
            }
            reader.skipChildren(next);
        }
    }

    /** Returns whether a type is local to a function, or in a namespace without a name: no other unit can mean it. */
    public boolean isVisibleInUnitOnly(long dieAddress) throws ExtractionException {
        for (Scope scope = index(dieAddress).around(dieAddress); scope != null; scope = scope.parent()) {
            if (scope.isFunction() || (scope.elsewhereDie() == 0 && name(scope).equals(ANONYMOUS_NAMESPACE))) {
                return true;
            }
        }
        return false;
    }

    /** Returns whether a type is local to a function, by itself or with the class around it. */
    public boolean isInFunction(long dieAddress) throws ExtractionException {
        Scope scope = index(dieAddress).around(dieAddress);
        return scope != null && scope.isFunction();
    }

    /**
     * Returns the function that the DIE is local to, with the scopes around it; empty if there is none, or it has no
     * name.
     */
    public String function(long dieAddress) throws ExtractionException {
        Scope scope = index(dieAddress).around(dieAddress);
        String name = "";
        if (scope != null && scope.isFunction()) {
            name = functionName(inside(scope).around(dieAddress));
        }
        return name.isEmpty() ? functionName(scope) : name;
    }

    /** Returns the name of the innermost function among this scope and those around it; empty if none has one. */
    private String functionName(@Nullable Scope innermost) throws ExtractionException {
        String name = "";
        for (Scope scope = innermost; scope != null && name.isEmpty(); scope = scope.parent()) {
            name = scope.isFunction() ? name(scope) : "";
            name = name.isEmpty() ? name : qualifier(scope.dieAddress()) + name;
        }
        return name;
    }

    /** Returns the name of a function with the scopes around it; empty if it has none. */
    public String functionAt(long dieAddress) throws ExtractionException {
        long nameRef = nameRef(dieAddress);
        return nameRef == NameRef.NONE
                ? ""
                : qualifier(dieAddress) + dwarf.names().text(nameRef, dwarf.unit(dieAddress));
    }

    /** Returns the resolved name of the scope at this address, or {@link NameRef#NONE}. */
    public long nameRef(long scopeDie) throws ExtractionException {
        DieReader reader = readers.at(scopeDie);
        Abbreviation abbreviation = reader.require();
        if (reader.die.has(Slot.NAME)) {
            return speller.nameRef(scopeDie, abbreviation, reader, dwarf.unit(scopeDie));
        }
        // If the outer type of a nested one is in a type unit, clang writes a nameless stand-in.
        long originDie =
                reader.die.has(Slot.SIGNATURE) ? reader.die.get(Slot.SIGNATURE) : reader.die.get(Slot.ORIGIN, 0);
        // A definition has its name from its declaration, a concrete function from its abstract one: two steps at most.
        for (int steps = 0; originDie > 0 && steps < 3; steps++) {
            DieReader other = readers.at(originDie);
            Abbreviation named = other.read();
            if (named == null) {
                break;
            }
            if (other.die.has(Slot.NAME)) {
                return speller.nameRef(originDie, named, other, dwarf.unit(originDie));
            }
            originDie = other.die.get(Slot.ORIGIN, 0);
        }
        return NameRef.NONE;
    }

    private String name(Scope scope) throws ExtractionException {
        String known = names.get(scope.dieAddress());
        if (known == null) {
            long nameRef = nameRef(scope.dieAddress());
            known = nameRef == NameRef.NONE
                    ? nameless(scope)
                    : dwarf.names().text(nameRef, dwarf.unit(scope.dieAddress()));
            names.put(scope.dieAddress(), known, known.length(), scope.dieAddress());
        }
        return known;
    }

    private String nameless(Scope scope) throws ExtractionException {
        DieReader reader = readers.at(scope.dieAddress());
        Abbreviation abbreviation = reader.require();
        return abbreviation.tag() == Dwarf.DW_TAG_namespace ? ANONYMOUS_NAMESPACE : "";
    }

    /** Returns the DIE whose place decides where this one belongs. */
    private long declarationOf(long dieAddress) throws ExtractionException {
        long targetDie = dieAddress;
        for (int steps = 0; steps < MAX_STEPS; steps++) {
            DieReader reader = readers.at(targetDie);
            reader.require();
            long elsewhereDie = reader.die.get(Slot.SIGNATURE, reader.die.get(Slot.ORIGIN, 0));
            if (elsewhereDie <= 0) {
                break;
            }
            targetDie = elsewhereDie;
        }
        return targetDie;
    }

    private ScopeIndex index(long dieAddress) throws ExtractionException {
        Unit unit = dwarf.unit(dieAddress);
        long unitAddress = unit.header().startAddress();
        ScopeIndex known = units.get(unitAddress);
        if (known == null) {
            if (unitsKept++ == MAX_UNITS) {
                units.clear();
                functions.clear();
                names.clear();
                modules.clear();
                unitsKept = 1;
            }
            known = ScopeIndex.of(unit, dwarf, units.account());
            units.put(unitAddress, known, 0, unitAddress);
        }
        return known;
    }

    private ScopeIndex inside(Scope function) throws ExtractionException {
        ScopeIndex known = functions.get(function.dieAddress());
        if (known == null) {
            known = ScopeIndex.inside(function, dwarf.unit(function.dieAddress()), dwarf, functions.account());
            functions.put(function.dieAddress(), known, 0, function.dieAddress());
        }
        return known;
    }
}
