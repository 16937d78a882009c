package dev.offsetd.extractor.extract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.testkit.Fixture;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/** Files as the compiler leaves them: the offsets from one section into another are in relocation tables. */
class RelocatableFileTests {

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

    /** The compiler gives each type a section of its own, all of one name; the linker puts them together. */
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

    /** What the unit that is in both says. */
    private static List<String> definitions(Path file) throws IOException, ExtractionException {
        return Answers.definitions(file).stream()
                .filter(definition -> definition.unit().equals("layout.c"))
                .map(RelocatableFileTests::text)
                .toList();
    }

    private static String text(Definition definition) {
        return definition.kind() + " " + definition.name() + " " + definition.function() + " " + definition.shape();
    }
}
