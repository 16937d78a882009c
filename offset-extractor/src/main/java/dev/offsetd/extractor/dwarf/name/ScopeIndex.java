package dev.offsetd.extractor.dwarf.name;

import dev.offsetd.extractor.dwarf.abbreviation.Abbreviation;
import dev.offsetd.extractor.dwarf.abbreviation.Dwarf;
import dev.offsetd.extractor.dwarf.abbreviation.Slot;
import dev.offsetd.extractor.dwarf.unit.DieReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.dwarf.unit.Languages;
import dev.offsetd.extractor.dwarf.unit.MemoryAccount;
import dev.offsetd.extractor.dwarf.unit.Unit;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Search;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Index of the namespaces, classes and functions of one unit, to find the scope of a DIE, which does not refer to its
 * parent. Their names are read by {@link Scopes}, because most are never needed. The unit is read as far as the last DIE
 * that was looked up; producers write types before most functions. {@code DW_AT_sibling} leads past the children of a
 * scope, which get an index of their own when a DIE among them is looked up: most classes hold no other type, but
 * hundreds of functions. Not thread-safe.
 */
final class ScopeIndex {

    /** Heap of the index of one scope, without its entries. */
    private static final int INDEX_BYTES = 160;

    /** A namespace, class or function. */
    static final class Scope {

        private final long dieAddress;
        private final boolean function;
        private final boolean partOfNames;
        private final @Nullable Scope parent;
        private final long elsewhereDie;

        /** Address behind the last child; that of the end of the unit until it is found. */
        private long end;

        /** Address of the children if they were passed over; 0 if the index that has this scope has those in it too. */
        private long unreadChildren;

        /** Children that were passed over and have been needed since. */
        private @Nullable ScopeIndex inner;

        Scope(long dieAddress, boolean function, boolean partOfNames, @Nullable Scope parent, long elsewhereDie) {
            this.dieAddress = dieAddress;
            this.function = function;
            this.partOfNames = partOfNames;
            this.parent = parent;
            this.elsewhereDie = elsewhereDie;
        }

        private Scope endingAt(long address) {
            end = address;
            return this;
        }

        long dieAddress() {
            return dieAddress;
        }

        /** Returns whether types inside are local. */
        boolean isFunction() {
            return function;
        }

        /** Returns whether the names of types inside have its name in front. */
        boolean isPartOfNames() {
            return partOfNames;
        }

        /** Returns the scope around this one, or null. */
        @Nullable
        Scope parent() {
            return parent;
        }

        /**
         * Returns the address of the DIE that says where this one belongs: the declaration that it completes, or the type
         * that it only stands for; 0 if it belongs where it is.
         */
        long elsewhereDie() {
            return elsewhereDie;
        }
    }

    /** Shared with the indexes of the scopes in this one. */
    private final DieReader reader;

    private final boolean intoFunctions;
    private final MemoryAccount account;

    /** The scope whose children these are, or null for those of a unit or function. */
    private final @Nullable Scope around;

    private final List<Scope> scopes = new ArrayList<>();

    /** The scopes among them that the next DIE is in. */
    private final List<Scope> open = new ArrayList<>(0);

    /** Address of the next DIE. */
    private long next;

    private boolean atEnd;

    /** @param next address of the list of children to read */
    private ScopeIndex(
            DieReader reader, MemoryAccount account, boolean intoFunctions, @Nullable Scope around, long next) {
        this.reader = reader;
        this.intoFunctions = intoFunctions;
        this.account = account;
        this.around = around;
        this.next = next;
    }

    /** Returns the scopes of a unit, without those in functions. */
    static ScopeIndex of(Unit unit, DwarfUnits dwarf, MemoryAccount account) throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        boolean empty = !reader.hasRemaining() || reader.read() == null;
        ScopeIndex index = new ScopeIndex(reader, account, false, null, reader.address());
        index.atEnd = empty;
        return index;
    }

    /** Returns the scopes in a function of the unit, its blocks among them. */
    static ScopeIndex inside(Scope function, Unit unit, DwarfUnits dwarf, MemoryAccount account)
            throws ExtractionException {
        DieReader reader = dwarf.reader(unit);
        reader.seek(function.dieAddress);
        reader.require();
        return new ScopeIndex(reader, account, true, null, reader.address());
    }

    /** Reads past the DIE at this address. */
    private void readPast(long dieAddress) throws ExtractionException {
        if (atEnd || next > dieAddress) {
            return;
        }
        reader.seek(next);
        while (!atEnd && reader.address() <= dieAddress) {
            if (reader.hasRemaining()) {
                readNext();
            } else {
                atEnd = true;
            }
        }
        next = reader.address();
    }

    private void readNext() throws ExtractionException {
        long dieAddress = reader.address();
        Abbreviation abbreviation = reader.next();
        if (abbreviation == null) {
            if (open.isEmpty()) {
                atEnd = true;
            } else {
                open.removeLast().end = reader.address();
            }
            return;
        }
        int tag = abbreviation.tag();
        if (!abbreviation.hasChildren() || (Dwarf.isType(tag) && !Dwarf.isAggregate(tag))) {
            reader.pass(abbreviation);
            return;
        }
        account.addEntry(MemoryAccount.SCOPE_BYTES, dieAddress);
        boolean function = !Dwarf.isScope(tag);
        Scope parent = open.isEmpty() ? around : open.getLast();
        if (function && !intoFunctions) {
            reader.pass(abbreviation);
            scopes.add(new Scope(dieAddress, true, false, parent, 0).endingAt(reader.address()));
            return;
        }
        reader.capture(abbreviation);
        long elsewhereDie = function ? 0 : Math.max(reader.die.get(Slot.SIGNATURE, reader.die.get(Slot.ORIGIN, 0)), 0);
        boolean partOfNames = !function && Languages.isPartOfNames(tag, reader.language());
        Scope scope = new Scope(dieAddress, function, partOfNames, parent, elsewhereDie)
                .endingAt(reader.header().endAddress());
        scopes.add(scope);
        if (reader.die.has(Slot.SIBLING)) {
            scope.unreadChildren = reader.address();
            reader.skipChildren(abbreviation);
            scope.end = reader.address();
        } else {
            open.add(scope);
        }
    }

    /** Returns the innermost scope around the DIE, or null. */
    @Nullable
    Scope around(long dieAddress) throws ExtractionException {
        ScopeIndex index = this;
        while (true) {
            Scope scope = index.innermost(dieAddress);
            if (scope == null || scope == index.around || scope.unreadChildren == 0) {
                return scope;
            }
            index = index.inside(scope);
        }
    }

    private ScopeIndex inside(Scope scope) throws ExtractionException {
        ScopeIndex inner = scope.inner;
        if (inner == null) {
            account.addBytes(INDEX_BYTES, scope.dieAddress);
            inner = new ScopeIndex(reader, account, intoFunctions, scope, scope.unreadChildren);
            scope.inner = inner;
        }
        return inner;
    }

    /** Returns the innermost of these scopes around the DIE, or that around all of them. */
    private @Nullable Scope innermost(long dieAddress) throws ExtractionException {
        readPast(dieAddress);
        int after = Search.firstNot(scopes.size(), i -> scopes.get(i).dieAddress < dieAddress);
        Scope scope = after == 0 ? around : scopes.get(after - 1);
        while (scope != null && scope != around && scope.end <= dieAddress) {
            scope = scope.parent;
        }
        return scope;
    }
}
