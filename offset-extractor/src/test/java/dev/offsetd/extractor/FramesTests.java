package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowableOfType;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.frames.Frame;
import dev.offsetd.extractor.frames.FrameRange;
import dev.offsetd.extractor.frames.FrameTable;
import dev.offsetd.extractor.input.Deadline;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.extractor.testkit.LimitsWith;
import dev.offsetd.extractor.testkit.LineProgramWriter;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Functions and lines by address. */
@ChecklistRow(1)
class FramesTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);
    private static final ByteOrder ORDER = ByteOrder.LITTLE_ENDIAN;
    private static final long CODE = 0x1000;

    @TempDir
    private Path folder;

    private static LineProgramWriter program(int version) {
        return new LineProgramWriter(version, ORDER).file("a.c").file("b.h");
    }

    private static Part place(long low, long bytes) {
        return new Styled(_ ->
                List.of(attribute(DW_AT_low_pc, DW_FORM_addr, low), attribute(DW_AT_high_pc, DW_FORM_data4, bytes)));
    }

    private static Die function(String name, long low, long bytes, Part... parts) {
        List<Part> all = new ArrayList<>(List.of(label(name), name(name), place(low, bytes)));
        all.addAll(List.of(parts));
        return die(DW_TAG_subprogram, all.toArray(Part[]::new));
    }

    private static Die inlined(String origin, long low, long bytes, int line, Part... parts) {
        List<Part> all = new ArrayList<>(List.of(
                attribute(DW_AT_abstract_origin, new Ref(origin)),
                place(low, bytes),
                attribute(0x58, DW_FORM_data1, 1),
                attribute(0x59, DW_FORM_data2, line),
                attribute(0x57, DW_FORM_data1, 7)));
        all.addAll(List.of(parts));
        return die(DW_TAG_inlined_subroutine, all.toArray(Part[]::new));
    }

    private static Unit unit(long line, Part... children) {
        List<Part> parts = new ArrayList<>(List.of(
                name("a.c"),
                attribute(DW_AT_comp_dir, new Text("/src")),
                attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C99),
                place(CODE, 0x1000)));
        if (line >= 0) {
            parts.add(attribute(DW_AT_stmt_list, DW_FORM_sec_offset, line));
        }
        parts.addAll(List.of(children));
        return unitOf(die(DW_TAG_compile_unit, parts.toArray(Part[]::new)));
    }

    private static ElfWriter elf(DwarfStyle style, byte[] lines, Unit... units) {
        return DwarfWriter.write(style, units)
                .toElf()
                .code(".text", CODE, 0x1000)
                .section(".debug_line", lines);
    }

    private FrameTable read(ElfWriter elf) throws IOException, ExtractionException {
        return DebugInfo.read(Files.write(folder.resolve("file"), elf.toBytes()), OPTIONS, DebugInfo::allFrames);
    }

    private FrameTable lines(LineProgramWriter program) throws IOException, ExtractionException {
        return read(elf(DwarfStyle.DEFAULT, program.toBytes(), unit(0)));
    }

    private static String text(FrameTable table, long address) {
        return table.at(address).stream().map(FramesTests::text).collect(Collectors.joining(" < "));
    }

    private static String text(Frame frame) {
        return frame.function() + " " + frame.file() + ":" + frame.line() + ":" + frame.column();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4, 5})
    void specialOpcodesAdvanceAddressAndLineInEveryVersion(int version) throws IOException, ExtractionException {
        LineProgramWriter program = program(version)
                .setFile(version < 5 ? 1 : 0)
                .address(CODE)
                .column(3)
                .row(0, 8)
                .row(4, -2)
                .setFile(version < 5 ? 2 : 1)
                .row(2, 1)
                .end(6);
        FrameTable table = read(elf(DwarfStyle.DEFAULT.withVersion(Math.max(4, version)), program.toBytes(), unit(0)));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:9:3");
        assertThat(text(table, CODE + 3)).isEqualTo("null /src/include/a.c:9:3");
        assertThat(text(table, CODE + 4)).isEqualTo("null /src/include/a.c:7:3");
        assertThat(text(table, CODE + 6)).isEqualTo("null /src/include/b.h:8:3");
        assertThat(text(table, CODE + 11)).isEqualTo("null /src/include/b.h:8:3");
        assertThat(table.at(CODE + 12)).isEmpty();
        assertThat(table.at(CODE - 1)).isEmpty();
    }

    /** Guile's code is data to the processor: no section of its files is executable. */
    @Test
    void codeOfAVirtualMachineHasLines() throws IOException, ExtractionException {
        byte[] lines = program(5).setFile(0).address(CODE).row(0, 4).end(8).toBytes();
        FrameTable table = read(DwarfWriter.write(DwarfStyle.DEFAULT, unit(0, function("f", CODE, 8)))
                .toElf()
                .loaded(".rtl-text", CODE, new byte[0x1000])
                .section(".debug_line", lines));
        assertThat(text(table, CODE + 7)).isEqualTo("f /src/include/a.c:5:0");
    }

    @Test
    void rowAtTheSameAddressReplacesTheRowBefore() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(CODE)
                .row(0, 1)
                .row(0, 1)
                .row(0, 1)
                .end(4));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:4:0");
        assertThat(text(table, CODE + 3)).isEqualTo("null /src/include/a.c:4:0");
    }

    @Test
    void operationsOfAnInstructionFollowItsAddress() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .instructions(16, 3)
                .address(CODE)
                .row(0, 1)
                .row(1, 1)
                .row(4, 1)
                .end(1));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
        assertThat(text(table, CODE + 1)).isEqualTo("null /src/include/a.c:3:0");
        assertThat(text(table, CODE + 16)).isEqualTo("null /src/include/a.c:3:0");
        assertThat(text(table, CODE + 18)).isEqualTo("null /src/include/a.c:4:0");
    }

    /** The opcode advances by bytes, and to the first operation (DWARF 5 §6.2.5.2). */
    @Test
    void fixedAdvanceCountsBytesAndNotInstructions() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .instructions(16, 3)
                .address(CODE)
                .row(0, 1)
                .row(1, 1)
                .raw(9, 0x20, 0x01)
                .row(0, 1)
                .end(3));
        assertThat(text(table, CODE + 1)).isEqualTo("null /src/include/a.c:3:0");
        assertThat(text(table, CODE + 0x11f)).isEqualTo("null /src/include/a.c:3:0");
        assertThat(text(table, CODE + 0x120)).isEqualTo("null /src/include/a.c:4:0");
        assertThat(text(table, CODE + 0x12f)).isEqualTo("null /src/include/a.c:4:0");
        assertThat(table.at(CODE + 0x130)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {2, 3, 4})
    void programDefinesFurtherFiles(int version) throws IOException, ExtractionException {
        LineProgramWriter program = program(version)
                .raw(0, 8, 3, 'c', '.', 'h', 0, 1, 0, 0)
                .setFile(3)
                .address(CODE)
                .row(0, 1)
                .end(4);
        FrameTable table = read(elf(DwarfStyle.DEFAULT.withVersion(4), program.toBytes(), unit(0)));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/c.h:2:0");
    }

    @Test
    void discriminatorHoldsForOneRow() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(CODE)
                .discriminator(6)
                .row(0, 1)
                .row(4, 0)
                .end(4));
        assertThat(table.at(CODE).getFirst().discriminator()).isEqualTo(6);
        assertThat(table.at(CODE + 4).getFirst().discriminator()).isZero();
    }

    @ParameterizedTest
    @ValueSource(longs = {0, 1, -1, -2, CODE - 16})
    void sequenceOutsideOfCodeIsLeftOut(long discarded) throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(discarded)
                .row(0, 50)
                .end(0x2000)
                .setFile(0)
                .address(CODE)
                .row(0, 1)
                .end(4));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
        assertThat(table.at(discarded)).isEmpty();
        assertThat(table.omissions()).isEmpty();
    }

    @Test
    void sequenceWhoseAddressesGoBackwardsIsLeftOutAndTheNextIsNot() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(CODE)
                .row(0, 1)
                .advance(-8)
                .row(0, 1)
                .end(4)
                .setFile(0)
                .address(CODE + 32)
                .row(0, 2)
                .end(4));
        assertThat(table.at(CODE)).isEmpty();
        assertThat(text(table, CODE + 32)).isEqualTo("null /src/include/a.c:3:0");
        assertThat(Omission.summary(table.omissions())).contains("goes back to 0xff8");
    }

    @Test
    void sequencesBeforeAFaultStay() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(CODE)
                .row(0, 1)
                .end(4)
                .address(CODE + 16)
                .row(0, 1)
                .raw(0, 0x7f));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
        assertThat(table.at(CODE + 16)).isEmpty();
        assertThat(Omission.summary(table.omissions())).contains("an extended opcode of 127 bytes");
    }

    @Test
    void unknownOpcodesArePassedOver() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(0)
                .address(CODE)
                .raw(0, 3, 0x80, 1, 2)
                .raw(12, 0x85, 1)
                .raw(6, 7, 10, 11)
                .row(0, 1)
                .end(4));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
    }

    @Test
    void fileThatTheTableHasNotLeavesTheLine() throws IOException, ExtractionException {
        FrameTable table = lines(program(5)
                .setFile(99)
                .address(CODE)
                .row(0, 1)
                .setFile(-1)
                .row(4, 0)
                .end(4));
        assertThat(text(table, CODE)).isEqualTo("null null:2:0");
        assertThat(text(table, CODE + 4)).isEqualTo("null null:2:0");
    }

    @ParameterizedTest
    @ValueSource(longs = {0xffff_ffffL, 1L << 32, -1})
    void moreFilesThanBytesAreMalformed(long count) throws IOException, ExtractionException {
        byte[] header = new BinaryWriter(ORDER)
                .bytes((byte) 1, (byte) 1, (byte) 1, (byte) -5, (byte) 14, (byte) 1)
                .u8(0)
                .uleb(0)
                .u8(0)
                .uleb(count)
                .toBytes();
        BinaryWriter unit =
                new BinaryWriter(ORDER).u16(5).u8(8).u8(0).u32(header.length).bytes(header);
        byte[] lines =
                new BinaryWriter(ORDER).u32(unit.size()).bytes(unit.toBytes()).toBytes();
        FrameTable table = read(elf(DwarfStyle.DEFAULT, lines, unit(0, function("f", CODE, 16))));
        assertThat(text(table, CODE)).isEqualTo("f null:0:0");
        assertThat(Omission.summary(table.omissions())).contains("entries of 0 forms");
    }

    private static LimitExceededException refusal(Path file, ReadOptions options) {
        return catchThrowableOfType(
                LimitExceededException.class, () -> DebugInfo.read(file, options, DebugInfo::allFrames));
    }

    static Set<HugeFile> hugeFiles() {
        return HugeFile.OF_CODE;
    }

    /** Each takes a few bytes of the file: compressed sections have any number of them. */
    @ParameterizedTest
    @MethodSource("hugeFiles")
    void whateverCodeHasManyOfCountsTowardsTheHeap(HugeFile kind) throws IOException, ExtractionException {
        Path few = kind.write(1).writeTo(folder.resolve("few"));
        Path many = kind.write(4_000).writeTo(folder.resolve("many"));
        DebugInfo.read(few, OPTIONS.withBudget(new HeapBudget(1 << 20)), DebugInfo::allFrames);
        assertThat(refusal(many, OPTIONS.withBudget(new HeapBudget(1 << 20))))
                .isNotNull()
                .extracting(LimitExceededException::limit)
                .isEqualTo(Limits.MAX_KEPT_BYTES);
    }

    @ParameterizedTest
    @MethodSource("hugeFiles")
    void entriesOfCodeAreLimited(HugeFile kind) throws IOException {
        Path file = kind.write(4_000).writeTo(folder.resolve("file"));
        assertThat(refusal(file, new ReadOptions(LimitsWith.of("maxEntries", 300), 1)))
                .isNotNull()
                .extracting(LimitExceededException::limit)
                .isEqualTo("maxEntries");
    }

    @ParameterizedTest
    @EnumSource(names = {"FILES_OF_LINES", "FOLDERS_OF_LINES", "RANGES_OF_A_UNIT", "RANGES_OF_A_FUNCTION"})
    void longTableOrListEndsAtTheDeadline(HugeFile kind) throws Exception {
        Path few = kind.write(1).writeTo(folder.resolve("few"));
        Path many = kind.write(40_000).writeTo(folder.resolve("many"));
        int checks = 20;
        Deadline.afterChecks(checks).during(() -> DebugInfo.read(few, OPTIONS, DebugInfo::allFrames));
        assertThat(Deadline.afterChecks(checks).during(() -> refusal(many, OPTIONS)))
                .isNotNull()
                .extracting(LimitExceededException::limit)
                .isEqualTo(Deadline.MAX_DURATION);
    }

    @Test
    void inlinedFunctionsAreCalledWhereTheirDieSays() throws IOException, ExtractionException {
        byte[] lines =
                program(5).setFile(0).address(CODE).row(0, 8).row(16, 1).end(16).toBytes();
        FrameTable table = read(elf(
                DwarfStyle.DEFAULT,
                lines,
                unit(
                        0,
                        die(DW_TAG_subprogram, label("inner"), name("inner")),
                        die(DW_TAG_subprogram, label("middle"), name("middle")),
                        function(
                                "outer",
                                CODE,
                                32,
                                inlined(
                                        "middle",
                                        CODE + 8,
                                        16,
                                        40,
                                        die(DW_TAG_lexical_block, inlined("inner", CODE + 12, 4, 50)))))));
        assertThat(text(table, CODE)).isEqualTo("outer /src/include/a.c:9:0");
        assertThat(text(table, CODE + 8)).isEqualTo("middle /src/include/a.c:9:0 < outer /src/include/b.h:40:7");
        assertThat(text(table, CODE + 12))
                .isEqualTo("inner /src/include/a.c:9:0 < middle /src/include/b.h:50:7 < outer /src/include/b.h:40:7");
        assertThat(text(table, CODE + 20)).isEqualTo("middle /src/include/a.c:10:0 < outer /src/include/b.h:40:7");
        assertThat(table.at(CODE + 12)).extracting(Frame::inlined).containsExactly(true, true, false);
        assertThat(text(table, CODE + 31)).isEqualTo("outer /src/include/a.c:10:0");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void rangesOfAFunctionNeedNotBeOne(int version) throws IOException, ExtractionException {
        BinaryWriter ranges = new BinaryWriter(ORDER);
        if (version == 4) {
            ranges.u64(-1)
                    .u64(CODE)
                    .u64(0)
                    .u64(16)
                    .u64(0x100)
                    .u64(0x110)
                    .u64(1)
                    .u64(1)
                    .u64(0)
                    .u64(0);
        } else {
            ranges.u8(5)
                    .u64(CODE)
                    .u8(4)
                    .uleb(0)
                    .uleb(16)
                    .u8(7)
                    .u64(CODE + 0x100)
                    .uleb(16)
                    .u8(6)
                    .u64(1)
                    .u64(4)
                    .u8(0);
        }
        Unit unit = unit(-1, die(DW_TAG_subprogram, name("f"), attribute(0x55, DW_FORM_sec_offset, 0)));
        ElfWriter elf = DwarfWriter.write(DwarfStyle.DEFAULT.withVersion(version), unit)
                .toElf()
                .code(".text", CODE, 0x1000)
                .section(version == 4 ? ".debug_ranges" : ".debug_rnglists", ranges.toBytes());
        FrameTable table = read(elf);
        assertThat(text(table, CODE)).isEqualTo("f null:0:0");
        assertThat(text(table, CODE + 0x10f)).isEqualTo("f null:0:0");
        assertThat(table.at(CODE + 16)).isEmpty();
        assertThat(table.at(1)).isEmpty();
    }

    @Test
    void rangesAreStatedByIndexesOfAddresses() throws IOException, ExtractionException {
        BinaryWriter addresses = new BinaryWriter(ORDER).u32(36).u16(5).u8(8).u8(0);
        for (long at : new long[] {0x7777, CODE, CODE + 16, CODE + 0x100, CODE + 0x200}) {
            addresses.u64(at);
        }
        // DW_RLE_startx_endx, DW_RLE_startx_length, DW_RLE_base_addressx with DW_RLE_offset_pair.
        byte[] ranges = {2, 1, 2, 3, 3, 16, 1, 4, 4, 2, 8, 0};
        Unit unit = unit(
                -1,
                attribute(DW_AT_addr_base, DW_FORM_sec_offset, 8),
                die(DW_TAG_subprogram, name("f"), attribute(0x55, DW_FORM_sec_offset, 0)),
                die(
                        DW_TAG_subprogram,
                        name("g"),
                        attribute(DW_AT_low_pc, DW_FORM_addrx, 2),
                        attribute(DW_AT_high_pc, DW_FORM_addrx1, 3)));
        FrameTable table = read(DwarfWriter.write(DwarfStyle.DEFAULT.withVersion(5), unit)
                .toElf()
                .code(".text", CODE, 0x1000)
                .section(".debug_addr", addresses.toBytes())
                .section(".debug_rnglists", ranges));
        for (long address : new long[] {0, 15, 0x100, 0x10f, 0x202, 0x207}) {
            assertThat(text(table, CODE + address)).isEqualTo("f null:0:0");
        }
        for (long address : new long[] {16, 0xff}) {
            assertThat(text(table, CODE + address)).isEqualTo("g null:0:0");
        }
        for (long address : new long[] {-1, 0x110, 0x201, 0x208}) {
            assertThat(table.at(CODE + address)).isEmpty();
        }
    }

    @Test
    void laterFunctionOfAUnitAndFirstUnitCountWhereRangesOverlap() throws IOException, ExtractionException {
        FrameTable table = read(elf(
                DwarfStyle.DEFAULT,
                new byte[0],
                unit(-1, function("first", CODE, 16), function("second", CODE, 8)),
                unit(-1, function("third", CODE, 32))));
        assertThat(text(table, CODE)).isEqualTo("second null:0:0");
        assertThat(text(table, CODE + 8)).isEqualTo("first null:0:0");
        assertThat(text(table, CODE + 16)).isEqualTo("third null:0:0");
    }

    @Test
    void cyclicOriginsLeaveAFunctionNameless() throws IOException, ExtractionException {
        FrameTable table = read(elf(
                DwarfStyle.DEFAULT,
                new byte[0],
                unit(
                        -1,
                        die(DW_TAG_subprogram, label("a"), attribute(DW_AT_abstract_origin, new Ref("b"))),
                        die(DW_TAG_subprogram, label("b"), attribute(DW_AT_abstract_origin, new Ref("a"))),
                        die(DW_TAG_subprogram, attribute(DW_AT_abstract_origin, new Ref("a")), place(CODE, 16)),
                        function("sound", CODE + 16, 16))));
        assertThat(text(table, CODE)).isEqualTo("null null:0:0");
        assertThat(text(table, CODE + 16)).isEqualTo("sound null:0:0");
    }

    @Test
    void unitWithAFaultLeavesTheOthers() throws IOException, ExtractionException {
        FrameTable table = read(elf(
                DwarfStyle.DEFAULT,
                new byte[0],
                unit(
                        0x7777,
                        function("first", CODE, 16),
                        die(DW_TAG_subprogram, attribute(0x55, DW_FORM_sec_offset, 9))),
                unit(-1, function("second", CODE + 16, 16))));
        assertThat(text(table, CODE)).isEqualTo("first null:0:0");
        assertThat(text(table, CODE + 16)).isEqualTo("second null:0:0");
        assertThat(Omission.areOfDamage(table.omissions())).isTrue();
    }

    @Test
    void faultBehindAFunctionLeavesIt() throws IOException, ExtractionException {
        FrameTable table = read(elf(
                DwarfStyle.DEFAULT,
                new byte[0],
                unit(
                        -1,
                        die(DW_TAG_subprogram, label("inner"), name("inner")),
                        function("outer", CODE, 16, inlined("inner", CODE + 8, 4, 1)),
                        verbatim(0xe7, 0x24)),
                unit(-1, function("leaf", CODE + 16, 16), verbatim(0xe7, 0x24)),
                unit(-1, function("damaged", CODE + 32, 16, verbatim(0xe7, 0x24)))));
        assertThat(text(table, CODE)).isEqualTo("outer null:0:0");
        assertThat(text(table, CODE + 8)).startsWith("inner null:0:0 < outer ");
        assertThat(text(table, CODE + 16)).isEqualTo("leaf null:0:0");
        assertThat(table.at(CODE + 32)).isEmpty();
        assertThat(table.omissions())
                .extracting(Omission::part, Omission::count)
                .containsExactly(tuple(Omission.Part.UNIT, 3L));
    }

    @Test
    void linesThatCannotBeDecompressedLeaveTheFunctions() throws IOException, ExtractionException {
        FrameTable table = read(DwarfWriter.write(DwarfStyle.DEFAULT, unit(0, function("f", CODE, 16)))
                .toElf()
                .code(".text", CODE, 0x1000)
                .compressedAs(".debug_line", new byte[40], 1, 100));
        assertThat(text(table, CODE)).isEqualTo("f null:0:0");
        assertThat(Omission.summary(table.omissions()))
                .startsWith("1 unit was left out, because of damage: .debug_line+0x0: zlib stream is broken");
    }

    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void functionWhoseRangesCannotBeReadLeavesTheOthers(int version) throws IOException, ExtractionException {
        Part listed = attribute(0x55, DW_FORM_sec_offset, 0);
        Die inner = die(DW_TAG_inlined_subroutine, attribute(DW_AT_abstract_origin, new Ref("inner")), listed);
        Unit unit = unit(
                0,
                die(DW_TAG_subprogram, label("inner"), name("inner")),
                function("before", CODE, 16),
                function(
                        "outer",
                        CODE + 16,
                        16,
                        inlined("inner", CODE + 16, 4, 1),
                        die(DW_TAG_lexical_block, inner, inlined("inner", CODE + 20, 4, 1)),
                        inlined("inner", CODE + 24, 4, 1)),
                die(DW_TAG_subprogram, name("split"), listed),
                function("behind", CODE + 32, 16, inlined("inner", CODE + 40, 8, 1)));
        byte[] lines = program(5).setFile(0).address(CODE).row(0, 8).end(64).toBytes();
        FrameTable table = read(DwarfWriter.write(DwarfStyle.DEFAULT.withVersion(version), unit)
                .toElf()
                .code(".text", CODE, 0x1000)
                .section(".debug_line", lines)
                .compressedAs(version == 4 ? ".debug_ranges" : ".debug_rnglists", new byte[40], 1, 100));
        String line = " /src/include/a.c:9:0";
        assertThat(text(table, CODE)).isEqualTo("before" + line);
        for (long address = CODE + 16; address < CODE + 32; address += 4) {
            assertThat(text(table, address)).isEqualTo("null" + line);
        }
        assertThat(text(table, CODE + 32)).isEqualTo("behind" + line);
        assertThat(text(table, CODE + 40)).startsWith("inner" + line + " < behind ");
        assertThat(Omission.summary(table.omissions()))
                .startsWith("1 unit was left out, because of damage: .debug_r")
                .contains("zlib stream is broken");
    }

    @Test
    void damagedSymbolTableLeavesTheFunctionsOfDwarf() throws IOException, ExtractionException {
        ElfWriter elf = elf(DwarfStyle.DEFAULT, new byte[0], unit(-1, function("f", CODE, 16)))
                .section(".symtab", 2, 2457, 1, 24, new byte[48]);
        FrameTable table = read(elf);
        assertThat(text(table, CODE)).isEqualTo("f null:0:0");
        assertThat(Omission.summary(table.omissions()))
                .startsWith("1 symbol table was left out, because of damage: .symtab: sh_link is 2457");
    }

    private static void symbol(BinaryWriter out, int name, int info, long value, long bytes) {
        out.u32(name).u8(info).u8(0).u16(1).u64(value).u64(bytes);
    }

    /** The kernel writes such code between SYM_CODE_START and SYM_CODE_END, with a SYM_INNER_LABEL. */
    @Test
    void assemblyWithoutTypeOfItsSymbolIsInAFunction() throws IOException, ExtractionException {
        BinaryWriter symbols = new BinaryWriter(ORDER).bytes(new byte[24]);
        symbol(symbols, 1, 0x10, CODE, 32);
        symbol(symbols, 7, 0x10, CODE + 16, 0);
        symbol(symbols, 13, 0x12, CODE + 32, 16);
        symbol(symbols, 7, 0x10, CODE + 32, 16);
        byte[] lines = program(5).setFile(0).address(CODE).row(0, 8).end(64).toBytes();
        ElfWriter elf = new ElfWriter(64, ORDER)
                .code(".text", CODE, 0x1000)
                .section(".strtab", 3, 0, 0, 0, "\0entry\0label\0typed\0".getBytes(StandardCharsets.US_ASCII))
                .section(".symtab", 2, 2, 1, 24, symbols.toBytes())
                .section(".debug_line", lines);
        DwarfSections dwarf = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        0,
                        die(DW_TAG_subprogram, label("inner"), name("inner")),
                        die(DW_TAG_subprogram, place(CODE + 40, 8), inlined("inner", CODE + 44, 4, 50))));
        for (String section : List.of(".debug_info", ".debug_abbrev", ".debug_str")) {
            elf.section(section, dwarf.section(section));
        }
        Path file = Files.write(folder.resolve("file"), elf.toBytes());
        FrameTable table = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
        String line = " /src/include/a.c:9:0";
        assertThat(text(table, CODE)).isEqualTo("entry" + line);
        assertThat(text(table, CODE + 16)).as("label without a size").isEqualTo("entry" + line);
        assertThat(text(table, CODE + 32)).as("of two symbols").isEqualTo("typed" + line);
        assertThat(text(table, CODE + 40)).as("function without a name").isEqualTo("typed" + line);
        assertThat(text(table, CODE + 44)).isEqualTo("inner" + line + " < typed /src/include/b.h:50:7");
        assertThat(text(table, CODE + 48)).isEqualTo("null" + line);
        for (long address = CODE; address < CODE + 50; address += 4) {
            long[] one = {address};
            assertThat(DebugInfo.read(file, OPTIONS, info -> info.frames(one)).at(address))
                    .isEqualTo(table.at(address));
        }
    }

    /** Returns a file whose units share one line program of 100 sequences. */
    private static ElfWriter programOfUnits(int count) {
        LineProgramWriter program = program(5).setFile(0);
        for (int i = 0; i < 100; i++) {
            program.address(CODE + 16L * i).row(0, 1).end(16);
        }
        Unit[] units = new Unit[count];
        Arrays.setAll(units, _ -> unit(0));
        return elf(DwarfStyle.DEFAULT, program.toBytes(), units);
    }

    @Test
    void programThatUnitsShareIsReadSomeTimesOnly() throws IOException, ExtractionException {
        FrameTable table = read(programOfUnits(64));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
        assertThat(Omission.summary(table.omissions())).contains("parts overlap");
    }

    @Test
    void partOfAFunctionHasTheCallsAtItsCodeOnly() throws IOException, ExtractionException {
        FrameTable table = read(HugeFile.SYMBOLS_OF_A_FUNCTION.write(50));
        assertThat(table.ranges()).hasSize(50).allMatch(range -> range.scopes().length == 2 * FrameRange.SCOPE_INTS);
        assertThat(text(table, HugeFile.CODE + 49)).isEqualTo("null null:0:0 < s null:0:0");
    }

    @Test
    void tableOfFilesThatUnitsShareIsReadSomeTimesOnly() throws IOException, ExtractionException {
        byte[] lines = new LineProgramWriter(5, ORDER).nameless(0, 1000).toBytes();
        Unit[] units = new Unit[64];
        Arrays.setAll(units, _ -> unit(0));
        FrameTable table = read(elf(DwarfStyle.DEFAULT, lines, units));
        assertThat(Omission.summary(table.omissions())).contains("parts overlap");
    }

    /** The names of units wait in memory until all units before them are read. */
    @Test
    void namesOfEachUnitCountUntilTheyAreJoined() throws IOException, ExtractionException {
        String name = "f".repeat(100_000);
        Unit[] units = new Unit[16];
        Arrays.setAll(units, _ -> unit(-1, die(DW_TAG_subprogram, name(name), place(CODE, 16))));
        Path file = elf(DwarfStyle.DEFAULT, new byte[0], units).writeTo(folder.resolve("file"));
        HeapBudget ofAddress = new HeapBudget(1L << 40);
        DebugInfo.read(file, OPTIONS.withBudget(ofAddress), info -> info.frames(CODE));
        HeapBudget ofWhole = new HeapBudget(1L << 40);
        DebugInfo.read(file, OPTIONS.withBudget(ofWhole), DebugInfo::allFrames);
        assertThat(ofAddress.keptBytes()).isGreaterThan(16 * 2 * 100_000);
        assertThat(ofWhole.keptBytes()).isLessThan(4 * 2 * 100_000);
    }

    /** Another address of the same request is in no unit that says so. */
    @Test
    void unitIsReadOnceForSeveralAddresses() throws IOException, ExtractionException {
        Path file = Files.write(folder.resolve("file"), programOfUnits(6).toBytes());
        FrameTable table = DebugInfo.read(file, OPTIONS, info -> info.frames(new long[] {CODE, CODE + 0x2000}));
        assertThat(text(table, CODE)).isEqualTo("null /src/include/a.c:2:0");
        assertThat(table.omissions()).isEmpty();
    }

    @Test
    void framesOfAFewAddressesAreThoseOfTheWholeTable() throws IOException, ExtractionException {
        byte[] lines =
                program(5).setFile(0).address(CODE).row(0, 8).row(16, 1).end(16).toBytes();
        Path file = Files.write(
                folder.resolve("file"),
                elf(
                                DwarfStyle.DEFAULT,
                                lines,
                                unit(0, function("first", CODE, 16)),
                                unit(-1, function("second", CODE + 16, 16)))
                        .toBytes());
        FrameTable whole = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
        for (long address : new long[] {CODE - 1, CODE, CODE + 15, CODE + 16, CODE + 31, CODE + 32, -1, 0}) {
            assertThat(DebugInfo.read(file, OPTIONS, info -> info.frames(address))
                            .at(address))
                    .isEqualTo(whole.at(address));
        }
    }

    /** A sequence of glibc goes over the padding between functions in sections of their own. */
    @Test
    void whereItsUnitIsNotARowDoesNotCount() throws IOException, ExtractionException {
        BinaryWriter ranges = new BinaryWriter(ORDER)
                .u8(6)
                .u64(CODE)
                .u64(CODE + 12)
                .u8(6)
                .u64(CODE + 16)
                .u64(CODE + 24)
                .u8(0);
        byte[] lines =
                program(5).setFile(0).address(CODE).row(0, 8).row(16, 1).end(16).toBytes();
        Unit unit = unitOf(die(
                DW_TAG_compile_unit,
                name("a.c"),
                attribute(DW_AT_comp_dir, new Text("/src")),
                attribute(0x55, DW_FORM_sec_offset, 0),
                attribute(DW_AT_stmt_list, DW_FORM_sec_offset, 0)));
        Path file = Files.write(
                folder.resolve("file"),
                elf(DwarfStyle.DEFAULT, lines, unit)
                        .section(".debug_rnglists", ranges.toBytes())
                        .toBytes());
        FrameTable whole = DebugInfo.read(file, OPTIONS, DebugInfo::allFrames);
        assertThat(text(whole, CODE + 11)).isEqualTo("null /src/include/a.c:9:0");
        assertThat(text(whole, CODE + 16)).isEqualTo("null /src/include/a.c:10:0");
        for (long address : new long[] {CODE + 11, CODE + 12, CODE + 15, CODE + 16, CODE + 23, CODE + 24}) {
            assertThat(whole.at(address).isEmpty())
                    .isEqualTo(address == CODE + 12 || address == CODE + 15 || address == CODE + 24);
            assertThat(DebugInfo.read(file, OPTIONS, info -> info.frames(address))
                            .at(address))
                    .isEqualTo(whole.at(address));
        }
    }

    @Test
    void deeplyNestedFunctionsExceedALimit() {
        Die nested = function("f", CODE, 16);
        for (int i = 0; i < 60; i++) {
            nested = die(DW_TAG_lexical_block, nested);
        }
        byte[] file = elf(DwarfStyle.DEFAULT, new byte[0], unit(-1, nested)).toBytes();
        ReadOptions options = new ReadOptions(LimitsWith.of("maxDieDepth", 50), 1);
        assertThatThrownBy(
                        () -> DebugInfo.read(Files.write(folder.resolve("file"), file), options, DebugInfo::allFrames))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageContaining("maxDieDepth");
    }

    @Test
    void functionAndRowOfMoreThanAGibibyteAreLeftOut() throws IOException, ExtractionException {
        byte[] lines = program(5)
                .setFile(0)
                .address(CODE)
                .row(0, 1)
                .row(4, 1)
                .end(1L << 50)
                .toBytes();
        Die endless = die(
                DW_TAG_subprogram,
                name("endless"),
                attribute(DW_AT_low_pc, DW_FORM_addr, CODE + 64),
                attribute(DW_AT_high_pc, DW_FORM_data8, 1L << 50));
        FrameTable table = read(DwarfWriter.write(DwarfStyle.DEFAULT, unit(0, function("f", CODE, 4), endless))
                .toElf()
                .code(".text", CODE, 1L << 60)
                .section(".debug_line", lines));
        assertThat(text(table, CODE)).isEqualTo("f /src/include/a.c:2:0");
        assertThat(table.at(CODE + 64)).isEmpty();
    }

    @Test
    void fileWithoutFunctionsAndLinesIsUnsupported() {
        assertThatThrownBy(() -> read(new ElfWriter(64, ORDER).code(".text", CODE, 16)))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("no symbols of functions");
    }
}
