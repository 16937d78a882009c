package dev.offsetd.extractor.dwarf.frame;

import dev.offsetd.extractor.bytes.Overlay;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Search;
import dev.offsetd.extractor.layout.Omission;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Joins the frames of units, in their order, to a table. Where units overlap, the first one counts. Not thread-safe. */
public final class FrameTableBuilder {

    private static final String SECTION = ".debug_info";

    private final HeapBudget heap;
    private final List<FunctionName> functions = new ArrayList<>();
    private final Map<FunctionName, Integer> functionNumbers = new HashMap<>();
    private final List<String> files = new ArrayList<>();
    private final Map<String, Integer> fileNumbers = new HashMap<>();
    private final List<FrameRange> ranges = new ArrayList<>();

    /** @param heap charged with names and paths */
    public FrameTableBuilder(HeapBudget heap) {
        this.heap = heap;
    }

    /** Adds the frames of a unit, behind those of the units before it. */
    public void add(FrameTable unit) throws LimitExceededException {
        int[] functionsOfUnit = new int[unit.functions().size()];
        for (int i = 0; i < functionsOfUnit.length; i++) {
            functionsOfUnit[i] = function(unit.functions().get(i));
        }
        int[] filesOfUnit = new int[unit.files().size()];
        for (int i = 0; i < filesOfUnit.length; i++) {
            String path = unit.files().get(i);
            filesOfUnit[i] = fileNumbers.computeIfAbsent(path, _ -> files.size());
            if (filesOfUnit[i] == files.size()) {
                files.add(path);
                keep(path.length());
            }
        }
        for (FrameRange range : unit.ranges()) {
            ranges.add(range.renumbered(functionsOfUnit, filesOfUnit));
        }
    }

    private void keep(long characters) throws LimitExceededException {
        heap.keep(FrameTable.heapBytes(characters), SECTION, ExtractionException.NO_OFFSET);
    }

    private int function(FunctionName name) throws LimitExceededException {
        int number = functionNumbers.computeIfAbsent(name, _ -> functions.size());
        if (number == functions.size()) {
            functions.add(name);
            keep(name.length());
        }
        return number;
    }

    /**
     * Returns the table.
     *
     * @param symbols functions of the symbol table by address, for code that no unit has in a function with a name; none
     *     overlap
     */
    public FrameTable build(List<FunctionSymbol> symbols, List<Omission> omissions) throws LimitExceededException {
        Overlay overlay = new Overlay();
        symbols.forEach(symbol -> overlay.add(symbol.start(), symbol.end()));
        for (FrameRange range : ranges.reversed()) {
            overlay.add(range.start(), range.end());
        }
        Overlay.Parts parts = overlay.parts();
        List<FrameRange> joined = new ArrayList<>(parts.count());
        for (int i = 0; i < parts.count(); i++) {
            Deadline.checkCurrent(i);
            int shown = parts.range(i);
            if (shown < symbols.size()) {
                joined.add(FrameRange.ofFunction(
                        parts.start(i),
                        parts.end(i),
                        function(new FunctionName(symbols.get(shown).name(), null))));
                continue;
            }
            FrameRange range = ranges.get(ranges.size() - 1 - (shown - symbols.size()));
            addParts(part(range, parts.start(i), parts.end(i)), symbols, joined);
        }
        return new FrameTable(functions, files, joined, omissions);
    }

    /** Returns a part of a range, of which hostile units and symbols make many. */
    private FrameRange part(FrameRange range, long start, long end) throws LimitExceededException {
        FrameRange part = range.part(start, end);
        if (part != range) {
            heap.keep(part.heapBytes(), SECTION, ExtractionException.NO_OFFSET);
        }
        return part;
    }

    /** Adds a range, with the functions of the symbol table if it is outside of the functions of units that have names. */
    private void addParts(FrameRange range, List<FunctionSymbol> symbols, List<FrameRange> joined)
            throws LimitExceededException {
        int function = range.function();
        if (function != FrameRange.NONE && !functions.get(function).name().isEmpty()) {
            joined.add(range);
            return;
        }
        long at = range.start();
        for (int i = firstEndingAfter(symbols, at); i < symbols.size(); i++) {
            Deadline.checkCurrent(i);
            FunctionSymbol symbol = symbols.get(i);
            if (Long.compareUnsigned(symbol.start(), range.end()) >= 0) {
                break;
            }
            if (Long.compareUnsigned(symbol.start(), at) > 0) {
                joined.add(part(range, at, symbol.start()));
                at = symbol.start();
            }
            long end = Long.compareUnsigned(symbol.end(), range.end()) < 0 ? symbol.end() : range.end();
            joined.add(part(range, at, end).in(function(new FunctionName(symbol.name(), null))));
            at = end;
        }
        if (at != range.end()) {
            joined.add(part(range, at, range.end()));
        }
    }

    private static int firstEndingAfter(List<FunctionSymbol> symbols, long address) {
        return Search.firstNot(
                symbols.size(), i -> Long.compareUnsigned(symbols.get(i).end(), address) <= 0);
    }
}
