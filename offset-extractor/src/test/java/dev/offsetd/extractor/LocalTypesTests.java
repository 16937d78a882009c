package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.util.Map;
import java.util.stream.Collectors;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Types in functions, which differ from those of the same name and layout in other functions. */
class LocalTypesTests {

    /** A function with a struct {@code Guard}, one that holds it, and one in a block. */
    private static Die function(String name, String target) {
        String guard = name + " guard";
        String pointer = name + " pointer";
        return die(
                DW_TAG_subprogram,
                name(name),
                die(DW_TAG_pointer_type, label(pointer), type(target)),
                die(DW_TAG_structure_type, label(guard), name("Guard"), byteSize(8), member("guarded", pointer, 0)),
                die(DW_TAG_structure_type, name("Holder"), byteSize(8), member("guard", guard, 0)),
                die(
                        DW_TAG_lexical_block,
                        die(DW_TAG_structure_type, name("InBlock"), byteSize(8), member("guarded", pointer, 0))));
    }

    private static Map<String, String> targetsIn(String type, int language) throws IOException, ExtractionException {
        return Answers.all(DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                "one",
                                language,
                                struct("X", 1),
                                struct("Y", 1),
                                function("first", "X"),
                                function("second", "Y")),
                        unit("two", language, struct("Z", 1), function("third", "Z"))))
                .stream()
                .filter(definition -> definition.name().equals(type))
                .collect(Collectors.toMap(
                        definition -> String.valueOf(definition.function()), LocalTypesTests::firstTarget));
    }

    private static String firstTarget(Definition definition) {
        TypeShape shape = definition.shape();
        while (shape instanceof AggregateShape aggregate) {
            shape = aggregate.members().getFirst().type();
        }
        return shape.spelling().replace("struct ", "");
    }

    private static final Map<String, String> EACH_ITS_OWN = Map.of("first", "X *", "second", "Y *", "third", "Z *");

    @ParameterizedTest
    @ValueSource(ints = {DW_LANG_C99, DW_LANG_C_plus_plus_14})
    void typesOfOneNameInTwoFunctionsHaveTheirOwnTargets(int language) throws IOException, ExtractionException {
        assertThat(targetsIn("Guard", language)).isEqualTo(EACH_ITS_OWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {DW_LANG_C99, DW_LANG_C_plus_plus_14})
    void typesInBlocksOfFunctionsHaveTheirOwnTargets(int language) throws IOException, ExtractionException {
        assertThat(targetsIn("InBlock", language)).isEqualTo(EACH_ITS_OWN);
    }

    @ParameterizedTest
    @ValueSource(ints = {DW_LANG_C99, DW_LANG_C_plus_plus_14})
    void typesHeldByOthersOfTheFunctionHaveTheirOwnTargets(int language) throws IOException, ExtractionException {
        assertThat(targetsIn("Holder", language)).isEqualTo(EACH_ITS_OWN);
    }
}
