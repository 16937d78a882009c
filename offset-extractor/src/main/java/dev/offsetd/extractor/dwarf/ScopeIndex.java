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
     * @param parent the scope around it, or null
     * @param elsewhere address of the DIE that says where it belongs: the declaration that it completes, or the type that
     *     it only stands for; 0 if it belongs where it is
     */
    record Scope(
            long start,
            long end,
            String name,
            long nameRef,
            boolean function,
            @Nullable Scope parent,
            long elsewhere) {}

    private final List<Scope> scopes;

    private ScopeIndex(List<Scope> scopes) {
        this.scopes = scopes;
    }

    static ScopeIndex of(Unit unit, DwarfTypes dwarf) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        if (!reader.hasRemaining() || reader.read() == null) {
            return new ScopeIndex(List.of());
        }
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
                scopes.set(closed, endingAt(scopes.get(closed), reader.offset()));
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
            Scope parent = open.isEmpty() ? null : scopes.get(open.getLast());
            open.add(scopes.size());
            long end = unit.header().base() + unit.header().end();
            scopes.add(new Scope(start, end, name, nameRef, function, parent, function ? 0 : Math.max(elsewhere, 0)));
        }
        return new ScopeIndex(scopes);
    }

    private static Scope endingAt(Scope scope, long end) {
        return new Scope(scope.start, end, scope.name, scope.nameRef, scope.function, scope.parent, scope.elsewhere);
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
        int at = high;
        while (at >= 0 && scopes.get(at).end <= die) {
            at--;
        }
        return at < 0 ? null : scopes.get(at);
    }
}
