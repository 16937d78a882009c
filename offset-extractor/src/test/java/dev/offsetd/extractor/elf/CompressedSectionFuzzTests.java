package dev.offsetd.extractor.elf;

import com.code_intelligence.jazzer.junit.FuzzTest;
import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.lang.foreign.Arena;
import java.lang.foreign.ValueLayout;
import java.nio.ByteOrder;
import java.util.Arrays;

/**
 * Compressed sections. The first byte of the input chooses the kind: bit 0 for {@code .zdebug_*}, else bit 1 for 32 bits
 * and bit 2 for big-endian; the rest is the section, header included.
 */
@ChecklistRow({1, 3})
class CompressedSectionFuzzTests {

    private static final Limits LIMITS =
            Limits.DEFAULT.withMaxDecompressedBytes(1 << 20).withMaxHeapSectionBytes(1 << 16);

    @FuzzTest
    void fuzz(byte[] data) throws IOException {
        if (data.length == 0) {
            return;
        }
        try (Arena arena = Arena.ofConfined()) {
            ByteOrder order = (data[0] & 4) != 0 ? ByteOrder.BIG_ENDIAN : ByteOrder.LITTLE_ENDIAN;
            Section raw = new Section(
                    ".debug_info",
                    arena.allocateFrom(ValueLayout.JAVA_BYTE, Arrays.copyOfRange(data, 1, data.length)),
                    order);
            Decompressor decompressor = new Decompressor(arena, LIMITS, Runnable::run);
            HostileRun.answer(
                            "section",
                            HostileRun.allocationBound(data.length),
                            () -> (data[0] & 1) != 0
                                    ? decompressor.decompressGnu(raw, true)
                                    : decompressor.decompress(raw, (data[0] & 2) != 0 ? 32 : 64, true))
                    .ifPresent(section -> {
                        if (section.size() > LIMITS.maxDecompressedBytes()) {
                            throw new AssertionError("decompressed to " + section.size() + " bytes");
                        }
                    });
        }
    }
}
