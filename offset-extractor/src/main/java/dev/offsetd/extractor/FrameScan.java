package dev.offsetd.extractor;

import dev.offsetd.extractor.dwarf.frame.CodeUnits;
import dev.offsetd.extractor.dwarf.frame.FrameTableBuilder;
import dev.offsetd.extractor.dwarf.frame.UnitReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.layout.FrameTable;
import java.io.IOException;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parallel reading of the frames of units. They are joined in the order of the units, and the error of the first unit wins, so
 * the outcome does not depend on the number of threads. Used once.
 */
final class FrameScan {

    private final DwarfUnits dwarf;
    private final CodeUnits units;
    private final List<Integer> indexes;
    private final FrameTableBuilder builder;
    private int next;

    /** Units that wait for an earlier one, by their place in the list. */
    private final Map<Integer, FrameTable> waiting = new HashMap<>();

    private int joined;
    private int failed = Integer.MAX_VALUE;
    private @Nullable LimitExceededException failure;

    FrameScan(DwarfUnits dwarf, CodeUnits units, List<Integer> indexes, FrameTableBuilder builder) {
        this.dwarf = dwarf;
        this.units = units;
        this.indexes = indexes;
        this.builder = builder;
    }

    /** Reads the units and adds them to the builder. */
    void run(int threads) throws IOException, LimitExceededException {
        int workers = Math.min(threads, indexes.size());
        if (workers <= 1) {
            work();
        } else {
            UnitThreads.run(Collections.nCopies(workers, (Runnable) this::work));
        }
        if (failure != null) {
            throw failure;
        }
    }

    private void work() {
        UnitReader reader = new UnitReader(units);
        for (int at = take(); at >= 0 && !Thread.currentThread().isInterrupted(); at = take()) {
            try {
                dwarf.deadline().check(DebugSections.INFO);
                join(at, reader.read(indexes.get(at)));
            } catch (LimitExceededException e) {
                fail(at, e);
            }
        }
    }

    /** Returns the place of the next unit; negative after the last, and behind one that failed. */
    private synchronized int take() {
        return next < Math.min(indexes.size(), failed) ? next++ : -1;
    }

    private synchronized void fail(int at, LimitExceededException exception) {
        if (at < failed) {
            failed = at;
            failure = exception;
        }
    }

    private synchronized void join(int at, FrameTable frames) throws LimitExceededException {
        waiting.put(at, frames);
        for (FrameTable ready = waiting.remove(joined); ready != null; ready = waiting.remove(joined)) {
            builder.add(ready);
            joined++;
        }
    }
}
