package dev.offsetd.extractor.go;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.DeadlineExceededException;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import java.io.ByteArrayOutputStream;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import org.junit.jupiter.api.Test;

/** Android's packed relocations, {@code APS2}, in the groups that lld makes. */
class RelativeRelocationsTests {

    private static final int RELATIVE = 8;
    private static final int GROUPED_BY_INFO = 1;
    private static final int GROUPED_BY_OFFSET_DELTA = 2;
    private static final int GROUPED_BY_ADDEND = 4;
    private static final int HAS_ADDEND = 8;

    @Test
    void packedRelocationsAreThoseThatTheyStandFor() throws ExtractionException {
        byte[] table = packed(
                7,
                0x1000,
                // two places 8 bytes apart with an addend each
                2,
                GROUPED_BY_INFO | GROUPED_BY_OFFSET_DELTA | HAS_ADDEND,
                8,
                RELATIVE,
                0x500,
                0x20,
                // an odd place, and one of another type
                2,
                HAS_ADDEND,
                0x100,
                RELATIVE,
                -0x10,
                0x10,
                6,
                0x1,
                // places with one step of the addend for all
                2,
                GROUPED_BY_INFO | GROUPED_BY_ADDEND | HAS_ADDEND,
                RELATIVE,
                0xf,
                0x8,
                -0x4000,
                // without addends they are 0
                1,
                GROUPED_BY_INFO,
                RELATIVE,
                0x8);

        RelativeRelocations.Pointers pointers = read(table);

        assertThat(pointers.places()).containsExactly(-0x2ed8, -0x2ed0, 0x1008, 0x1010, 0x1110, 0x1128);
        assertThat(pointers.targets()).containsExactly(0x520, 0, 0x500, 0x520, 0x510, 0x520);
    }

    @Test
    void groupLargerThanTheTableIsMalformed() {
        assertThatThrownBy(() -> read(packed(2, 0, 3, GROUPED_BY_INFO, RELATIVE, 8, 8, 8)))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("group of 3 relocations; expected 1 to 2");
    }

    @Test
    void aFewBytesDoNotStandForMoreRelocationsThanTheLimit() {
        assertThatThrownBy(() -> read(packed(Long.MAX_VALUE >> 1, 0)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxEntries");
    }

    @Test
    void aFewBytesDoNotStandForMoreTimeThanTheDeadline() {
        byte[] table = packed(100_000, 0, 100_000, GROUPED_BY_INFO | GROUPED_BY_OFFSET_DELTA, 8, RELATIVE);
        assertThatThrownBy(() -> Deadline.afterChecks(100).during(() -> read(table)))
                .isInstanceOf(DeadlineExceededException.class);
    }

    private static RelativeRelocations.Pointers read(byte[] table) throws ExtractionException {
        return RelativeRelocations.read(
                new Section(".rela.dyn", MemorySegment.ofArray(table), ByteOrder.LITTLE_ENDIAN),
                8,
                RELATIVE,
                Limits.DEFAULT,
                new HeapBudget(Limits.DEFAULT.maxKeptBytes()));
    }

    private static byte[] packed(long... numbers) {
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        out.writeBytes("APS2".getBytes(StandardCharsets.US_ASCII));
        for (long number : numbers) {
            long rest = number;
            boolean more = true;
            while (more) {
                long low = rest & 0x7f;
                rest >>= 7;
                more = !((rest == 0 && (low & 0x40) == 0) || (rest == -1 && (low & 0x40) != 0));
                out.write((int) (more ? low | 0x80 : low));
            }
        }
        return out.toByteArray();
    }
}
