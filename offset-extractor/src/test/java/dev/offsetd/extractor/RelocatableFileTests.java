package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Relocatable files as the compiler writes them: the offsets between sections are in relocation tables. */
class RelocatableFileTests {

    @TempDir
    private Path folder;

    @ParameterizedTest
    @CsvSource({
        "x86_64.o, gcc12-dwarf5-x86_64-el",
        "x86_64-zdebug.o, gcc12-dwarf5-x86_64-el",
        "i386.o, gcc12-dwarf5-i386-el",
        "s390x.o, gcc12-dwarf5-s390x-eb"
    })
    void answersAsTheLinkedFileDoes(String object, String linked) throws IOException, ExtractionException {
        Path file = Fixture.named(linked).folder().resolveSibling("gcc12-dwarf5-relocatable");
        assertThat(definitions(file.resolve(object)))
                .isNotEmpty()
                .isEqualTo(definitions(Fixture.named(linked).debugFile()));
    }

    /** Machines with a different layout of relocation entries, or with different relocation types. */
    @ParameterizedTest
    @CsvSource({
        "mipsel.o, relocatable-machines/mipsel.debug, layout.c",
        "mips64el.o, relocatable-machines/mips64el.debug, layout.c",
        "mips64.o, relocatable-machines/mips64.debug, layout.c",
        "mipsn32el.o, relocatable-machines/mipsn32el.debug, layout.c",
        "aarch64.o, relocatable-machines/aarch64.debug, layout.c",
        "aarch64-ilp32.o, relocatable-machines/aarch64-ilp32.debug, layout.c",
        "loongarch64.o, clang14-dwarf5-x86_64-el/layout.debug, layout.c",
        "bpf.o, clang14-dwarf5-x86_64-el/layout.debug, second.c"
    })
    void answersAsALinkedFileOfTheSameLayoutsDoes(String object, String linked, String unit)
            throws IOException, ExtractionException {
        Path objects = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("relocatable-machines");
        assertThat(definitions(objects.resolve(object), unit))
                .isNotEmpty()
                .isEqualTo(definitions(objects.resolveSibling(linked), unit));
    }

    /** In BTF, relocations apply to variables and functions only, so they do not affect layouts. */
    @Test
    void btfOfAStrippedBpfObjectIsRead() throws IOException, ExtractionException {
        Path folder = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("relocatable-machines");
        assertThat(layouts(folder.resolve("bpf-stripped.o"))).isNotEmpty().isSubsetOf(layouts(folder.resolve("bpf.o")));
    }

    private static List<String> layouts(Path file) throws IOException, ExtractionException {
        return Answers.definitions(file).stream()
                .map(definition -> definition.kind() + " " + definition.name() + " " + definition.shape())
                .toList();
    }

    @Test
    void relocationOfAnUnknownTypeIsNamedWithTheSectionThatNeedsIt() throws IOException {
        Path object = Fixture.named("gcc12-dwarf5-x86_64-el")
                .folder()
                .resolveSibling("gcc12-dwarf5-relocatable")
                .resolve("x86_64.o");
        ByteBuffer bytes = ByteBuffer.wrap(Files.readAllBytes(object)).order(ByteOrder.LITTLE_ENDIAN);
        // Set e_machine to Itanium, whose relocations are not supported.
        bytes.putShort(18, (short) 50);
        Path other = Files.write(folder.resolve("other.o"), bytes.array());
        assertThatThrownBy(() -> Answers.definitions(other))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage(".debug_info+0x8: relocation type 10 of machine 50 (\".rela.debug_info\") is not supported;"
                        + " link the file first");
    }

    /** With type units, the compiler writes many sections of the same name, which the linker merges. */
    @Test
    void severalSectionsOfOneNameAreReadAsOne() throws IOException, ExtractionException {
        Path folder = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("gcc12-dwarf5-relocatable");
        assertThat(merged(folder.resolve("x86_64-typeunits.o")))
                .isNotEmpty()
                .containsExactlyInAnyOrderElementsOf(merged(folder.resolve("x86_64.o")));
    }

    private static List<String> merged(Path file) throws IOException, ExtractionException {
        return new OffsetExtractor(Limits.DEFAULT, 1)
                .extractAll(file).types().definitions().stream()
                        .map(RelocatableFileTests::text)
                        .toList();
    }

    /** Returns the definitions in the unit that both files have. */
    private static List<String> definitions(Path file) throws IOException, ExtractionException {
        return definitions(file, "layout.c");
    }

    private static List<String> definitions(Path file, String unit) throws IOException, ExtractionException {
        return Answers.definitions(file).stream()
                .filter(definition -> definition.unit().equals(unit))
                .map(RelocatableFileTests::text)
                .toList();
    }

    private static String text(Definition definition) {
        return definition.kind() + " " + definition.name() + " " + definition.function() + " " + definition.shape();
    }
}
