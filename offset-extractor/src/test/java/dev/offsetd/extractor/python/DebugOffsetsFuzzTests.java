package dev.offsetd.extractor.python;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** The section with CPython's table of debug offsets, in both byte orders. */
@ChecklistRow(1)
class DebugOffsetsFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            Section section = new Section(DebugOffsets.SECTION, MemorySegment.ofArray(data), order);
            HostileRun.answer(
                    "debug offsets", HostileRun.allocationBound(data.length), () -> DebugOffsets.definitions(section));
        }
    }
}
