package dev.offsetd.query.store;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.frames.FunctionName;
import dev.offsetd.extractor.layout.Omission;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Functions and lines that are written and read again. */
class StoredFramesTests {

    private static final long KERNEL = 0xffff_ffff_8100_0000L;

    /** Functions of 64 bytes with a call inlined at 16 and a gap of 16 behind each; enough to fill some blocks. */
    private static FrameTable table(int functions) {
        List<FunctionName> names = new ArrayList<>();
        List<FrameRange> ranges = new ArrayList<>();
        for (int i = 0; i < functions; i++) {
            names.add(new FunctionName("ns::function_" + i, i % 2 == 0 ? null : "_ZN2ns" + i));
            long start = KERNEL + 80L * i;
            int[] scopes = {i, -1, -1, 0, 0, 0, i / 2, 0, i % 3 - 1, 10 + i, 4, 0};
            int[] rows = {0, 0, 1, 100 + i, 3, 0, 16, 1, 2, 7, 0, 5, 32, 0, -1, 0, 0, 0};
            ranges.add(new FrameRange(start, start + 64, scopes, rows));
        }
        return new FrameTable(
                names,
                List.of("/src/a.c", "/src/b.c", "b.h"),
                ranges,
                List.of(new Omission(Omission.Part.UNIT, Omission.Cause.DAMAGED, 1, List.of("place"))));
    }

    private static StoredFrames.Lookups lookups(FrameTable table) {
        return StoredFrames.of(FramesWriter.encode(table)).lookups();
    }

    @Test
    void everyAddressHasTheFramesThatWereWritten() {
        FrameTable table = table(3_000);
        StoredFrames.Lookups stored = lookups(table);
        for (long address = KERNEL - 2; address < KERNEL + 80L * 3_000 + 2; address += 7) {
            assertThat(stored.at(address)).isEqualTo(table.at(address));
        }
        assertThat(stored.at(KERNEL + 80 + 16))
                .containsExactly(
                        new Frame("ns::function_0", null, "b.h", 7, 0, 5, true),
                        new Frame("ns::function_1", "_ZN2ns1", "/src/a.c", 11, 4, 0, false));
        assertThat(stored.at(0)).isEmpty();
        assertThat(stored.at(-1)).isEmpty();
    }

    @Test
    void equalTablesHaveEqualBytes() {
        assertThat(FramesWriter.encode(table(500))).isEqualTo(FramesWriter.encode(table(500)));
    }

    @Test
    void emptyTableHasNoFrames() {
        FrameTable empty = new FrameTable(List.of(), List.of(), List.of(), List.of());
        assertThat(lookups(empty).at(KERNEL)).isEmpty();
    }

    @Test
    void callThatIsInlinedIntoItselfIsCorrupt() {
        FrameRange cyclic = new FrameRange(0, 16, new int[] {0, 0, -1, 0, 0, 0}, new int[] {0, 0, -1, 0, 0, 0});
        FrameTable table = new FrameTable(List.of(new FunctionName("f", null)), List.of(), List.of(cyclic), List.of());
        StoredFrames.Lookups stored = lookups(table);
        assertThatThrownBy(() -> stored.at(0))
                .isInstanceOf(CorruptBlobException.class)
                .hasMessageContaining("rows or calls of the range at 0x0");
    }
}
