package dev.offsetd.query;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code .debug_info} with its abbreviations. The first byte of the input chooses the byte order (bit 0) and whether the
 * units are those of {@code .debug_types} (bit 1); two bytes say how long the abbreviations are, which follow; then come
 * the units. Names stand in a section that is always the same.
 */
@ChecklistRow(1)
class DebugInfoFuzzTests {

    private static final int HEADER_BYTES = 3;
    private static final byte[] NAMES =
            "a\0point\0RED\0std::vector<int, 3>\0evil\n\0".getBytes(StandardCharsets.ISO_8859_1);
    private static final byte[] STR_OFFSETS = {12, 0, 0, 0, 5, 0, 0, 0, 0, 0, 0, 0, 2, 0, 0, 0};

    @TempDir
    private static Path folder;

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length < HEADER_BYTES) {
            return;
        }
        int split = Math.min(data.length, HEADER_BYTES + (data[1] & 0xff) + (data[2] & 0xff) * 256);
        byte[] abbreviations = Arrays.copyOfRange(data, HEADER_BYTES, split);
        byte[] units = Arrays.copyOfRange(data, split, data.length);
        ByteOrder order = (data[0] & 1) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
        ElfWriter elf = new ElfWriter(64, order)
                .section(".debug_abbrev", abbreviations)
                .section(".debug_info", units)
                .section(".debug_str", NAMES)
                .section(".debug_line_str", NAMES)
                .section(".debug_str_offsets", STR_OFFSETS);
        if ((data[0] & 2) != 0) {
            elf.section(".debug_types", units);
        }
        byte[] bytes = elf.toBytes();
        Path file = Files.write(folder.resolve("units"), bytes);
        WholeReading.requireSafe(file, bytes.length, "units");
        if ((Arrays.hashCode(data) & 7) == 0) {
            // Starting threads takes longer than reading.
            WholeReading.requireSameOnTwoThreads(file);
        }
    }
}
