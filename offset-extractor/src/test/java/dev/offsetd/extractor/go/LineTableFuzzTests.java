package dev.offsetd.extractor.go;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.go.LineTableHeader.Format;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;

/** The memory of a Go program with its line table: functions, lines and inlined calls. */
@ChecklistRow(1)
class LineTableFuzzTests {

    private static final int MAGIC_BYTES = 4;

    /** Reads a line table whose format and Go version the first byte of the input chooses, as in the magic number. */
    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length < MAGIC_BYTES) {
            return;
        }
        Format format = switch (data[0] & 0xff) {
            case 0xfb -> Format.ADDRESSES;
            case 0xfa -> Format.UNITS;
            case 0xf0 -> Format.OFFSETS;
            default -> Format.START_LINES;
        };
        HostileRun.answer(
                "line table", HostileRun.allocationBound(data.length), () -> LineTableImage.read(data, format));
    }
}
