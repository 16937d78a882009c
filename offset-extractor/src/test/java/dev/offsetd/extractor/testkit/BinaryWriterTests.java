package dev.offsetd.extractor.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.ByteOrder;
import org.junit.jupiter.api.Test;

class BinaryWriterTests {

    private static byte[] bytes(int... values) {
        return DwarfTree.blob(values).bytes();
    }

    @Test
    void integersFollowTheByteOrder() {
        assertThat(new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                        .integer(0x123456, 3)
                        .toBytes())
                .isEqualTo(bytes(0x56, 0x34, 0x12));
        assertThat(new BinaryWriter(ByteOrder.BIG_ENDIAN).integer(0x123456, 3).toBytes())
                .isEqualTo(bytes(0x12, 0x34, 0x56));
    }

    @Test
    void integersWiderThanALongRepeatTheSign() {
        assertThat(new BinaryWriter(ByteOrder.BIG_ENDIAN).integer(-2, 10).toBytes())
                .isEqualTo(bytes(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xfe));
    }

    /** The examples of DWARF 5, figures C.1 and C.2. */
    @Test
    void leb128IsThatOfTheStandard() {
        BinaryWriter unsigned = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        unsigned.uleb(2).uleb(127).uleb(128).uleb(129).uleb(12857).uleb(-1);
        assertThat(unsigned.toBytes())
                .isEqualTo(bytes(
                        2, 127, 0x80, 1, 0x81, 1, 0xb9, 0x64, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 1));
        BinaryWriter signed = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        signed.sleb(2).sleb(-2).sleb(127).sleb(-127).sleb(128).sleb(-128).sleb(-129);
        assertThat(signed.toBytes()).isEqualTo(bytes(2, 0x7e, 0xff, 0, 0x81, 0x7f, 0x80, 1, 0x80, 0x7f, 0xff, 0x7e));
    }

    @Test
    void alignmentFillsWithNullBytes() {
        assertThat(new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u8(1).align(4).toBytes())
                .isEqualTo(bytes(1, 0, 0, 0));
    }
}
