package dev.offsetd.extractor;

import dev.offsetd.extractor.dwarf.scan.DefinitionMerge;
import dev.offsetd.extractor.dwarf.scan.DefinitionScanner;
import dev.offsetd.extractor.dwarf.scan.MergedRows;
import dev.offsetd.extractor.dwarf.scan.Selection;
import dev.offsetd.extractor.dwarf.scan.UnitDefinitions;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/**
 * Parallel scan of units, whose definitions are merged in the order of the units. Each thread takes numbers from a {@link
 * UnitOrder}, scans the unit that {@link UnitIndexes} has for the number, and joins the result to the order, which passes it to
 * the merge when its turn has come. The first thread also passes what has been merged to the builder. Used once.
 */
final class UnitScan {

    /** Copied at once for the thread that builds them. */
    private static final int DEFINITIONS_AT_ONCE = 1024;

    private final DwarfUnits dwarf;
    private final Selection selection;
    private final UnitIndexes units;

    /** Guarded by this. */
    private final DefinitionMerge merge;

    private final UnitOrder<UnitDefinitions> order = new UnitOrder<>(this::add);

    /** The units to scan, in ascending order of their indexes in the file. */
    @FunctionalInterface
    interface UnitIndexes {

        /** Returns the index of the unit to scan as this number, counted from 0, or {@link #END} after the last. */
        int at(int number) throws ExtractionException;

        int END = -1;
    }

    /** @param merge receives the definitions */
    UnitScan(DwarfUnits dwarf, Selection selection, UnitIndexes units, DefinitionMerge merge) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.units = units;
        this.merge = merge;
    }

    /**
     * Scans the units and adds their definitions to the merge.
     *
     * @param builder receives some of what is merged while later units are scanned, see {@link DefinitionMerge#next}; always
     *     from the same thread
     */
    void run(int threads, Consumer<MergedRows> builder) throws IOException, ExtractionException {
        List<Runnable> tasks = new ArrayList<>();
        tasks.add(() -> scanAndBuild(builder));
        while (tasks.size() < threads) {
            tasks.add(this::scan);
        }
        UnitThreads.run(tasks);
        order.requireNoFailure();
    }

    private void scan() {
        DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
        boolean more = true;
        while (more) {
            more = scanNext(scanner);
        }
    }

    /** Scans a unit whenever there is nothing to build, so that building does not begin after the last unit. */
    private void scanAndBuild(Consumer<MergedRows> builder) {
        DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
        boolean more = true;
        while (more) {
            MergedRows ready = next();
            if (!ready.isEmpty()) {
                builder.accept(ready);
            } else {
                more = scanNext(scanner);
            }
        }
    }

    /** Returns false after the last unit, after an error, and if the thread was interrupted. */
    private boolean scanNext(DefinitionScanner scanner) {
        int at = order.take();
        if (at == UnitOrder.NONE) {
            return false;
        }
        try {
            dwarf.deadline().check(DebugSections.INFO);
            int unit = units.at(at);
            if (unit == UnitIndexes.END) {
                return false;
            }
            order.join(at, scanner.scan(unit));
        } catch (ExtractionException e) {
            order.fail(at, e);
        }
        return true;
    }

    private synchronized void add(UnitDefinitions definitions) throws ExtractionException {
        merge.add(definitions);
    }

    private synchronized MergedRows next() {
        return merge.next(DEFINITIONS_AT_ONCE);
    }
}
