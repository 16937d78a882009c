package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Index of the namespaces, classes and functions of one unit, to find the scope of a DIE, which does not refer to its
 * parent. Their names are read by {@link Scopes}, because most are never needed. The unit is read as far as the last DIE
 * that was looked up; producers write types before most functions. Not thread-safe.
 */
final class ScopeIndex {

    /**
     * A namespace, class or function.
     *
     * @param dieAddress address of its DIE
     * @param end address behind its last child
     * @param function whether types inside are local
     * @param parent number of the scope around it, or -1
     * @param elsewhereDie address of the DIE that says where it belongs: the declaration that it completes, or the type that
     *     it only stands for; 0 if it belongs where it is
     */
    record Scope(long dieAddress, long end, boolean function, int parent, long elsewhereDie) {

        Scope endingAt(long endAddress) {
            return new Scope(dieAddress, endAddress, function, parent, elsewhereDie);
        }
    }

    private final DieReader reader;
    private final boolean intoFunctions;
    private final MemoryAccount account;
    private final List<Scope> scopes = new ArrayList<>();

    /** Numbers of the scopes that the reader stands in. */
    private final List<Integer> open = new ArrayList<>();

    private boolean atEnd;

    /** @param reader stands at the list of children to read */
    private ScopeIndex(DieReader reader, MemoryAccount account, boolean intoFunctions) {
        this.reader = reader;
        this.intoFunctions = intoFunctions;
        this.account = account;
    }

    /** Returns the scopes of a unit, without those in functions. */
    static ScopeIndex of(Unit unit, DwarfUnits dwarf, MemoryAccount account) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        ScopeIndex index = new ScopeIndex(reader, account, false);
        index.atEnd = !reader.hasRemaining() || reader.read() == null;
        return index;
    }

    /** Returns the scopes in a function of the unit, its blocks among them. */
    static ScopeIndex inside(Scope function, Unit unit, DwarfUnits dwarf, MemoryAccount account)
            throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        reader.seek(function.dieAddress);
        reader.require();
        return new ScopeIndex(reader, account, true);
    }

    /** Reads past the DIE at this address. */
    private void readPast(long dieAddress) throws ExtractionException {
        while (!atEnd && reader.address() <= dieAddress) {
            if (reader.hasRemaining()) {
                readNext();
            } else {
                atEnd = true;
            }
        }
    }

    private void readNext() throws ExtractionException {
        long dieAddress = reader.address();
        Abbreviation abbreviation = reader.next();
        if (abbreviation == null) {
            if (open.isEmpty()) {
                atEnd = true;
            } else {
                int closed = open.removeLast();
                scopes.set(closed, scopes.get(closed).endingAt(reader.address()));
            }
            return;
        }
        int tag = abbreviation.tag();
        if (!abbreviation.hasChildren() || (Dwarf.isType(tag) && !Dwarf.isAggregate(tag))) {
            reader.pass(abbreviation);
            return;
        }
        account.addEntry(MemoryAccount.SCOPE_BYTES, dieAddress);
        int parent = open.isEmpty() ? -1 : open.getLast();
        if (!Dwarf.isScope(tag) && !intoFunctions) {
            reader.pass(abbreviation);
            scopes.add(new Scope(dieAddress, reader.address(), true, parent, 0));
            return;
        }
        long elsewhereDie = 0;
        if (Dwarf.isScope(tag)) {
            reader.capture(abbreviation);
            elsewhereDie = Math.max(reader.die.get(Slot.SIGNATURE, reader.die.get(Slot.ORIGIN, 0)), 0);
        } else {
            reader.passAttributes(abbreviation);
        }
        open.add(scopes.size());
        scopes.add(new Scope(dieAddress, reader.header().endAddress(), !Dwarf.isScope(tag), parent, elsewhereDie));
    }

    /** Returns the innermost scope around the DIE, or null. */
    @Nullable
    Scope around(long dieAddress) throws ExtractionException {
        readPast(dieAddress);
        int low = 0;
        int high = scopes.size() - 1;
        while (low <= high) {
            int middle = (low + high) >>> 1;
            if (scopes.get(middle).dieAddress < dieAddress) {
                low = middle + 1;
            } else {
                high = middle - 1;
            }
        }
        Scope scope = high < 0 ? null : scopes.get(high);
        while (scope != null && scope.end <= dieAddress) {
            scope = parent(scope);
        }
        return scope;
    }

    /** Returns the scope around this one, or null. */
    @Nullable
    Scope parent(Scope scope) {
        return scope.parent < 0 ? null : scopes.get(scope.parent);
    }
}
