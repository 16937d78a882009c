package dev.offsetd.extractor;

import dev.offsetd.extractor.dwarf.frame.CodeUnits;
import dev.offsetd.extractor.dwarf.frame.FrameTableBuilder;
import dev.offsetd.extractor.dwarf.frame.UnitReader;
import dev.offsetd.extractor.dwarf.unit.DwarfUnits;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.FrameTable;
import java.io.IOException;
import java.util.Collections;
import java.util.List;

/** Parallel reading of the frames of units, joined in the order of the units. Used once. */
final class FrameScan {

    private final DwarfUnits dwarf;
    private final CodeUnits units;
    private final List<Integer> indexes;
    private final UnitOrder<FrameTable> order;

    /** @param builder receives the frames */
    FrameScan(DwarfUnits dwarf, CodeUnits units, List<Integer> indexes, FrameTableBuilder builder) {
        this.dwarf = dwarf;
        this.units = units;
        this.indexes = indexes;
        this.order = new UnitOrder<>(builder::add);
    }

    void run(int threads) throws IOException, ExtractionException {
        int workers = Math.min(threads, indexes.size());
        if (workers <= 1) {
            work();
        } else {
            UnitThreads.run(Collections.nCopies(workers, (Runnable) this::work));
        }
        order.requireNoFailure();
    }

    private void work() {
        UnitReader reader = new UnitReader(units);
        for (int at = order.take(); at != UnitOrder.NONE && at < indexes.size(); at = order.take()) {
            try {
                dwarf.deadline().check(DebugSections.INFO);
                order.join(at, reader.read(indexes.get(at)));
            } catch (ExtractionException e) {
                order.fail(at, e);
            }
        }
    }
}
