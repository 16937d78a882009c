package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class FirstMatchesTests {

    private final ReadOptions options = new ReadOptions(Limits.DEFAULT, 2);

    @TempDir
    Path folder;

    private Path file() throws IOException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(die(DW_TAG_structure_type, name("t"), declaration())),
                unit(struct("t", 8)),
                unit(struct("u", 4), die(DW_TAG_structure_type, name("t"), byteSize(16))),
                unit(die(DW_TAG_structure_type, label("broken"), name("v"), byteSize(16))));
        return sections.patched(".debug_info", sections.offsetOf("broken"), 0x7f, 1)
                .writeTo(folder.resolve("file"));
    }

    @Test
    void theFirstCompleteDefinitionOfEachNameIsReadAndNoUnitBehindTheLast() throws IOException, ExtractionException {
        List<Definition> found = DebugInfo.read(file(), options, info -> info.firstMatches(Set.of("t", "u")));
        assertThat(found)
                .extracting(Definition::name, definition -> definition.shape().byteSize())
                .containsExactly(tuple("t", 8L), tuple("u", 4L));
    }

    @Test
    void brokenUnitDoesNotKeepOthersFromBeingRead() throws IOException, ExtractionException {
        List<Definition> found = DebugInfo.read(file(), options, info -> info.firstMatches(Set.of("t", "v")));
        assertThat(found).extracting(Definition::name).containsExactly("t");
    }

    /** GCC 3 does so. */
    @Test
    void tagThatCNestsInAStructIsFoundByItsName() throws IOException, ExtractionException {
        Path nested = DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                "a.c",
                                DW_LANG_C89,
                                baseType("int", 4, DW_ATE_signed),
                                struct(
                                        "outer",
                                        8,
                                        struct("inner", 4, member("i", "int", 0)),
                                        member("held", "inner", 4))))
                .writeTo(folder.resolve("nested"));

        List<Definition> found = DebugInfo.read(nested, options, info -> info.firstMatches(Set.of("inner", "outer")));
        assertThat(found).extracting(Definition::name).containsExactly("outer", "inner");
        try (DebugInfo info = DebugInfo.open(nested, options)) {
            assertThat(info.struct("inner"))
                    .hasValueSatisfying(
                            inner -> assertThat(inner.member("i").byteOffset()).isZero());
            assertThat(info.types().map(Definition::name)).contains("inner", "outer");
            assertThat(info.struct("inner")).isPresent();
        }
    }
}
