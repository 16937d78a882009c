package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.LimitsWith;
import dev.offsetd.extractor.testkit.SectionRanges;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malicious ELF files: section tables with wrong, overlapping and repeated entries. */
@ChecklistRow(1)
class HostileElfTests {

    private static final int SHT_NOTE = 7;
    private static final int SHT_REL = 9;

    @TempDir
    private Path folder;

    private static ElfWriter point() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(baseType("int", 4, DW_ATE_signed), struct("point", 4, member("x", "int", 0))))
                .toElf();
    }

    private ExtractionReport read(byte[] file, Limits limits) throws IOException, ExtractionException {
        return DebugInfo.read(
                Files.write(folder.resolve("file"), file), new ReadOptions(limits, 1), DebugInfo::extractAll);
    }

    /** Returns a view of the file's bytes in its byte order, for changes in place. */
    private static ByteBuffer numbers(byte[] file) {
        return ByteBuffer.wrap(file).order(ByteOrder.LITTLE_ENDIAN);
    }

    @ParameterizedTest
    @CsvSource({"4, EI_CLASS", "5, EI_DATA"})
    void unknownClassAndByteOrderAreMalformed(int at, String field) {
        for (int value : new int[] {0, 3, 0xff}) {
            byte[] file = point().toBytes();
            file[at] = (byte) value;
            assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                    .isInstanceOf(MalformedInputException.class)
                    .hasMessage("elf header+0x" + at + ": " + field + " is " + value + "; expected 1 or 2");
        }
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 2, 0xff})
    void otherVersionsOfElfAreUnsupported(int version) {
        byte[] identified = point().toBytes();
        identified[6] = (byte) version;
        assertThatThrownBy(() -> read(identified, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage("elf header+0x6: EI_VERSION is " + version + "; expected 1 (EV_CURRENT)");
        byte[] file = point().toBytes();
        numbers(file).putInt(20, version);
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage("elf header+0x14: e_version is " + version + "; expected 1 (EV_CURRENT)");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 40, 63, 65, 0xffff})
    void sectionHeadersOfAnotherSizeAreMalformed(int bytes) {
        byte[] file = point().toBytes();
        numbers(file).putShort(58, (short) bytes);
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(MalformedInputException.class)
                .hasMessage("elf header: e_shentsize is " + bytes + "; expected 64");
    }

    /** If {@code e_shnum} is 0, the count is the 64-bit {@code sh_size} of the first section header. */
    @ParameterizedTest
    @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32, 1L << 31, 1000})
    void countOfSectionsIsCheckedAgainstTheFile(long count) {
        byte[] file = point().extendedNumbering().toBytes();
        int table = SectionRanges.of(point().toBytes()).sectionHeaders()[0];
        numbers(file).putLong(table + 32, count);
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("section header table of " + Long.toUnsignedString(count) + " entries");
    }

    @Test
    void moreSectionsThanTheLimitAreRefused() throws IOException {
        ElfWriter elf = point();
        for (int i = 0; i < 100; i++) {
            elf.section(".s" + i, new byte[0]);
        }
        assertThatThrownBy(() -> read(elf.toBytes(), LimitsWith.of("maxEntries", 100)))
                .isInstanceOf(LimitExceededException.class)
                .hasMessageMatching(
                        "section headers: limit maxEntries of 100 exceeded \\(the file has \\d+ sections\\)");
    }

    /** All sections cover the bytes of one of them, and each is read according to its name. */
    @Test
    void overlappingSectionsAreAnAnswerOrARefusal() throws IOException {
        byte[] whole = point().toBytes();
        SectionRanges ranges = SectionRanges.of(whole);
        int[] headers = ranges.sectionHeaders();
        for (int one = headers[0]; one < headers[1]; one += 64) {
            byte[] file = whole.clone();
            ByteBuffer numbers = numbers(file);
            // Leave the last section, which contains the section names, intact.
            for (int other = headers[0] + 64; other < headers[1] - 64; other += 64) {
                numbers.putLong(other + 24, numbers.getLong(one + 24)).putLong(other + 32, numbers.getLong(one + 32));
            }
            WholeReading.requireSafe(Files.write(folder.resolve("overlap"), file), file.length, "section " + one);
        }
    }

    @Test
    void sectionThatIsTheWholeFileIsAnAnswerOrARefusal() throws IOException {
        byte[] whole = point().toBytes();
        int[] headers = SectionRanges.of(whole).sectionHeaders();
        for (int one = headers[0]; one < headers[1]; one += 64) {
            byte[] file = whole.clone();
            numbers(file).putLong(one + 24, 0).putLong(one + 32, file.length);
            WholeReading.requireSafe(Files.write(folder.resolve("whole"), file), file.length, "section " + one);
        }
    }

    /** Messages contain section names and may be logged, so control characters in a name could forge log lines. */
    @Test
    void hostileNameOfASectionIsQuotedInMessages() {
        byte[] file = point().section(".evil\n\u001b[31m", new byte[] {1}).toBytes();
        int[] evil = SectionRanges.of(file).section(".evil\n\u001b[31m");
        int[] headers = SectionRanges.of(file).sectionHeaders();
        for (int at = headers[0]; at < headers[1]; at += 64) {
            if (numbers(file).getLong(at + 24) == evil[0]) {
                numbers(file).putLong(at + 32, Long.MAX_VALUE);
            }
        }
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageStartingWith("\".evil\\u000a\\u001b[31m\": sh_offset ");
    }

    @Test
    void sectionsThatAllNameOneLongStringAreOverTheLimit() {
        ElfWriter elf = point();
        for (int i = 0; i < 50; i++) {
            elf.section("." + "n".repeat(1000), new byte[0]);
        }
        assertThatThrownBy(() -> read(elf.toBytes(), LimitsWith.of("maxTextChars", 20_000)))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo("maxTextChars"))
                .hasMessageStartingWith(".shstrtab+0x");
    }

    /**
     * Each note section covers the whole file, and the file has as many of them as fit, which makes reading quadratic.
     */
    @Test
    void overlappingNotesAreMalformed() {
        byte[] file = point().section(".n0", new byte[4000])
                .section(".n1", new byte[4000])
                .section(".n2", new byte[4000])
                .toBytes();
        int[] headers = SectionRanges.of(file).sectionHeaders();
        for (int at = headers[0] + 64; at < headers[1]; at += 64) {
            if (numbers(file).getLong(at + 32) == 4000) {
                numbers(file).putInt(at + 4, SHT_NOTE).putLong(at + 24, 0).putLong(at + 32, file.length);
            }
        }
        Arrays.fill(file, 64, 1000, (byte) 0);
        assertThatThrownBy(() -> DebugInfo.read(
                        Files.write(folder.resolve("file"), file),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::facts))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageMatching("\\.n1: notes up to here have \\d+ bytes, the file has \\d+");
    }

    /** There are as many relocation tables for one section as section headers, all over the same bytes. */
    @Test
    void secondRelocationTableForASectionIsUnsupported() {
        byte[] table = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u64(0).u64(0).toBytes();
        byte[] file = point().type(1)
                .section(".rel.debug_info", table)
                .section(".rel.debug_info2", table)
                .toBytes();
        int[] headers = SectionRanges.of(file).sectionHeaders();
        for (int at = headers[0] + 64; at < headers[1]; at += 64) {
            if (numbers(file).getLong(at + 32) == table.length) {
                // .debug_info is the first section.
                numbers(file).putInt(at + 4, SHT_REL).putInt(at + 40, 1).putInt(at + 44, 1);
            }
        }
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage(".rel.debug_info2: a second relocation table for .debug_info; expected one");
    }

    /** The last section would be taken for the symbols, and give the relocations wrong values. */
    @Test
    void relocationTableOfSymbolsThatAreNoSectionIsMalformed() {
        byte[] table = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u64(8).u64(1).toBytes();
        byte[] file = point().type(1)
                .section(".rel.debug_info", SHT_REL, 99, 1, 16, table)
                .toBytes();
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageStartingWith(".rel.debug_info: sh_link is 99, the file has ");
    }

    /** GNU's older compression is of debug information only. */
    @Test
    void sectionIsNoTwinOfAnotherBecauseOfAnInitialZ() throws IOException, ExtractionException {
        byte[] file =
                point().section(".zgnu_debugaltlink", new byte[] {1, 2, 3}).toBytes();

        assertThat(read(file, Limits.DEFAULT).types().definitionsNamed("point")).hasSize(1);
    }

    /** A link without a build-id could name any file of the machine, which would then be read. */
    @Test
    void linkWithoutBuildIdMeansNoFile() throws IOException {
        Path other = point().buildId(new byte[20]).writeTo(folder.resolve("other.debug"));
        byte[] file = point().section(
                        ".gnu_debugaltlink", (other.toAbsolutePath() + "\0").getBytes(StandardCharsets.UTF_8))
                .toBytes();
        assertThatThrownBy(() -> read(file, Limits.DEFAULT))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining("part of the DWARF is in a supplementary file that was not found");
    }
}
