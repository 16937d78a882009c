package dev.offsetd.extractor.dwarf.frame;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;

/** Line programs. The first byte of the input chooses the byte order; {@code .debug_line} follows, for three units. */
@ChecklistRow(1)
class LineProgramFuzzTests {

    @TempDir
    private static Path folder;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length > 0) {
            byte[] lines = Arrays.copyOfRange(data, 1, data.length);
            FuzzedCode.requireSafe(folder, (data[0] & 1) != 0, elf -> elf.section(".debug_line", lines), lines.length);
        }
    }
}
