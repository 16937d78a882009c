package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.Set;
import java.util.zip.DeflaterOutputStream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Units that are read while the section that they stand in is still being decompressed. */
class ArrivingSectionsTests {

    /** Units of a section that is large enough to be read before it is whole. */
    private static final int UNITS = 3000;

    private static DwarfSections sections;
    private static byte[] stream;

    @TempDir
    Path folder;

    @BeforeAll
    static void writeUnits() throws IOException {
        Unit[] units = new Unit[UNITS];
        for (int i = 0; i < UNITS; i++) {
            String integer = "int_" + i;
            // Names in the DIEs themselves make the section large.
            Part longName = attribute(DW_AT_name, DW_FORM_string, "second_" + "x".repeat(400));
            units[i] = unit(
                    baseType(integer, 4, DW_ATE_signed),
                    struct(
                            "type_" + i,
                            8,
                            member("first", integer, 0),
                            die(DW_TAG_member, longName, type(integer), memberLocation(4))));
        }
        sections = DwarfWriter.write(DwarfStyle.DEFAULT, units);
        ByteArrayOutputStream out = new ByteArrayOutputStream();
        try (DeflaterOutputStream deflater = new DeflaterOutputStream(out)) {
            deflater.write(sections.section(".debug_info"));
        }
        stream = out.toByteArray();
    }

    private Path file(byte[] info) throws IOException {
        return new ElfWriter(64, DwarfStyle.DEFAULT.order())
                .compressedAs(".debug_info", info, ElfWriter.ELFCOMPRESS_ZLIB, sections.section(".debug_info").length)
                .section(".debug_abbrev", sections.section(".debug_abbrev"))
                .compressed(".debug_str", sections.section(".debug_str"), ElfWriter.ELFCOMPRESS_ZSTD)
                .writeTo(folder.resolve("file"));
    }

    @Test
    void everyUnitIsRead() throws IOException, ExtractionException {
        assertThat(sections.section(".debug_info").length).isGreaterThan(1 << 20);
        ExtractionReport report =
                DebugInfo.read(file(stream), new ReadOptions(Limits.DEFAULT, 3), DebugInfo::extractAll);
        assertThat(report.types().definitionsNamed("type_0")).hasSize(1);
        assertThat(report.types().definitionsNamed("type_" + (UNITS - 1))).hasSize(1);
        WholeReading.requireSameOnTwoThreads(folder.resolve("file"));
    }

    /** Whether a unit or the stream is found to be broken first, depends on the threads; the answer must not. */
    @ParameterizedTest
    @ValueSource(ints = {2, 40, 60, 98})
    void aBrokenStreamIsToldTheSameWayWhateverTheThreads(int percent) throws IOException {
        byte[] broken = stream.clone();
        Arrays.fill(broken, broken.length * percent / 100, broken.length * percent / 100 + 20, (byte) 0xff);
        Path file = file(broken);
        assertThat(message(file, 1)).startsWith(".debug_info+0x0: ");
        WholeReading.requireSameOnTwoThreads(file);
    }

    @ParameterizedTest
    @ValueSource(ints = {50, 99})
    void aStreamThatEndsEarlyIsToldTheSameWayWhateverTheThreads(int percent) throws IOException {
        Path file = file(Arrays.copyOf(stream, stream.length * percent / 100));
        assertThat(message(file, 1)).contains("zlib stream ends after");
        WholeReading.requireSameOnTwoThreads(file);
    }

    private static String message(Path file, int threads) throws IOException {
        try {
            DebugInfo.read(
                    file,
                    new ReadOptions(Limits.DEFAULT, threads),
                    info -> info.extract(new RequestedNames(Set.of("type_1"), Set.of())));
            return "no fault";
        } catch (ExtractionException e) {
            return String.valueOf(e.getMessage());
        }
    }
}
