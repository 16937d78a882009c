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
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Parallel scan of units. Results are merged in the order of the units, and the error of the first unit wins, so the
 * outcome does not depend on the number of threads. Used once.
 */
final class UnitScan {

    /** Copied at once for the thread that builds them. */
    private static final int DEFINITIONS_AT_ONCE = 1024;

    private final DwarfUnits dwarf;
    private final Selection selection;
    private final UnitIndexes units;
    private final AtomicInteger next = new AtomicInteger();

    /** Scanned units that wait for an earlier one, by their number. */
    private final Map<Integer, UnitDefinitions> scanned = new HashMap<>();

    private int merged;
    private int failed = Integer.MAX_VALUE;
    private @Nullable ExtractionException failure;

    /** The units to scan, in ascending order of their indexes in the file. */
    @FunctionalInterface
    interface UnitIndexes {

        /** Returns the index of the unit to scan as this number, counted from 0, or {@link #NONE} after the last. */
        int at(int number) throws ExtractionException;

        int NONE = -1;
    }

    UnitScan(DwarfUnits dwarf, Selection selection, UnitIndexes units) {
        this.dwarf = dwarf;
        this.selection = selection;
        this.units = units;
    }

    /**
     * Scans the units and adds their definitions to a merge.
     *
     * @param builder receives some of what is merged while later units are scanned, see {@link DefinitionMerge#next}; always
     *     from the same thread
     */
    void into(DefinitionMerge merge, int threads, Consumer<MergedRows> builder)
            throws IOException, ExtractionException {
        if (threads == 1) {
            scanAndBuild(merge, builder);
        } else {
            workTogether(merge, threads, builder);
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void workTogether(DefinitionMerge merge, int workers, Consumer<MergedRows> builder) throws IOException {
        List<Runnable> tasks = new ArrayList<>();
        tasks.add(() -> scanAndBuild(merge, builder));
        while (tasks.size() < workers) {
            tasks.add(() -> scan(merge));
        }
        UnitThreads.run(tasks);
    }

    private void scan(DefinitionMerge merge) {
        DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
        boolean more = true;
        while (more) {
            more = scanNext(scanner, merge);
        }
    }

    /** Scans a unit whenever there is nothing to build, so that building does not begin after the last unit. */
    private void scanAndBuild(DefinitionMerge merge, Consumer<MergedRows> builder) {
        DefinitionScanner scanner = new DefinitionScanner(dwarf, selection);
        boolean more = true;
        while (more) {
            MergedRows ready = nextOf(merge);
            if (!ready.isEmpty()) {
                builder.accept(ready);
            } else {
                more = scanNext(scanner, merge);
            }
        }
    }

    /** Returns false after the last unit, after an error, and if the thread was interrupted. */
    private boolean scanNext(DefinitionScanner scanner, DefinitionMerge merge) {
        int at = next.getAndIncrement();
        // Units are taken in order: when one fails, all before it are finished or in progress.
        if (at > failedBefore() || Thread.currentThread().isInterrupted()) {
            return false;
        }
        try {
            dwarf.deadline().check(".debug_info");
            int unit = units.at(at);
            if (unit == UnitIndexes.NONE) {
                return false;
            }
            mergeInOrder(at, scanner.scan(unit), merge);
        } catch (ExtractionException e) {
            fail(at, e);
        }
        return true;
    }

    private synchronized MergedRows nextOf(DefinitionMerge merge) {
        return merge.next(DEFINITIONS_AT_ONCE);
    }

    private synchronized int failedBefore() {
        return failed;
    }

    private synchronized void fail(int at, ExtractionException exception) {
        if (at < failed) {
            failed = at;
            failure = exception;
        }
    }

    private synchronized void mergeInOrder(int at, UnitDefinitions definitions, DefinitionMerge merge)
            throws ExtractionException {
        scanned.put(at, definitions);
        for (UnitDefinitions ready = scanned.remove(merged); ready != null; ready = scanned.remove(merged)) {
            merge.add(ready);
            merged++;
        }
    }
}
