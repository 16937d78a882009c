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
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.LimitsWith;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
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

    private static Die holder(String name, String... declared) {
        return struct(
                name,
                64,
                IntStream.range(0, declared.length)
                        .mapToObj(each -> member("m" + each, declared[each], 8L * each))
                        .toArray(Part[]::new));
    }

    private static Die declared(String name) {
        return die(DW_TAG_structure_type, label(name), name(name), declaration());
    }

    private static RequestedNames types(String... names) {
        return new RequestedNames(Set.of(names), Set.of());
    }

    @Test
    void declaredTypeThatWasRequestedIsNotSearchedForAgain() throws IOException, ExtractionException {
        Path file = DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(declared("inner"), declared("part"), holder("holder", "inner", "part")),
                        unit(
                                die(DW_TAG_structure_type, name("inner"), byteSize(16)),
                                die(DW_TAG_structure_type, name("part"), byteSize(24))))
                .writeTo(folder.resolve("file"));
        List<Long> starts = new ArrayList<>();
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1).withProgress((read, _) -> starts.add(read));
        TypeCatalogue found = DebugInfo.read(file, options, info -> info.extract(types("holder", "inner")))
                .types();
        AggregateShape holder =
                (AggregateShape) found.definitionsNamed("holder").getFirst().shape();

        assertThat(holder.members())
                .extracting(member -> member.type().byteSize())
                .containsExactly(16L, 24L);
        assertThat(starts.stream().filter(read -> read == 0)).as("scans").hasSize(2);
    }

    @Test
    void eachSearchForDeclaredTypesReleasesWhatTheOneBeforeBuilt() throws IOException, ExtractionException {
        List<Part> first = new ArrayList<>(List.of(baseType("int", 4, DW_ATE_signed), declared("d0")));
        first.add(holder("holder", "d0"));
        first.add(struct(
                "large",
                8,
                IntStream.range(0, 2_000)
                        .mapToObj(each -> member("a" + each, "int", 0))
                        .toArray(Part[]::new)));
        List<Unit> units = new ArrayList<>(List.of(unit(first.toArray(Part[]::new))));
        for (int i = 0; i < 12; i++) {
            units.add(unit(
                    die(DW_TAG_structure_type, label("in" + i), name("d" + (i + 1)), declaration()),
                    die(DW_TAG_structure_type, name("d" + i), byteSize(64), member("m", "in" + i, 0))));
        }
        Path file = DwarfWriter.write(DwarfStyle.DEFAULT, units.toArray(Unit[]::new))
                .writeTo(folder.resolve("file"));
        ReadOptions options = new ReadOptions(LimitsWith.of("maxKeptBytes", 3 << 20), 1);

        assertThat(DebugInfo.read(file, options, info -> info.extract(types("holder", "large")))
                        .types()
                        .definitions())
                .hasSize(2);
    }

    @Test
    void memoryOfAUnitIsReleasedBeforeTheNextIsPassedOn() throws IOException, ExtractionException {
        Part[] structs = IntStream.range(0, 1024)
                .mapToObj(each -> die(DW_TAG_structure_type, name("s" + each), byteSize(4)))
                .toArray(Part[]::new);
        Unit[] units = new Unit[40];
        Arrays.setAll(units, _ -> unit(structs));
        Path file = DwarfWriter.write(DwarfStyle.DEFAULT, units).writeTo(folder.resolve("file"));
        ReadOptions options = new ReadOptions(LimitsWith.of("maxKeptBytes", 3 << 20), 1);
        AtomicInteger definitions = new AtomicInteger();

        try (DebugInfo info = DebugInfo.open(file, options)) {
            info.forEachDefinition(_ -> definitions.incrementAndGet());
        }

        assertThat(definitions).hasValue(40 * 1024);
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

    /** The spelling of Lua's header: {@code typedef struct lua_State lua_State;}. */
    @Test
    void typedefOfADeclaredStructDoesNotDefineIt() throws IOException, ExtractionException {
        TypeCatalogue types = read(
                1,
                unit(
                        die(DW_TAG_structure_type, label("tag"), name("lua_State"), declaration()),
                        die(DW_TAG_typedef, name("lua_State"), type("tag"))));

        assertThat(types.definitionsNamed("lua_State"))
                .extracting(Definition::kind, Definition::isDeclaration)
                .containsExactlyInAnyOrder(tuple(TypeKind.STRUCT, true), tuple(TypeKind.TYPEDEF, false));
    }

    /** clang writes no size beside the type of an enumeration before DWARF 3. */
    @Test
    void enumerationsOfTypesOfTwoSizesAreTwo() throws IOException, ExtractionException {
        Unit ofChar = enumerationOf("one", 1);
        Unit ofInt = enumerationOf("two", 4);

        assertThat(read(1, ofChar, ofInt).definitionsNamed("E"))
                .extracting(definition -> definition.shape().byteSize())
                .containsExactlyInAnyOrder(1L, 4L);
        assertThat(read(1, ofChar, ofInt).definitionsNamed("holder")).hasSize(2);
        assertThat(read(1, ofChar, enumerationOf("three", 1)).definitionsNamed("E"))
                .hasSize(1);
    }

    /** @param unit start of the labels, which are those of all units */
    private static Unit enumerationOf(String unit, int bytes) {
        return unit(
                die(
                        DW_TAG_base_type,
                        label(unit + " basis"),
                        name("basis"),
                        byteSize(bytes),
                        attribute(DW_AT_encoding, DW_FORM_data1, DW_ATE_signed)),
                die(
                        DW_TAG_enumeration_type,
                        label(unit + " E"),
                        name("E"),
                        type(unit + " basis"),
                        die(DW_TAG_enumerator, name("RED"), attribute(DW_AT_const_value, DW_FORM_sdata, 1))),
                die(DW_TAG_structure_type, name("holder"), byteSize(8), member("e", unit + " E", 0)));
    }
}
