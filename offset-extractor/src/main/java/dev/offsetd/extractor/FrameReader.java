package dev.offsetd.extractor;

import dev.offsetd.extractor.bytes.AddressRanges;
import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.dwarf.frame.CodeUnits;
import dev.offsetd.extractor.dwarf.frame.FrameTableBuilder;
import dev.offsetd.extractor.dwarf.frame.FrameUnitReader;
import dev.offsetd.extractor.dwarf.frame.FunctionSymbol;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.elf.SymbolReader;
import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.go.LineTable;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.omission.OmissionLog;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.SymbolBinding;
import dev.offsetd.extractor.symbols.SymbolType;
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collection;
import java.util.Collections;
import java.util.Comparator;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;

/**
 * Reads the functions and lines of a file: from DWARF; those of a Go program without DWARF of Go from its line table; and for code
 * that neither knows from the symbol table.
 */
final class FrameReader {

    /** Order of symbols at one address: functions first, and of these the names that other files know. */
    private static final Comparator<Symbol> BY_NAME = Comparator.<Symbol>comparingInt(
                    symbol -> symbol.type().isFunction() ? 0 : 1)
            .thenComparingInt(symbol ->
                    symbol.binding() == SymbolBinding.GLOBAL ? 0 : symbol.binding() == SymbolBinding.WEAK ? 1 : 2);

    private final ElfFile elf;
    private final DebugSections sections;
    private final ReadOptions options;

    FrameReader(ElfFile elf, DebugSections sections, ReadOptions options) {
        this.elf = elf;
        this.sections = sections;
        this.options = options;
    }

    /** Returns the functions and lines of the whole file. */
    FrameTable all() throws IOException, ExtractionException {
        FrameTableBuilder builder = new FrameTableBuilder(options.heap());
        if (elf.hasContents(DebugSections.INFO)) {
            DwarfUnits dwarf = sections.dwarf(true);
            CodeUnits units = new CodeUnits(dwarf, elf.code());
            read(dwarf, units, units.all(), table -> {
                builder.add(table);
                options.heap().release(table.textBytes());
            });
            if (!dwarf.hasLanguage(Language.Family.GO)) {
                builder.add(ofGo(dwarf.omissions()));
            }
            return builder.build(symbols(dwarf.omissions()), dwarf.omissions().omissions());
        }
        return withoutDwarf(builder);
    }

    /**
     * Returns the functions and lines at some addresses, with others around them. Reads only the units that cover one of the
     * addresses, if all of them are in some unit.
     */
    FrameTable at(long[] addresses) throws IOException, ExtractionException {
        if (!elf.hasContents(DebugSections.INFO)) {
            return withoutDwarf(new FrameTableBuilder(options.heap()));
        }
        long[] sorted = sorted(addresses);
        DwarfUnits dwarf = sections.dwarf(true);
        CodeUnits units = new CodeUnits(dwarf, elf.code());
        SortedMap<Integer, FrameTable> tables = new TreeMap<>();
        addTables(dwarf, units, units.covering(sorted, false), tables);
        FrameTable found = joined(tables.values(), List.of(), dwarf.omissions());
        if (hasAll(found, sorted)) {
            return found;
        }
        List<Integer> others = units.covering(sorted, true);
        others.removeAll(tables.keySet());
        addTables(dwarf, units, others, tables);
        List<FrameTable> all = new ArrayList<>(tables.values());
        if (!dwarf.hasLanguage(Language.Family.GO)) {
            all.add(ofGo(dwarf.omissions()));
        }
        return joined(all, symbols(dwarf.omissions()), dwarf.omissions());
    }

    private void addTables(
            DwarfUnits dwarf, CodeUnits units, List<Integer> indexes, SortedMap<Integer, FrameTable> tables)
            throws IOException, ExtractionException {
        List<FrameTable> read = new ArrayList<>(indexes.size());
        read(dwarf, units, indexes, read::add);
        for (int i = 0; i < read.size(); i++) {
            tables.put(indexes.get(i), read.get(i));
        }
    }

    private FrameTable joined(Collection<FrameTable> tables, List<FunctionSymbol> symbols, OmissionLog omissions)
            throws ExtractionException {
        FrameTableBuilder builder = new FrameTableBuilder(options.heap());
        for (FrameTable table : tables) {
            builder.add(table);
        }
        return builder.build(symbols, omissions.omissions());
    }

