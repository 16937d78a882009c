package dev.offsetd.extractor.dwarf.type;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;

/** Member locations: the input is an expression. */
@ChecklistRow(1)
class ExpressionFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        Section info = new Section(".debug_info", MemorySegment.ofArray(data), ByteOrder.LITTLE_ENDIAN);
        HostileRun.answer(
                        "expression",
                        HostileRun.allocationBound(data.length),
                        () -> Expression.constantOffset(info, 0, data.length))
                .ifPresent(offset -> {
                    if (offset < 0 && offset != Expression.COMPUTED) {
                        throw new AssertionError("an expression without sign came to " + offset);
                    }
                });
    }
}
