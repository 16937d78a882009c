package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.NamedShape;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import java.io.IOException;
import java.io.InputStream;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.Objects;
import org.junit.jupiter.api.Test;

/** The types that a BPF program relocates; the program is that of {@code examples/co-re-userspace}. */
class BpfObjectTests {

    private static final int STRUCT = 4 << 24;
    private static final int CONST = 10 << 24;

    private static byte[] program() throws IOException {
        try (InputStream in = Objects.requireNonNull(
                BpfObjectTests.class.getResourceAsStream("BpfObjectFuzzTestsInputs/fuzz/frames"))) {
            return in.readAllBytes();
        }
    }

    @Test
    void typesAreThoseOfTheRelocationsEachOnce() throws IOException, ExtractionException {
        assertThat(BpfObject.relocatedTypes(program()))
                .extracting(NamedShape::spelling)
                .containsExactly(
                        "struct rb_execution_context_struct",
                        "struct rb_control_frame_struct",
                        "struct rb_iseq_struct",
                        "struct rb_iseq_constant_body");
    }

    /** An object with {@code const struct point___v2} and one relocation of a type. */
    private static byte[] object(long typeId, long recordBytes, long kind) {
        BinaryWriter btf = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        byte[] strings = "\0point___v2\0".getBytes(StandardCharsets.US_ASCII);
        btf.u16(0xeb9f).u8(1).u8(0).u32(24).u32(0).u32(24).u32(24).u32(strings.length);
        btf.u32(1).u32(STRUCT).u32(4).u32(0).u32(CONST).u32(1).bytes(strings);
        BinaryWriter ext = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        ext.u16(0xeb9f).u8(1).u8(0).u32(32).u32(0).u32(0).u32(0).u32(0).u32(0).u32(28);
        ext.u32(recordBytes).u32(0).u32(1).u32(0).u32(typeId).u32(0).u32(kind);
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".BTF", btf.toBytes())
                .section(".BTF.ext", ext.toBytes())
                .toBytes();
    }

    @Test
    void qualifiersAndFlavoursAreNotPartOfTheName() throws ExtractionException {
        assertThat(BpfObject.relocatedTypes(object(2, 16, 0)))
                .extracting(NamedShape::spelling)
                .containsExactly("struct point");
    }

    @Test
    void relocationsNameThePathsOfTheirMembers() throws IOException, ExtractionException {
        assertThat(BpfObject.program(program()).relocations())
                .extracting(relocation ->
                        relocation.kind() + " " + relocation.type().spelling() + " " + relocation.path())
                .contains(
                        "FIELD_BYTE_OFFSET struct rb_execution_context_struct [cfp]",
                        "FIELD_BYTE_OFFSET struct rb_iseq_constant_body [location, label]",
                        "TYPE_SIZE struct rb_control_frame_struct []");
    }

    @Test
    void idsOfTheProgramItselfNeedNoTypeOfTheTarget() throws ExtractionException {
        assertThat(BpfObject.relocatedTypes(object(2, 16, 6))).isEmpty();
    }

    @Test
    void idPastTheEndAndShortRecordsAreMalformed() {
        assertThatThrownBy(() -> BpfObject.relocatedTypes(object(3, 16, 0)))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("type id 3; expected 1 to 2");
        assertThatThrownBy(() -> BpfObject.relocatedTypes(object(2, 8, 0)))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("size of a record is 8");
        assertThatThrownBy(() -> BpfObject.relocatedTypes(object(2, 20, 0)))
                .isInstanceOf(MalformedInputException.class);
        assertThatThrownBy(() -> BpfObject.program(object(2, 16, 0)))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("access \"\"; expected at most 64 numbers and colons");
        assertThatThrownBy(() -> BpfObject.program(object(2, 16, 13)))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("relocation of kind 13 is not known");
    }

    /** An object whose structs all have one name of a MiB, each with a relocation. */
    private static byte[] manyOfOneName(int count) {
        byte[] name = new byte[1 << 20];
        Arrays.fill(name, 1, name.length - 1, (byte) 'a');
        BinaryWriter btf = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        int types = 12 * count;
        btf.u16(0xeb9f).u8(1).u8(0).u32(24).u32(0).u32(types).u32(types).u32(name.length);
        BinaryWriter ext = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        ext.u16(0xeb9f).u8(1).u8(0).u32(32).u32(0).u32(0).u32(0).u32(0).u32(0).u32(12 + 16L * count);
        ext.u32(16).u32(0).u32(count);
        for (int id = 1; id <= count; id++) {
            btf.u32(1).u32(STRUCT).u32(4);
            ext.u32(0).u32(id).u32(0).u32(0);
        }
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".BTF", btf.bytes(name).toBytes())
                .section(".BTF.ext", ext.toBytes())
                .toBytes();
    }

    @Test
    void longNameOfManyTypesIsReadOnce() throws IOException {
        byte[] object = manyOfOneName(60_000);
        assertThat(HostileRun.answer("object", 64 << 20, () -> BpfObject.relocatedTypes(object)))
                .hasValueSatisfying(types -> assertThat(types).hasSize(1));
        assertThat(HostileRun.answer("object", 128 << 20, () -> BpfObject.program(object)))
                .isEmpty();
    }

    /** An object with structs that hold themselves, and a relocation for each path of up to 63 members in each of them. */
    private static byte[] paths(int structs, int nameChars) {
        int longest = 63;
        StringBuilder strings = new StringBuilder("\0s\0" + "m".repeat(nameChars) + "\0");
        int access = strings.length();
        strings.append("0:".repeat(longest)).append("0\0");
        BinaryWriter btf = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        int types = 24 * structs;
        btf.u16(0xeb9f).u8(1).u8(0).u32(24).u32(0).u32(types).u32(types).u32(strings.length());
        BinaryWriter ext = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        int count = structs * longest;
        ext.u16(0xeb9f).u8(1).u8(0).u32(32).u32(0).u32(0).u32(0).u32(0).u32(0).u32(12 + 16L * count);
        ext.u32(16).u32(0).u32(count);
        for (int id = 1; id <= structs; id++) {
            btf.u32(1).u32(STRUCT + 1).u32(8).u32(3).u32(id).u32(0);
            for (int length = 1; length <= longest; length++) {
                ext.u32(0).u32(id).u32(access + 2L * (longest - length)).u32(0);
            }
        }
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(
                        ".BTF",
                        btf.bytes(strings.toString().getBytes(StandardCharsets.US_ASCII))
                                .toBytes())
                .section(".BTF.ext", ext.toBytes())
                .toBytes();
    }

    @Test
    void textOfAllPathsIsLimited() throws ExtractionException {
        assertThat(BpfObject.program(paths(1, 1_000)).relocations())
                .hasSize(63)
                .last()
                .satisfies(relocation -> assertThat(relocation.path()).hasSize(63));
        assertThatThrownBy(() -> BpfObject.program(paths(1, 2_000)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxRelocationChars of 2097152");
    }

    @Test
    void relocationsThatDifferAreLimited() {
        assertThatThrownBy(() -> BpfObject.program(paths(320, 1)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxRelocations of 20000");
    }

    @Test
    void sectionThatInflatesBeyondAnyProgramIsOverTheLimit() {
        byte[] object = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".BTF", new byte[1])
                .compressed(".BTF.ext", new byte[3 * BpfObject.MAX_BYTES], ElfWriter.ELFCOMPRESS_ZLIB)
                .toBytes();
        assertThat(object).hasSizeLessThan(1 << 16);
        assertThatThrownBy(() -> BpfObject.relocatedTypes(object))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxDecompressedBytes");
    }

    @Test
    void objectWithoutRelocationsOrOverTheLimitIsRefused() {
        byte[] empty = new ElfWriter(64, ByteOrder.LITTLE_ENDIAN).toBytes();
        assertThatThrownBy(() -> BpfObject.relocatedTypes(empty))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("expected a BPF program");
        assertThatThrownBy(() -> BpfObject.relocatedTypes(new byte[BpfObject.MAX_BYTES + 1]))
                .isInstanceOf(LimitExceededException.class);
    }
}
