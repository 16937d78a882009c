package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.NameRef;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.name.ScopeIndex.Scope;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.dwarf.unit.UnitMemo;
import dev.offsetd.extractor.dwarf.unit.UnitReaders;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.Language.Family;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * What DIEs stand in, across units: a definition belongs to the scope of its declaration ({@code DW_AT_specification}), and
 * what stands for a type with a unit of its own ({@code DW_AT_signature}) to that type's. GCC puts the definition of a type
 * unit beside its namespaces, and a nameless or named stand-in around nested types. Not thread-safe.
 */
public final class Scopes {

    /** Most references followed for one DIE: no producer needs as many, and hostile references can form cycles. */
    private static final int MAX_STEPS = 64;

    private static final int MAX_UNITS = 64;

    private static final String ANONYMOUS_NAMESPACE = "(anonymous namespace)";

    private final DwarfUnits dwarf;
    private final TypeSpeller speller;
    private final UnitReaders readers;
    private final UnitMemo<ScopeIndex> units;

    /** By function, what is in it. */
    private final UnitMemo<ScopeIndex> functions;

    private final UnitMemo<String> names;
    private int unitsKept;

    /** @param speller of the types among the scopes */
    Scopes(DwarfUnits dwarf, TypeSpeller speller) {
        this.dwarf = dwarf;
        this.speller = speller;
        this.readers = new UnitReaders(dwarf);
        this.units = new UnitMemo<>(dwarf);
        this.functions = new UnitMemo<>(dwarf);
        this.names = new UnitMemo<>(dwarf);
    }

    /**
     * Returns the namespaces and classes around the DIE, each followed by {@code ::}; empty at file scope, in
     * functions and in C.
     */
    public String qualifier(long die) throws ExtractionException {
        if (dwarf.language(dwarf.unit(die)).family() == Family.C) {
            return "";
        }
        StringBuilder out = new StringBuilder();
        for (Scope scope : scopesAround(die)) {
            String name = name(scope);
            if (!name.isEmpty()) {
                out.append(name).append("::");
            }
            if (out.length() > dwarf.limits().maxNameBytes()) {
                throw dwarf.exceeded(
                        die,
                        "maxNameBytes",
                        dwarf.limits().maxNameBytes(),
                        "the names of the scopes around it are longer");
            }
        }
        return out.toString();
    }

    /** Returns the name of a scope with those around it. */
    public String qualifiedName(long die) throws ExtractionException {
        DieReader reader = readers.at(die);
        long nameRef = speller.nameRef(die, reader.require(), reader, dwarf.unit(die));
        return qualifier(die)
                + (nameRef == NameRef.NONE ? ANONYMOUS_NAMESPACE : dwarf.names().text(nameRef, dwarf.unit(die)));
    }

    /**
     * Returns the DIEs of the scopes around a DIE, from the outermost to the innermost; none if one of them is a function.
     */
    public List<Long> around(long dieAddress) throws ExtractionException {
        return scopesAround(dieAddress).stream().map(Scope::start).toList();
    }

    private List<Scope> scopesAround(long die) throws ExtractionException {
        List<Scope> found = new ArrayList<>();
        int steps = 0;
        long at = declarationOf(die);
        ScopeIndex index = index(at);
        Scope scope = index.around(at);
        while (scope != null) {
            if (scope.function()) {
                return List.of();
            }
            found.add(scope);
            if (scope.elsewhere() > 0 && steps++ < MAX_STEPS) {
                at = declarationOf(scope.elsewhere());
                index = index(at);
                scope = index.around(at);
            } else {
                scope = index.parent(scope);
            }
        }
        return found.reversed();
    }

    /** Returns whether a type is local to a function, or in a namespace without a name: no other unit can mean it. */
    public boolean isVisibleInUnitOnly(long die) throws ExtractionException {
        ScopeIndex index = index(die);
        for (Scope scope = index.around(die); scope != null; scope = index.parent(scope)) {
            if (scope.function() || (scope.elsewhere() == 0 && name(scope).equals(ANONYMOUS_NAMESPACE))) {
                return true;
            }
        }
        return false;
    }

