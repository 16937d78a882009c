package dev.offsetd.extractor;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.corpus.SecondOpinion;
import dev.offsetd.extractor.corpus.SymbolPlaces;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.ValueRule;
import dev.offsetd.extractor.testkit.RequiredTool;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Offsets of symbols in files of linkers, with the section headers of {@code readelf} as the judge. */
class FileOffsetsIntegrationTests {

    private static final ReadOptions OPTIONS = new ReadOptions(Limits.DEFAULT, 1);

    private static final String SOURCE = """
            int zeroed[1000];
            int filled[4] = {1, 2, 3, 4};
            static const char text[] = "text";
            const char *shown(void) { return text; }
            int main(void) { return filled[1] + zeroed[2] + shown()[0]; }
            """;

    @TempDir
    private static Path folder;

    @BeforeAll
    static void write() throws IOException {
        Files.writeString(folder.resolve("source.c"), SOURCE);
    }

    private static Path compiled(String name, String... options) throws IOException {
        RequiredTool gcc = RequiredTool.require("gcc");
        List<Object> words = new ArrayList<>(List.of((Object[]) options));
        words.addAll(List.of("-g", "source.c", "-o", name));
        gcc.outputIn(folder, words.toArray());
        return folder.resolve(name);
    }

    private static FileOffsets offsets(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::fileOffsets);
    }

    private static List<Symbol> symbols(Path file) throws IOException, ExtractionException {
        return DebugInfo.read(file, OPTIONS, DebugInfo::symbols)
                .filter(Symbol::isPlace)
                .toList();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "-pie -fPIE",
                "-no-pie",
                "-shared -fPIC",
                "-shared -fPIC -Wl,-Ttext-segment=0x7000000",
                "-no-pie -Wl,-z,noseparate-code",
                "-pie -fPIE -fuse-ld=gold"
            })
    void everySymbolIsWhereItsSectionIs(String options) throws IOException, ExtractionException {
        Path program = compiled("program", options.split(" ", -1));
        FileOffsets offsets = offsets(program);
        SecondOpinion.Result result = SymbolPlaces.compared(program);

        assertThat(result.differences()).isEmpty();
        assertThat(result.compared()).isGreaterThan(10);
        assertThat(offsets.missing()).isNull();
        List<Symbol> symbols = symbols(program);
        assertThat(symbols).extracting(Symbol::name).contains("main", "filled", "zeroed", "text");
        for (Symbol symbol : symbols) {
            if (symbol.name().equals("zeroed") || symbol.name().equals("filled")) {
                assertThat(offsets.of(symbol).isPresent())
                        .isEqualTo(symbol.name().equals("filled"));
            }
        }
        assertThat(offsets.addressOf(Files.size(program) + 1)).isEmpty();
    }

    @ParameterizedTest
    @ValueSource(strings = {"objcopy --only-keep-debug", "eu-strip -f"})
    void debugFileHasNoOffsetsButThoseOfItsProgram(String command) throws IOException, ExtractionException {
        Path program = compiled("stripped", "-pie", "-fPIE");
        FileOffsets own = offsets(program);
        List<Symbol> symbols = symbols(program);
        Path debugFile = folder.resolve("stripped.debug");
        String[] words = command.split(" ", -1);
        if (words[0].equals("objcopy")) {
            RequiredTool.require("objcopy").output(words[1], program, debugFile);
        } else {
            RequiredTool.require(words[0]).output(words[1], debugFile, "-o", folder.resolve("rest"), program);
        }
        FileOffsets without = offsets(debugFile);

        assertThat(without.missing()).contains("but not their bytes");
        assertThat(without.by(own.segments()).missing()).isNull();
        for (Symbol symbol : symbols) {
            assertThat(without.of(symbol)).isEmpty();
            assertThat(without.by(own.segments()).of(symbol)).isEqualTo(own.of(symbol));
        }
    }

    @Test
    void segmentsOfAPrelinkedProgramAnswerAddressesOfItsDebugFile() throws IOException, ExtractionException {
        Path linked = compiled("linked.so", "-shared", "-fPIC");
        Path debugFile = folder.resolve("linked.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", linked, debugFile);
        Path prelinked = compiled("prelinked.so", "-shared", "-fPIC", "-Wl,-Ttext-segment=0x41000000");
        FileOffsets moved = offsets(debugFile).by(offsets(prelinked).segments());

        assertThat(offsets(prelinked).segments().getFirst().address()).isEqualTo(0x41000000);
        assertThat(moved.missing()).isNull();
        for (Symbol symbol : symbols(linked)) {
            assertThat(moved.of(symbol))
                    .as(symbol.name())
                    .isEqualTo(offsets(linked).of(symbol));
        }
    }

    @Test
    void oneOfTheSegmentsAtOtherAddressesAnswersNothing() throws IOException, ExtractionException {
        Path linked = compiled("part.so", "-shared", "-fPIC");
        FileOffsets own = offsets(linked);
        FileOffsets.Segment code = own.segments().get(1);
        FileOffsets.Segment mapped = new FileOffsets.Segment(code.offset(), code.address() + 0x40000000, 0x1000);

        assertThat(own.by(List.of(code)).addressOf(code.offset())).hasValue(code.address());
        assertThat(own.by(List.of(mapped)).missing()).contains("other addresses");
    }

    @Test
    void segmentOfAnotherLengthIsNamedWithItsSize() throws IOException, ExtractionException {
        FileOffsets own = offsets(compiled("length.so", "-shared", "-fPIC"));
        FileOffsets.Segment code = own.segments().get(1);
        FileOffsets.Segment longer = new FileOffsets.Segment(code.offset(), code.address(), code.fileSize() + 1);

        assertThat(own.by(List.of(longer)).missing())
                .isEqualTo("the given segment at 0x%x has 0x%x bytes; expected at most 0x%x, or whole pages"
                        .formatted(code.address(), code.fileSize() + 1, code.fileSize()));
    }

    @Test
    void segmentsOfAnotherProgramAnswerNothing() throws IOException, ExtractionException {
        Path program = compiled("one", "-no-pie");
        FileOffsets other = offsets(program)
                .by(List.of(new FileOffsets.Segment(0, 0x10, 16), new FileOffsets.Segment(16, 0x999, 4)));

        assertThat(other.missing()).contains("other addresses");
        assertThat(other.segments()).isEmpty();
    }

    @Test
    void relocatableFileHasNoSegments() throws IOException, ExtractionException {
        Path module = compiled("module.o", "-c");

        assertThat(offsets(module).missing()).contains("relocatable");
        assertThat(offsets(module)
                        .by(List.of(new FileOffsets.Segment(0, 0, 16)))
                        .missing())
                .contains("relocatable");
    }

    @Test
    void fileWithoutProgramHeadersSaysSo() {
        assertThat(FileOffsets.of(List.of(), ValueRule.ADDRESS).missing()).contains("no program headers");
    }
}
