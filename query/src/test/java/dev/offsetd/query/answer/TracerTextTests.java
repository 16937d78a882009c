package dev.offsetd.query.answer;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ExtractionReport;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.Fixture;
import dev.offsetd.query.answer.TracerText.Dialect;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import java.io.IOException;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

class TracerTextTests {

    private static String line(String fixture, String item, Dialect dialect) throws IOException, ExtractionException {
        ExtractionReport report = DebugInfo.read(
                Fixture.named(fixture).debugFile(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll);
        return TracerText.lines(
                        ItemParser.parseList(List.of(item)).stream()
                                .map(each -> ItemResolver.resolve(each, report.types(), null))
                                .toList(),
                        dialect,
                        null,
                        report.elf().architecture())
                .getFirst();
    }

    @ParameterizedTest
    @CsvSource({
        "gcc12-dwarf5-x86_64-el, +4(%di):s32",
        "gcc12-dwarf5-i386-el, +4($stack1):s32",
        "gcc12-dwarf5-s390x-eb, +4(%r2):s32"
    })
    void firstArgumentIsWhereTheMachineHasIt(String fixture, String argument) throws IOException, ExtractionException {
        assertThat(line(fixture, "point.y", Dialect.TRACEFS)).isEqualTo("point_y=" + argument);
    }

    @Test
    void signedBitFieldsAreExtended() throws IOException, ExtractionException {
        assertThat(line("gcc12-dwarf5-x86_64-el", "bits.c", Dialect.BPFTRACE))
                .isEqualTo("$bits_c = (int64)((((*(uint8*)(arg0 + 2) >> 0) & 0x7f) ^ 0x40) - 0x40);");
        assertThat(line("gcc12-dwarf5-x86_64-el", "bits.b", Dialect.BPFTRACE))
                .isEqualTo("$bits_b = (*(uint16*)(arg0) >> 3) & 0x1fff;");
    }

    /** An integer that begins at the first byte of the field would reach beyond a struct that ends with it. */
    @Test
    void bitFieldsAreReadFromAnIntegerInTheObject() throws IOException, ExtractionException {
        assertThat(line("gcc12-dwarf5-x86_64-el", "bits.d", Dialect.TRACEFS)).isEqualTo("bits_d=+0(%di):b33@23/64");
        assertThat(line("gcc12-dwarf5-x86_64-el", "packed_bits.d", Dialect.TRACEFS))
                .isEqualTo("packed_bits_d=+1(%di):b40@19/64");
        assertThat(line("gcc12-dwarf5-s390x-eb", "bits.d", Dialect.TRACEFS))
                .contains("a bit-field of type", "in big-endian byte order, which tracefs cannot read");
    }

    @Test
    void onlyCharactersAreText() throws IOException, ExtractionException {
        assertThat(line("gcc12-dwarf5-x86_64-el", "number.bytes", Dialect.TRACEFS))
                .isEqualTo("number_bytes=+0(%di):string");
        assertThat(line("gcc12-dwarf5-x86_64-el", "arrays.cube[1][2]", Dialect.TRACEFS))
                .endsWith("(%di):u8[4]");
    }
}
