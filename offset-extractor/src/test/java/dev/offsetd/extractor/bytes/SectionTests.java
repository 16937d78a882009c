package dev.offsetd.extractor.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.Random;
import org.junit.jupiter.api.Test;

class SectionTests {

    private static final int MAX_NAME_BYTES = 100;

    /** Among bytes that differ from zero in one bit only, or follow a zero byte. */
    @Test
    void stringEndsAtItsFirstZeroByte() throws Exception {
        Random random = new Random(7);
        byte[] candidates = {1, (byte) 0x80, (byte) 0x81, 0x7f, (byte) 0xff, 'a'};
        for (int length = 0; length <= 40; length++) {
            for (int start = 0; start <= 9; start++) {
                byte[] bytes = new byte[start + length + 1 + random.nextInt(12)];
                for (int i = 0; i < bytes.length; i++) {
                    bytes[i] = candidates[random.nextInt(candidates.length)];
                }
                bytes[start + length] = 0;
                Arrays.fill(bytes, start + length + 1, bytes.length, (byte) random.nextInt(2));

                assertThat(section(bytes).stringLength(start, MAX_NAME_BYTES))
                        .as("%d bytes from %d of %s", length, start, Arrays.toString(bytes))
                        .isEqualTo(length);
            }
        }
    }

    @Test
    void stringWithoutEndIsRefused() {
        for (int length = 1; length <= 20; length++) {
            byte[] bytes = new byte[length];
            Arrays.fill(bytes, (byte) 'x');
            assertThatThrownBy(() -> section(bytes).stringLength(0, MAX_NAME_BYTES))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessageContaining("does not end");
        }
    }

    @Test
    void longestNameIsReadAndALongerOneRefused() throws Exception {
        byte[] bytes = new byte[MAX_NAME_BYTES + 20];
        Arrays.fill(bytes, 0, MAX_NAME_BYTES, (byte) 'x');
        assertThat(section(bytes).stringLength(0, MAX_NAME_BYTES)).isEqualTo(MAX_NAME_BYTES);

        bytes[MAX_NAME_BYTES] = 'x';
        assertThatThrownBy(() -> section(bytes).stringLength(0, MAX_NAME_BYTES))
                .isInstanceOf(LimitExceededException.class);
    }

    private static Section section(byte[] bytes) {
        return new Section(".debug_str", MemorySegment.ofArray(bytes), ByteOrder.LITTLE_ENDIAN);
    }
}
