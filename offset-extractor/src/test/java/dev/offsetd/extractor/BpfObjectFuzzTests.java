package dev.offsetd.extractor;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;

/** A BPF object that a client uploads. */
@ChecklistRow(1)
class BpfObjectFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileRun.answer("object", HostileRun.allocationBound(data.length), () -> BpfObject.relocatedTypes(data));
        HostileRun.answer("object", HostileRun.allocationBound(data.length), () -> BpfObject.program(data));
    }
}
