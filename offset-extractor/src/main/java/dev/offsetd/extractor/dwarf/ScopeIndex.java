package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces, classes and functions of one unit, to find what a DIE stands in: a DIE says nothing of its parents.
 * Immutable.
 */
final class ScopeIndex {

    /**
     * A namespace, class or function.
     *
     * @param start address of its DIE
     * @param end address behind its last child
     * @param nameRef its resolved name, or {@link NameRef#NONE}
     * @param function whether types inside are local
     * @param parent number of the scope around it, or -1
     * @param elsewhere address of the DIE that says where it belongs: the declaration that it completes, or the type that
     *     it only stands for; 0 if it belongs where it is
     */
    record Scope(long start, long end, String name, long nameRef, boolean function, int parent, long elsewhere) {

        Scope endingAt(long address) {
            return new Scope(start, address, name, nameRef, function, parent, elsewhere);
        }
    }

    private final List<Scope> scopes;
    private final long characters;

    private ScopeIndex(List<Scope> scopes, long characters) {
        this.scopes = scopes;
        this.characters = characters;
    }

    static ScopeIndex of(Unit unit, DwarfTypes dwarf) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        if (!reader.hasRemaining() || reader.read() == null) {
            return new ScopeIndex(List.of(), 0);
        }
        Kept kept = new Kept(dwarf);
        long characters = 0;
        List<Scope> scopes = new ArrayList<>();
        List<Integer> open = new ArrayList<>();
        while (reader.hasRemaining()) {
            long start = reader.offset();
            Abbreviation abbreviation = reader.read();
            if (abbreviation == null) {
                if (open.isEmpty()) {
                    break;
                }
                int closed = open.removeLast();
                scopes.set(closed, scopes.get(closed).endingAt(reader.offset()));
                continue;
            }
            if (!abbreviation.hasChildren()) {
                continue;
            }
            int tag = abbreviation.tag();
            if (Dwarf.isType(tag) && !Dwarf.isAggregate(tag)) {
                reader.skipChildren(abbreviation, start);
                continue;
            }
            boolean function = !Dwarf.isAggregate(tag) && tag != Dwarf.DW_TAG_namespace && tag != Dwarf.DW_TAG_module;
            long elsewhere = reader.die.get(Slot.SIGNATURE, reader.die.get(Slot.ORIGIN, 0));
            long nameRef = nameRef(reader, unit, dwarf);
            String name = nameRef != NameRef.NONE
                    ? dwarf.names().text(nameRef, unit)
                    : tag == Dwarf.DW_TAG_namespace ? "(anonymous namespace)" : "";
            kept.add(name.length(), start);
            kept.addEntries(1, start);
            characters += name.length();
            int parent = open.isEmpty() ? -1 : open.getLast();
            open.add(scopes.size());
            long end = unit.header().base() + unit.header().end();
            scopes.add(new Scope(start, end, name, nameRef, function, parent, function ? 0 : Math.max(elsewhere, 0)));
        }
        return new ScopeIndex(scopes, characters);
    }

    /** Characters of all names in it. */
    long characters() {
        return characters;
    }

    private static long nameRef(DieReader reader, Unit unit, DwarfTypes dwarf) throws ExtractionException {
        if (reader.die.has(Slot.NAME)) {
            return dwarf.names().resolve(reader.die.get(Slot.NAME), unit);
        }
        // Where the type around a nested one has a unit of its own, clang puts a nameless stand-in.
        long origin = reader.die.has(Slot.SIGNATURE) ? reader.die.get(Slot.SIGNATURE) : reader.die.get(Slot.ORIGIN, 0);
        // A definition has its name from its declaration, a concrete function from its abstract one: two steps at most.
        for (int steps = 0; origin > 0 && steps < 3; steps++) {
            Unit owner = dwarf.unit(origin);
            DieReader other = dwarf.reader(owner);
            other.seek(origin);
            if (other.read() == null) {
                break;
            }
            if (other.die.has(Slot.NAME)) {
                return dwarf.names().resolve(other.die.get(Slot.NAME), owner);
            }
            origin = other.die.get(Slot.ORIGIN, 0);
        }
        return NameRef.NONE;
    }

    /** The innermost scope around the DIE, or null. */
    @Nullable
    Scope around(long die) {
        int low = 0;
        int high = scopes.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (scopes.get(middle).start < die) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        Scope scope = high < 0 ? null : scopes.get(high);
        while (scope != null && scope.end <= die) {
            scope = parent(scope);
        }
        return scope;
    }

    /** The scope around this one, or null. */
    @Nullable
    Scope parent(Scope scope) {
        return scope.parent < 0 ? null : scopes.get(scope.parent);
    }
}
