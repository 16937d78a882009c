package dev.offsetd.extractor.dwarf;

import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The namespaces, classes and functions of one unit, to find what a DIE stands in: a DIE says nothing of its parents. What
 * they are called is left to {@link Scopes}, because nobody asks for the names of most. Immutable.
 */
final class ScopeIndex {

    /**
     * A namespace, class or function.
     *
     * @param start address of its DIE
     * @param end address behind its last child
     * @param function whether types inside are local
     * @param parent number of the scope around it, or -1
     * @param elsewhere address of the DIE that says where it belongs: the declaration that it completes, or the type that
     *     it only stands for; 0 if it belongs where it is
     */
    record Scope(long start, long end, boolean function, int parent, long elsewhere) {

        Scope endingAt(long address) {
            return new Scope(start, address, function, parent, elsewhere);
        }
    }

    private final List<Scope> scopes;

    private ScopeIndex(List<Scope> scopes) {
        this.scopes = scopes;
    }

    static ScopeIndex of(Unit unit, DwarfTypes dwarf) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        if (!reader.hasRemaining() || reader.read() == null) {
            return new ScopeIndex(List.of());
        }
        Kept kept = new Kept(dwarf);
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
            kept.addEntries(1, start);
            int parent = open.isEmpty() ? -1 : open.getLast();
            open.add(scopes.size());
            long end = unit.header().base() + unit.header().end();
            scopes.add(new Scope(start, end, function, parent, function ? 0 : Math.max(elsewhere, 0)));
        }
        return new ScopeIndex(scopes);
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