    /**
     * Returns the function that the DIE is local to, with the scopes around it; empty if there is none, or it has no
     * name.
     */
    public String function(long die) throws ExtractionException {
        ScopeIndex index = index(die);
        Scope scope = index.around(die);
        String name = "";
        if (scope != null && scope.function()) {
            ScopeIndex inside = inside(scope);
            name = functionName(inside, inside.around(die));
        }
        return name.isEmpty() ? functionName(index, scope) : name;
    }

    /** Returns the name of the innermost function among this scope and those around it; empty if none has one. */
    private String functionName(ScopeIndex index, @Nullable Scope innermost) throws ExtractionException {
        String name = "";
        for (Scope scope = innermost; scope != null && name.isEmpty(); scope = index.parent(scope)) {
            name = scope.function() ? name(scope) : "";
            name = name.isEmpty() ? name : qualifier(scope.start()) + name;
        }
        return name;
    }

    /** Returns the name of a function with the scopes around it; empty if it has none. */
    public String functionAt(long die) throws ExtractionException {
        long nameRef = nameRef(die);
        return nameRef == NameRef.NONE ? "" : qualifier(die) + dwarf.names().text(nameRef, dwarf.unit(die));
    }

    /** Returns the resolved name of the scope at this address, or {@link NameRef#NONE}. */
    public long nameRef(long scope) throws ExtractionException {
        DieReader reader = readers.at(scope);
        Abbreviation abbreviation = reader.require();
        if (reader.die.has(Slot.NAME)) {
            return speller.nameRef(scope, abbreviation, reader, dwarf.unit(scope));
        }
        // Where the type around a nested one has a unit of its own, clang puts a nameless stand-in.
        long origin = reader.die.has(Slot.SIGNATURE) ? reader.die.get(Slot.SIGNATURE) : reader.die.get(Slot.ORIGIN, 0);
        // A definition has its name from its declaration, a concrete function from its abstract one: two steps at most.
        for (int steps = 0; origin > 0 && steps < 3; steps++) {
            DieReader other = readers.at(origin);
            Abbreviation named = other.read();
            if (named == null) {
                break;
            }
            if (other.die.has(Slot.NAME)) {
                return speller.nameRef(origin, named, other, dwarf.unit(origin));
            }
            origin = other.die.get(Slot.ORIGIN, 0);
        }
        return NameRef.NONE;
    }

    private String name(Scope scope) throws ExtractionException {
        String known = names.get(scope.start());
        if (known == null) {
            long nameRef = nameRef(scope.start());
            known = nameRef == NameRef.NONE ? nameless(scope) : dwarf.names().text(nameRef, dwarf.unit(scope.start()));
            names.put(scope.start(), known, known.length(), scope.start());
        }
        return known;
    }

    private String nameless(Scope scope) throws ExtractionException {
        DieReader reader = readers.at(scope.start());
        Abbreviation abbreviation = reader.require();
        return abbreviation.tag() == Dwarf.DW_TAG_namespace ? ANONYMOUS_NAMESPACE : "";
    }

    /** Returns the DIE whose place decides where this one belongs. */
    private long declarationOf(long die) throws ExtractionException {
        long at = die;
        for (int steps = 0; steps < MAX_STEPS; steps++) {
            DieReader reader = readers.at(at);
            reader.require();
            long elsewhere = reader.die.get(Slot.SIGNATURE, reader.die.get(Slot.ORIGIN, 0));
            if (elsewhere <= 0) {
                break;
            }
            at = elsewhere;
        }
        return at;
    }

    private ScopeIndex index(long die) throws ExtractionException {
        Unit unit = dwarf.unit(die);
        long start = unit.header().startAddress();
        ScopeIndex known = units.get(start);
        if (known == null) {
            if (unitsKept++ == MAX_UNITS) {
                units.clear();
                functions.clear();
                names.clear();
                unitsKept = 1;
            }
            known = ScopeIndex.of(unit, dwarf, units.account());
            units.put(start, known, 0, start);
        }
        return known;
    }

    private ScopeIndex inside(Scope function) throws ExtractionException {
        ScopeIndex known = functions.get(function.start());
        if (known == null) {
            known = ScopeIndex.inside(function, dwarf.unit(function.start()), dwarf, functions.account());
            functions.put(function.start(), known, 0, function.start());
        }
        return known;
    }
}
