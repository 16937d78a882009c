package dev.offsetd.extractor.testkit;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedEnumerator;
import dev.offsetd.extractor.testkit.ExpectedDefinition.ExpectedMember;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Output of the writers as other tools read it, so that a failing test of the reader is not due to its input. */
class DwarfWriterIntegrationTests {

    @TempDir
    private Path folder;

    private static Unit tree() {
        return unit(
                baseType("int", 4, DW_ATE_signed),
                struct("point", 8, member("x", "int", 0), member("a_longer_name", "int", 4)),
                struct("bits", 4, bitField("low", "int", 4, 0, 3), bitField("high", "int", 4, 3, 13)),
                die(
                        DW_TAG_array_type,
                        label("points"),
                        type("point"),
                        die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 1))),
                struct("holder", 16, member("points", "points", 0)),
                die(
                        DW_TAG_enumeration_type,
                        label("colour"),
                        name("colour"),
                        byteSize(4),
                        die(DW_TAG_enumerator, name("RED"), attribute(DW_AT_const_value, DW_FORM_sdata, -1)),
                        die(DW_TAG_enumerator, name("GREEN"), attribute(DW_AT_const_value, DW_FORM_udata, 200))),
                die(DW_TAG_structure_type, name("declared"), declaration()));
    }

    private static List<ExpectedDefinition> expected(DwarfSections sections, String unit) {
        return List.of(
                new ExpectedDefinition(
                        ".debug_info",
                        sections.offsetOf("point"),
                        unit,
                        "struct",
                        "point",
                        8,
                        List.of(field("x", 0, 4), field("a_longer_name", 32, 4)),
                        List.of()),
                new ExpectedDefinition(
                        ".debug_info",
                        sections.offsetOf("bits"),
                        unit,
                        "struct",
                        "bits",
                        4,
                        List.of(
                                new ExpectedMember("low", false, 0L, 3, 4, null),
                                new ExpectedMember("high", false, 3L, 13, 4, null)),
                        List.of()),
                new ExpectedDefinition(
                        ".debug_info",
                        sections.offsetOf("holder"),
                        unit,
                        "struct",
                        "holder",
                        16,
                        List.of(new ExpectedMember("points", false, 0L, null, 16, List.of(2L))),
                        List.of()),
                new ExpectedDefinition(
                        ".debug_info",
                        sections.offsetOf("colour"),
                        unit,
                        "enum",
                        "colour",
                        4,
                        List.of(),
                        List.of(new ExpectedEnumerator("RED", -1), new ExpectedEnumerator("GREEN", 200))));
    }

    private static ExpectedMember field(String name, long bitOffset, long size) {
        return new ExpectedMember(name, false, bitOffset, null, size, null);
    }

    @ParameterizedTest
    @MethodSource("dev.offsetd.extractor.testkit.DwarfStyle#all")
    void llvmDwarfdumpReadsEveryStyle(DwarfStyle style) throws IOException {
        DwarfSections sections = DwarfWriter.write(style, tree());
        Path file = sections.writeTo(folder.resolve("written.debug"));
        assertThat(LlvmDwarfdump.definitions(file, style.order())).isEqualTo(expected(sections, "test.c"));
    }

    @ParameterizedTest
    @MethodSource("dev.offsetd.extractor.testkit.DwarfStyle#all")
    void readelfReadsEveryStyle(DwarfStyle style) throws IOException {
        DwarfSections sections = DwarfWriter.write(style, tree());
        Path file = sections.toElf().buildId(new byte[20]).writeTo(folder.resolve("written.debug"));
        assertThat(Readelf.definitions(file, style.order())).isEqualTo(expected(sections, "test.c"));
        assertThat(Readelf.buildId(file)).isEqualTo("0".repeat(40));
    }

    @Test
    void typeUnitsAndIndexedStringsAreReadBack() throws IOException {
        for (int offsetSize : List.of(4, 8)) {
            DwarfStyle style = DwarfStyle.DEFAULT.withOffsetSize(offsetSize);
            DwarfSections sections = DwarfWriter.write(
                    style,
                    typeUnit(
                            0x1234L,
                            "point",
                            baseType("int", 4, DW_ATE_signed),
                            struct("point", 4, member("x", "int", 0))),
                    unit(
                            "other.c",
                            DW_LANG_C11,
                            die(
                                    DW_TAG_structure_type,
                                    label("holder"),
                                    name("holder").as(DW_FORM_strx1),
                                    byteSize(4),
                                    die(
                                            DW_TAG_member,
                                            name("point").as(DW_FORM_strx),
                                            attribute(DW_AT_type, DW_FORM_ref_sig8, 0x1234L),
                                            memberLocation(0)))));
            Path file = sections.writeTo(folder.resolve("written.debug"));
            List<ExpectedDefinition> expected = List.of(
                    new ExpectedDefinition(
                            ".debug_info",
                            sections.offsetOf("point"),
                            "",
                            "struct",
                            "point",
                            4,
                            List.of(field("x", 0, 4)),
                            List.of()),
                    new ExpectedDefinition(
                            ".debug_info",
                            sections.offsetOf("holder"),
                            "other.c",
                            "struct",
                            "holder",
                            4,
                            List.of(field("point", 0, 4)),
                            List.of()));
            assertThat(LlvmDwarfdump.definitions(file, style.order())).isEqualTo(expected);
            assertThat(Readelf.definitions(file, style.order())).isEqualTo(expected);
        }
    }

    @Test
    void compressedSectionsAndExtendedNumberingAreReadBack() throws IOException {
        DwarfSections sections = DwarfWriter.write(DwarfStyle.DEFAULT, tree());
        for (int compression : List.of(ElfWriter.ELFCOMPRESS_ZLIB, ElfWriter.ELFCOMPRESS_ZSTD)) {
            Path file = sections.without(".debug_info")
                    .toElf()
                    .extendedNumbering()
                    .compressed(".debug_info", sections.section(".debug_info"), compression)
                    .writeTo(folder.resolve("written.debug"));
            assertThat(Readelf.definitions(file, DwarfStyle.DEFAULT.order())).isEqualTo(expected(sections, "test.c"));
        }
    }
}