    /** Reads the frames of units with several threads, and passes them on in the order of the units. */
    private void read(DwarfUnits dwarf, CodeUnits units, List<Integer> indexes, UnitOrder.Sink<FrameTable> sink)
            throws IOException, ExtractionException {
        UnitOrder<FrameTable> order = new UnitOrder<>(sink);
        Runnable work = () -> {
            FrameUnitReader reader = new FrameUnitReader(units);
            for (int at = order.take(); at != UnitOrder.NONE && at < indexes.size(); at = order.take()) {
                try {
                    dwarf.deadline().check(DebugSections.INFO);
                    order.join(at, reader.read(indexes.get(at)));
                } catch (ExtractionException e) {
                    order.fail(at, e);
                }
            }
        };
        UnitThreads.run(Collections.nCopies(Math.min(options.threads(), indexes.size()), work));
        order.requireNoFailure();
    }

    private static long[] sorted(long[] addresses) {
        return Arrays.stream(addresses)
                .boxed()
                .sorted(Long::compareUnsigned)
                .mapToLong(Long::longValue)
                .toArray();
    }

    private static boolean hasAll(FrameTable table, long[] addresses) {
        for (long address : addresses) {
            List<Frame> frames = table.at(address);
            if (frames.isEmpty() || frames.getLast().function() == null) {
                return false;
            }
        }
        return true;
    }

    /**
     * Returns what the line table of a Go program states, nothing of other files. With cgo, {@code go build -ldflags=-w} of Go 1.19
     * leaves the DWARF of C objects.
     *
     * @param omissions receives the table if it cannot be read
     */
    private FrameTable ofGo(OmissionLog omissions) throws LimitExceededException {
        GoSections go = new GoSections(elf);
        try {
            return go.isGo() ? LineTable.read(go, options.limits(), options.heap(), omissions) : FrameTable.EMPTY;
        } catch (ExtractionException e) {
            omissions.omit(Part.UNIT, ExtractionException.NO_OFFSET, e);
            return FrameTable.EMPTY;
        }
    }

    private FrameTable withoutDwarf(FrameTableBuilder builder) throws ExtractionException {
        OmissionLog omissions = new OmissionLog(options.heap());
        builder.add(ofGo(omissions));
        List<FunctionSymbol> symbols = symbols(omissions);
        if (symbols.isEmpty()) {
            omissions.requireAnyUnit();
        }
        if (symbols.isEmpty() && !new GoSections(elf).isGo()) {
            String omitted = Omission.summary(omissions.omissions());
            throw new UnsupportedInputException(
                    DebugSections.INFO,
                    ExtractionException.NO_OFFSET,
                    "the file has no DWARF, no line table of Go and no symbols of functions"
                            + (omitted == null ? "" : "; " + omitted));
        }
        return builder.build(symbols, omissions.omissions());
    }

    /**
     * Returns the functions of the symbol tables by address; where they overlap, those that start last.
     *
     * @param omissions receives the tables that cannot be read
     */
    private List<FunctionSymbol> symbols(OmissionLog omissions) throws ExtractionException {
        Deadline deadline = Deadline.currentOr(options.limits());
        List<Symbol> functions = new ArrayList<>();
        AddressRanges code = elf.code();
        for (List<Symbol> table : SymbolReader.read(elf, options.limits(), options.heap(), deadline, omissions)) {
            for (Symbol symbol : table) {
                Deadline.checkCurrent(functions.size());
                // Assembly has functions without a type: those of the kernel that begin with SYM_CODE_START.
                if ((symbol.type().isFunction() || symbol.type() == SymbolType.NOTYPE)
                        && symbol.isPlace()
                        && symbol.size() > 0
                        && symbol.size() <= FrameRange.MAX_BYTES
                        && !symbol.name().isEmpty()) {
                    functions.add(symbol);
                }
            }
        }
        // The overlay shows the last one.
        functions.sort(Comparator.<Symbol>comparingLong(symbol -> address(symbol) ^ Long.MIN_VALUE)
                .thenComparing(BY_NAME.reversed()));
        Overlay overlay = new Overlay();
        List<Symbol> added = new ArrayList<>();
        for (Symbol symbol : functions) {
            Deadline.checkCurrent(added.size());
            long start = address(symbol);
            long end = code.endAround(start);
            if (end != 0) {
                overlay.add(start, Long.compareUnsigned(symbol.size(), end - start) < 0 ? start + symbol.size() : end);
                added.add(symbol);
            }
        }
        Overlay.Parts parts = overlay.parts();
        List<FunctionSymbol> found = new ArrayList<>(parts.count());
        for (int i = 0; i < parts.count(); i++) {
            Deadline.checkCurrent(i);
            found.add(new FunctionSymbol(added.get(parts.range(i)).name(), parts.start(i), parts.end(i)));
        }
        return found;
    }

    private long address(Symbol symbol) {
        return elf.isRelocatable() ? elf.addressOf(symbol) : elf.symbolValues().addressOf(symbol);
    }
}
