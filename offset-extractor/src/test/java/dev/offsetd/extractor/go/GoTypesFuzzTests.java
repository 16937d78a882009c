package dev.offsetd.extractor.go;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;

/** The memory of a Go program: module data, the list of types, and their descriptors. */
@ChecklistRow(1)
class GoTypesFuzzTests {

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        HostileRun.answer(
                "types",
                HostileRun.allocationBound(data.length),
                () -> GoImage.read(data, isRow(data) ? "1.27.3" : "1.19.8", Limits.DEFAULT));
    }

    /** The last byte decides which version the program is of. */
    private static boolean isRow(byte[] data) {
        return data.length > 0 && data[data.length - 1] != 0;
    }
}
