package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Definitions and variables that depend on later units, and are built while those are scanned. */
class DeclaredTypesTests {

    @TempDir
    Path folder;

    private TypeCatalogue read(int threads, Unit... units) throws IOException, ExtractionException {
        return DebugInfo.read(
                        DwarfWriter.write(DwarfStyle.DEFAULT, units).writeTo(folder.resolve("file")),
                        new ReadOptions(Limits.DEFAULT, threads),
                        DebugInfo::extractAll)
                .types();
    }

    private static Unit importer() {
        return unit(
                "two",
                DW_LANG_C99,
                die(DW_TAG_imported_unit, attribute(DW_AT_import, DW_FORM_ref_addr, new Ref("part"))));
    }

    private static Unit user() {
        return unit(
                die(DW_TAG_structure_type, label("declared"), name("inner"), declaration()),
                struct("plain", 4),
                typedef("alias", "declared"),
                die(
                        DW_TAG_structure_type,
                        label("holder"),
                        name("holder"),
                        byteSize(24),
                        member("inner", "declared", 8)),
                struct("outer", 32, member("holder", "holder", 8)));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void typeThatALaterUnitDefinesIsHeldWhole(int threads) throws IOException, ExtractionException {
        List<Definition> definitions =
                read(threads, user(), unit(struct("inner", 16))).definitions();

        assertThat(definitions)
                .extracting(Definition::name, definition -> definition.shape().byteSize())
                .containsExactly(
                        tuple("plain", 4L),
                        tuple("alias", 16L),
                        tuple("holder", 24L),
                        tuple("outer", 32L),
                        tuple("inner", 16L));
        AggregateShape outer = (AggregateShape) definitions.get(3).shape();
        assertThat(outer.members().getFirst().type())
                .isSameAs(definitions.get(2).shape());
        AggregateShape holder = (AggregateShape) definitions.get(2).shape();
        assertThat(holder.members().getFirst().type().byteSize()).isEqualTo(16);
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void typesOfAPartialUnitAreSpelledInTheLanguageOfItsUser(int threads) throws IOException, ExtractionException {
        List<Definition> definitions = read(
                        threads,
                        unit("one", DW_LANG_C99, struct("near", 8, member("far", "far", 0))),
                        unitOf(die(DW_TAG_partial_unit, label("part"), strOffsetsBase(), struct("far", 8))),
                        importer())
                .definitions();

        assertThat(definitions)
                .extracting(definition -> definition.shape().spelling())
                .containsExactly("struct near", "struct far");
        AggregateShape near = (AggregateShape) definitions.getFirst().shape();
        assertThat(near.members().getFirst().type().spelling()).isEqualTo("struct far");
    }

    private static Die variable(String name, String type, Part... parts) {
        return die(
                DW_TAG_variable,
                Stream.concat(
                                Stream.of(name(name), type(type), attribute(DW_AT_external, DW_FORM_flag_present, 1)),
                                Stream.of(parts))
                        .toArray(Part[]::new));
    }

    private static Attribute at(int address) {
        return attribute(DW_AT_location, DW_FORM_exprloc, blob(DW_OP_addr, address, 0, 0, 0, 0, 0, 0, 0));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void variablesKnowWhatLaterUnitsDefine(int threads) throws IOException, ExtractionException {
        List<Variable> variables = read(
                        threads,
                        unit(
                                die(DW_TAG_structure_type, label("declared"), name("inner"), declaration()),
                                struct("plain", 4),
                                variable("first", "plain", at(0x10)),
                                variable("holder", "declared", at(0x20)),
                                variable("elsewhere", "plain", declaration()),
                                variable("nowhere", "plain", declaration())),
                        unit(struct("inner", 16), variable("elsewhere", "inner", at(0x40))))
                .variables();

        assertThat(variables)
                .extracting(
                        Variable::name,
                        Variable::declaration,
                        variable -> variable.type().byteSize())
                .containsExactly(
                        tuple("first", false, 4L),
                        tuple("holder", false, 16L),
                        tuple("nowhere", true, 4L),
                        tuple("elsewhere", false, 16L));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 8})
    void typesOfVariablesAreSpelledInTheLanguageOfTheUserOfAPartialUnit(int threads)
            throws IOException, ExtractionException {
        List<Variable> variables = read(
                        threads,
                        unit("one", DW_LANG_C99, struct("near", 8), variable("first", "near", at(0x10))),
                        unitOf(die(
                                DW_TAG_partial_unit,
                                label("part"),
                                strOffsetsBase(),
                                struct("far", 8),
                                variable("second", "far", at(0x20)))),
                        importer())
                .variables();

        assertThat(variables)
                .extracting(Variable::name, variable -> variable.type().spelling())
                .containsExactly(tuple("first", "struct near"), tuple("second", "struct far"));
    }
}
