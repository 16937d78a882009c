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

    /** Size and some offsets of a struct as llvm-dwarfdump prints them. */
    @ParameterizedTest
    @CsvSource({
        "alpha.o, 48, 8, 32",
        "arc.o, 36, 8, 20",
        "bpf-gcc.o, 40, 8, 32",
        "clang-amdgcn.o, 40, 8, 32",
        "clang-avr.o, 22, 6, 13",
        "clang-hexagon.o, 40, 8, 24",
        "clang-lanai.o, 32, 8, 24",
        "clang-msp430.o, 22, 6, 14",
        "clang-sparcv9.o, 48, 8, 32",
        "clang-ve.o, 48, 8, 32",
        "hppa.o, 40, 8, 24",
        "hppa64.o, 40, 8, 32",
        "m68k.o, 32, 6, 16",
        "or1k.o, 28, 8, 20",
        "powerpc.o, 40, 8, 24",
        "sh4.o, 36, 8, 20",
        "sparc64.o, 48, 8, 32",
        "xtensa.o, 32, 8, 24"
    })
    void objectOfEveryCompilerIsRead(String object, long size, long in, long ll)
            throws IOException, ExtractionException {
        Path objects = Fixture.named("gcc12-dwarf5-x86_64-el").folder().resolveSibling("relocatable-machines");
        try (DebugInfo info = DebugInfo.open(objects.resolve(object))) {
            Struct struct = info.struct("S").orElseThrow();
            assertThat(struct.byteSize()).isEqualTo(size);
            assertThat(struct.member("in").byteOffset()).isEqualTo(in);
            assertThat(struct.member("ll").byteOffset()).isEqualTo(ll);
            assertThat(info.types().map(Definition::name)).contains("inner", "int", "char");
        }
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
        // Set e_machine to a number that no processor has.
        bytes.putShort(18, (short) 0x7777);
        Path other = Files.write(folder.resolve("other.o"), bytes.array());
        assertThatThrownBy(() -> Answers.definitions(other))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessage(
                        ".debug_info+0x8: relocation type 10 of machine 30583 (\".rela.debug_info\") is not supported;"
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
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types()
                .definitions()
                .stream()
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
