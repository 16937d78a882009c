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
     * @param end section offset behind its last child
     * @param function whether types inside are local
     * @param parent index of the scope around it, or -1
     */
    private record Scope(long start, long end, String name, boolean function, int parent) {}

    private final List<Scope> scopes;

    private ScopeIndex(List<Scope> scopes) {
        this.scopes = scopes;
    }

    static ScopeIndex of(Unit unit, DwarfTypes dwarf) throws ExtractionException {
        List<Scope> scopes = new ArrayList<>();
        DieReader reader = dwarf.reader(unit);
        List<Integer> open = new ArrayList<>();
        if (!reader.hasRemaining() || reader.read() == null) {
            return new ScopeIndex(List.of());
        }
        while (reader.hasRemaining()) {
            long start = reader.offset();
            Abbreviation abbreviation = reader.read();
            if (abbreviation == null) {
                if (open.isEmpty()) {
                    break;
                }
                int closed = open.removeLast();
                Scope scope = scopes.get(closed);
                scopes.set(closed, new Scope(scope.start, reader.offset(), scope.name, scope.function, scope.parent));
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
            boolean named = Dwarf.isAggregate(tag) || tag == Dwarf.DW_TAG_namespace || tag == Dwarf.DW_TAG_module;
            boolean function = !named;
            String name = name(reader, unit, dwarf, tag);
            int parent = open.isEmpty() ? -1 : open.getLast();
            open.add(scopes.size());
            scopes.add(new Scope(start, unit.header().end(), name, function, parent));
        }
        return new ScopeIndex(scopes);
    }

    private static String name(DieReader reader, Unit unit, DwarfTypes dwarf, int tag) throws ExtractionException {
        if (reader.die.has(Slot.NAME)) {
            return dwarf.names().text(reader.die.get(Slot.NAME), unit);
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
                return dwarf.names().text(other.die.get(Slot.NAME), owner);
            }
            origin = other.die.get(Slot.ORIGIN, 0);
        }
        return tag == Dwarf.DW_TAG_namespace ? "(anonymous namespace)" : "";
    }

    /** The innermost scope around the DIE, or -1. */
    private int around(long dieOffset) {
        int low = 0;
        int high = scopes.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (scopes.get(middle).start < dieOffset) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        int at = high;
        while (at >= 0 && scopes.get(at).end <= dieOffset) {
            at = scopes.get(at).parent;
        }
        return at;
    }

    /** The namespaces and classes around the DIE, each followed by {@code ::}; empty at file scope and in functions. */
    String qualifier(long dieOffset) {
        StringBuilder out = new StringBuilder();
        for (int at = around(dieOffset); at >= 0 && !scopes.get(at).function; at = scopes.get(at).parent) {
            String name = scopes.get(at).name;
            out.insert(0, name.isEmpty() ? "" : name + "::");
        }
        return out.toString();
    }

    /** The function that the DIE is local to, or null. */
    @Nullable
    String function(long dieOffset) {
        for (int at = around(dieOffset); at >= 0; at = scopes.get(at).parent) {
            if (scopes.get(at).function && !scopes.get(at).name.isEmpty()) {
                return scopes.get(at).name;
            }
        }
        return null;
    }
}
