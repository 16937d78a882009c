package dev.offsetd.extractor.bytes;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ByteCursorTests {

    private static Section section(ByteOrder order, byte[] bytes) {
        return new Section(".test", MemorySegment.ofArray(bytes), order);
    }

    private static ByteCursor over(BinaryWriter writer) throws MalformedInputException {
        return section(ByteOrder.LITTLE_ENDIAN, writer.toBytes()).cursor();
    }

    private static ByteCursor over(int... values) throws MalformedInputException {
        BinaryWriter writer = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        for (int value : values) {
            writer.u8(value);
        }
        return over(writer);
    }

    @Test
    void numbersOfEveryWidthAreReadInBothByteOrders() throws MalformedInputException {
        for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
            byte[] bytes = new BinaryWriter(order)
                    .u8(0xfe)
                    .u16(0xfedc)
                    .integer(0xfedcba, 3)
                    .u32(0xfedcba98L)
                    .u64(0xfedcba9876543210L)
                    .toBytes();
            ByteCursor in = section(order, bytes).cursor();
            assertThat(in.unsigned(1)).isEqualTo(0xfe);
            assertThat(in.unsigned(2)).isEqualTo(0xfedc);
            assertThat(in.unsigned(3)).isEqualTo(0xfedcba);
            assertThat(in.unsigned(4)).isEqualTo(0xfedcba98L);
            assertThat(in.unsigned(8)).isEqualTo(0xfedcba9876543210L);
            assertThat(in.hasRemaining()).isFalse();
        }
    }

    @ParameterizedTest
    @ValueSource(
            longs = {
                0,
                1,
                2,
                63,
                64,
                127,
                128,
                129,
                8191,
                8192,
                16_383,
                16_384,
                0x7fff_ffffL,
                0x8000_0000L,
                1L << 55,
                1L << 56,
                1L << 62,
                Long.MAX_VALUE,
                Long.MIN_VALUE,
                -1,
                -2,
                -63,
                -64,
                -65,
                -127,
                -128,
                -129,
                -8193
            })
    void leb128OfEveryLengthIsReadAndSkipped(long value) throws MalformedInputException {
        ByteCursor in = over(new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .uleb(value)
                .sleb(value)
                .u8(0x55));
        assertThat(in.uleb128()).isEqualTo(value);
        assertThat(in.sleb128()).isEqualTo(value);
        assertThat(in.u8()).isEqualTo(0x55);
        in.seek(0);
        in.skipLeb128();
        in.skipLeb128();
        assertThat(in.u8()).isEqualTo(0x55);
    }

    /** Assemblers pad LEB128 numbers to a length that was fixed before the value was known. */
    @Test
    void paddedLeb128HasItsValue() throws MalformedInputException {
        assertThat(over(0x85, 0x80, 0x80, 0x00).uleb128()).isEqualTo(5);
        assertThat(over(0x85, 0x80, 0x80, 0x00).sleb128()).isEqualTo(5);
        assertThat(over(0xfb, 0xff, 0xff, 0x7f).sleb128()).isEqualTo(-5);
        int[] padded = new int[20];
        Arrays.fill(padded, 0x80);
        padded[0] = 0x85;
        padded[19] = 0;
        assertThat(over(padded).uleb128()).isEqualTo(5);
        assertThat(over(padded).sleb128()).isEqualTo(5);
    }

    @Test
    void leb128PastSixtyFourBitsIsMalformed() throws MalformedInputException {
        int[] tooLarge = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02};
        assertThatThrownBy(() -> over(tooLarge).uleb128())
                .isInstanceOf(MalformedInputException.class)
                .hasMessageStartingWith(".test+0x9: ");
        assertThatThrownBy(() -> over(tooLarge).sleb128()).isInstanceOf(MalformedInputException.class);
    }

    @Test
    void readingPastTheEndIsMalformedAtItsPlace() throws MalformedInputException {
        for (int width : new int[] {1, 2, 4, 8}) {
            ByteCursor in = section(ByteOrder.LITTLE_ENDIAN, new byte[100]).cursor(40, width - 1L);
            assertThatThrownBy(() -> in.unsigned(width))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessage(".test+0x28: need " + width + " bytes, the part from 0x28 ends at 0x"
                            + Integer.toHexString(40 + width - 1));
        }
        assertThatThrownBy(() -> over(0x80).uleb128()).isInstanceOf(MalformedInputException.class);
        assertThatThrownBy(() -> over(0x80).sleb128()).isInstanceOf(MalformedInputException.class);
        assertThatThrownBy(() -> over(0x80).skipLeb128()).isInstanceOf(MalformedInputException.class);
        assertThatThrownBy(() -> over('a', 'b').skipString()).isInstanceOf(MalformedInputException.class);
    }

    @ParameterizedTest
    @ValueSource(longs = {-1, 5, Long.MAX_VALUE, Long.MIN_VALUE})
    void skippingOutsideIsMalformed(long count) throws MalformedInputException {
        assertThatThrownBy(() -> over(1, 2, 3, 4).skip(count)).isInstanceOf(MalformedInputException.class);
    }

    @Test
    void seekingOutsideFailsWithTheNextRead() throws MalformedInputException {
        for (long offset : new long[] {-1, 4, Long.MAX_VALUE, Long.MIN_VALUE}) {
            ByteCursor in = over(1, 2, 3, 4);
            in.seek(offset);
            assertThatThrownBy(in::u8).isInstanceOf(MalformedInputException.class);
        }
    }

    @Test
    void partsOutsideTheirSectionAreMalformed() throws MalformedInputException {
        Section section = section(ByteOrder.LITTLE_ENDIAN, new byte[10]);
        for (long[] part :
                new long[][] {{0, 11}, {10, 1}, {-1, 1}, {5, -1}, {Long.MAX_VALUE, 1}, {1, Long.MAX_VALUE}}) {
            assertThatThrownBy(() -> section.cursor(part[0], part[1])).isInstanceOf(MalformedInputException.class);
        }
        assertThatThrownBy(
                        () -> Section.absent(".test", ByteOrder.LITTLE_ENDIAN).cursor(0, 1))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("no such section");
    }

    @Test
    void stringsAreReadUpToTheLimit() throws Exception {
        byte[] text = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .string("0123456789")
                .string("caf\u00e9")
                .toBytes();
        Section section = section(ByteOrder.LITTLE_ENDIAN, text);
        assertThat(section.string(0, 10)).isEqualTo("0123456789");
        assertThat(section.string(11, 10)).isEqualTo("caf\u00e9");
        assertThatThrownBy(() -> section.string(0, 9)).isInstanceOf(LimitExceededException.class);
        assertThatThrownBy(() -> section.string(text.length, 10)).isInstanceOf(MalformedInputException.class);
        Section endless = section(ByteOrder.LITTLE_ENDIAN, new byte[] {'a', 'b', 'c'});
        assertThatThrownBy(() -> endless.string(0, 10)).isInstanceOf(MalformedInputException.class);
    }
}
