package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.groups.Tuple.tuple;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.Variable;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Selection of variables, and the attributes they take from their declarations and abstract instances. */
class VariablesTests {

    private static final Die INT = baseType("int", 4, DW_ATE_signed);
    private static final Die INT_AGAIN = baseType("int again", 4, DW_ATE_signed);
    private static final Die INT_THRICE = baseType("int thrice", 4, DW_ATE_signed);
    private static final Attribute EXTERNAL = attribute(DW_AT_external, DW_FORM_flag_present, 1);

    @TempDir
    Path folder;

    private static Attribute at(long address) {
        return location(new BinaryWriter(DwarfStyle.DEFAULT.order())
                .u8(DW_OP_addr)
                .u64(address)
                .toBytes());
    }

    private static Attribute location(byte[] expression) {
        return attribute(DW_AT_location, DW_FORM_exprloc, blob(expression));
    }

    private static Attribute specification(String label) {
        return attribute(DW_AT_specification, new Ref(label));
    }

    private static Attribute origin(String label) {
        return attribute(DW_AT_abstract_origin, new Ref(label));
    }

    private static Die variable(Part... parts) {
        return die(DW_TAG_variable, parts);
    }

    private TypeCatalogue all(Unit... units) throws IOException, ExtractionException {
        return DebugInfo.read(file(units), new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll)
                .types();
    }

    private TypeCatalogue wanted(String name, Unit... units) throws IOException, ExtractionException {
        return DebugInfo.read(
                        file(units),
                        new ReadOptions(Limits.DEFAULT, 2),
                        info -> info.extract(new RequestedNames(Set.of(), Set.of(), Set.of(name))))
                .types();
    }

    private Path file(Unit... units) throws IOException {
        return written(units).writeTo(folder.resolve("variables.debug"));
    }

    private static DwarfSections written(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units);
    }

    /** {@code extern int x; int x;}: the second DIE has the location, the first the name, type and visibility. */
    @Test
    void definitionHasNameAndTypeOfTheDeclarationItCompletes() throws IOException, ExtractionException {
        Unit unit = unit(
                "a.c",
                DW_LANG_C11,
                INT,
                variable(label("x"), name("x"), type("int"), EXTERNAL, declaration()),
                variable(specification("x"), at(0x33020)));

        assertThat(all(unit).variables())
                .singleElement()
                .satisfies(x -> {
                    assertThat(x.name()).isEqualTo("x");
                    assertThat(x.type().spelling()).isEqualTo("int");
                    assertThat(x.declaration()).isFalse();
                    assertThat(x.address()).isEqualTo(0x33020);
                    assertThat(x.unit()).isEqualTo("a.c");
                })
                .isEqualTo(wanted("x", unit).variablesNamed("x").getFirst());
    }

    /** GCC states none for thread-local variables of AArch64. One that is optimized away or a constant looks alike. */
    @Test
    void variableWithoutLocationHasNoAddressIfOtherUnitsSeeIt() throws IOException, ExtractionException {
        assertThat(all(unit(
                                "a.c",
                                DW_LANG_C11,
                                INT,
                                variable(name("x"), type("int"), EXTERNAL),
                                variable(name("hidden"), type("int")),
                                variable(
                                        name("constant"),
                                        type("int"),
                                        EXTERNAL,
                                        attribute(DW_AT_const_value, DW_FORM_data1, 7)),
                                variable(
                                        name("text"),
                                        type("int"),
                                        EXTERNAL,
                                        attribute(DW_AT_const_value, DW_FORM_string, "ab")),
                                variable(
                                        name("longer"),
                                        type("int"),
                                        EXTERNAL,
                                        attribute(DW_AT_const_value, DW_FORM_strp, "longer text"))))
                        .variables())
                .singleElement()
                .satisfies(x -> {
                    assertThat(x.name()).isEqualTo("x");
                    assertThat(x.declaration()).isFalse();
                    assertThat(x.address()).isNull();
                });
    }

    /** {@code extern char x[]; char x[16];}: the type of the definition overrides that of the declaration. */
    @Test
    void typeOfTheDefinitionComesBeforeThatOfItsDeclaration() throws IOException, ExtractionException {
        assertThat(all(unit(
                                baseType("char", 1, DW_ATE_signed_char),
                                die(DW_TAG_array_type, label("open"), type("char"), die(DW_TAG_subrange_type)),
                                die(
                                        DW_TAG_array_type,
                                        label("sixteen"),
                                        type("char"),
                                        die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 16))),
                                variable(label("x"), name("x"), type("open"), EXTERNAL, declaration()),
                                variable(specification("x"), type("sixteen"), at(0x40))))
                        .variables())
                .singleElement()
                .satisfies(x -> assertThat(x.type().byteSize()).isEqualTo(16));
    }

    @Test
    void staticMemberHasTheScopesOfItsDeclaration() throws IOException, ExtractionException {
        Unit unit = unit(
                "a.cc",
                DW_LANG_C_plus_plus_14,
                INT,
                die(
                        DW_TAG_namespace,
                        name("ns"),
                        die(
                                DW_TAG_class_type,
                                name("C"),
                                byteSize(1),
                                die(
                                        DW_TAG_member,
                                        label("old"),
                                        name("old_style"),
                                        type("int"),
                                        EXTERNAL,
                                        declaration()),
                                variable(label("new"), name("new_style"), type("int"), EXTERNAL, declaration()),
                                die(DW_TAG_member, name("no_variable"), type("int"), memberLocation(0)))),
                variable(
                        specification("old"),
                        attribute(DW_AT_linkage_name, DW_FORM_string, "_ZN2ns1C9old_styleE"),
                        at(8)),
                variable(specification("new"), at(16)));

        assertThat(all(unit).variables())
                .extracting(Variable::qualifiedName, Variable::linkageName, Variable::declaration)
                .containsExactly(
                        tuple("ns::C::old_style", "_ZN2ns1C9old_styleE", false),
                        tuple("ns::C::new_style", null, false));
        assertThat(wanted("_ZN2ns1C9old_styleE", unit).variablesNamed("_ZN2ns1C9old_styleE"))
                .hasSize(1);
    }

    @Test
    void declarationOfAnotherUnitIsTakenIn() throws IOException, ExtractionException {
        assertThat(all(
                                unit(INT, variable(label("x"), name("x"), type("int"), EXTERNAL, declaration())),
                                unit(variable(
                                        attribute(DW_AT_abstract_origin, DW_FORM_ref_addr, new Ref("x")), at(0x10))))
                        .variables())
                .singleElement()
                .satisfies(x -> assertThat(x.address()).isEqualTo(0x10));
    }

    /** A static variable is distinct from a variable of the same name that a unit only declares. */
    @Test
    void declarationStaysUnlessTheNameThatOthersSeeIsDefined() throws IOException, ExtractionException {
        Unit declares = unit("a.c", DW_LANG_C11, INT, variable(name("x"), type("int"), EXTERNAL, declaration()));
        Unit hides = unit("b.c", DW_LANG_C11, INT_AGAIN, variable(name("x"), type("int again"), at(0x10)));
        Unit defines =
                unit("c.c", DW_LANG_C11, INT_THRICE, variable(name("x"), type("int thrice"), EXTERNAL, at(0x20)));

        assertThat(all(declares, hides).variablesNamed("x"))
                .extracting(Variable::declaration)
                .containsExactly(true, false);
        assertThat(all(declares, hides, defines).variablesNamed("x"))
                .extracting(Variable::unit)
                .containsExactly("b.c", "c.c");
    }

    @Test
    void equalDeclarationsAreOneAndVariablesAtDifferentPlacesAreNot() throws IOException, ExtractionException {
        assertThat(all(
                                unit(
                                        INT,
                                        variable(name("x"), type("int"), EXTERNAL, declaration()),
                                        variable(name("y"), type("int"), at(0x10))),
                                unit(
                                        INT_AGAIN,
                                        variable(name("x"), type("int again"), EXTERNAL, declaration()),
                                        variable(name("y"), type("int again"), at(0x20))))
                        .variables())
                .extracting(Variable::name)
                .containsExactly("x", "y", "y");
    }

    @Test
    void onlyWhatStaysInMemoryIsAVariable() throws IOException, ExtractionException {
        Unit unit = unit(
                "a.c",
                DW_LANG_C11,
                INT,
                variable(name("constant"), type("int"), attribute(DW_AT_const_value, DW_FORM_data1, 1)),
                variable(name("optimised_away"), type("int")),
                variable(name("also_away"), type("int"), location(new byte[0])),
                variable(name("discarded_by_the_linker"), type("int"), at(-1)),
                variable(name("also_discarded"), type("int"), at(0)),
                variable(name("thread_local"), type("int"), location(new byte[] {
                    DW_OP_const8u, 0, 0, 0, 0, 0, 0, 0, 0, (byte) DW_OP_form_tls_address
                })),
                die(
                        DW_TAG_subprogram,
                        name("f"),
                        variable(name("on_the_stack"), type("int"), location(new byte[] {(byte) DW_OP_fbreg, 0})),
                        variable(name("no_extern"), type("int"), declaration()),
                        die(DW_TAG_lexical_block, variable(name("stays"), type("int"), at(0x10)))));

        assertThat(all(unit).variables())
                .extracting(Variable::name, Variable::function, Variable::address)
                .containsExactly(tuple("thread_local", null, null), tuple("stays", "f", 0x10L));
    }

    /** Kernels of x86 have the variables of each processor there. */
    @Test
    void variableAtZeroStaysIfASectionIsLoadedThere() throws IOException, ExtractionException {
        Path file = written(unit("a.c", DW_LANG_C11, INT, variable(name("per_cpu"), type("int"), at(0))))
                .toElf()
                .code(".data..percpu", 0, 16)
                .writeTo(folder.resolve("vmlinux"));

        assertThat(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 2), DebugInfo::extractAll)
                        .types()
                        .variables())
                .extracting(Variable::name, Variable::address)
                .containsExactly(tuple("per_cpu", 0L));
    }

    /** Only a constant of the width that its operation states is an offset. */
    @Test
    void offsetInTheBlockOfThreadLocalVariablesIsStored() throws IOException, ExtractionException {
        ByteOrder order = DwarfStyle.DEFAULT.order();
        TypeCatalogue types = all(unit(
                "a.c",
                DW_LANG_C11,
                INT,
                threadLocal("wide", new BinaryWriter(order).u8(DW_OP_const8u).u64(24), DW_OP_form_tls_address),
                threadLocal("narrow", new BinaryWriter(order).u8(DW_OP_const4u).u32(28), DW_OP_GNU_push_tls_address),
                threadLocal("short", new BinaryWriter(order).u8(DW_OP_const8u).u32(28), DW_OP_form_tls_address),
                threadLocal(
                        "sum",
                        new BinaryWriter(order)
                                .u8(DW_OP_const8u)
                                .u64(24)
                                .u8(DW_OP_plus_uconst)
                                .u8(4),
                        DW_OP_form_tls_address),
                threadLocal("nothing", new BinaryWriter(order), DW_OP_form_tls_address)));

        assertThat(types.variables())
                .extracting(Variable::name, Variable::address, Variable::blockOffset)
                .containsExactly(
                        tuple("wide", null, 24L),
                        tuple("narrow", null, 28L),
                        tuple("short", null, null),
                        tuple("sum", null, null),
                        tuple("nothing", null, null));
        List<Variable> stored = new ArrayList<>();
        StoredCatalogue.of(CatalogueWriter.encode(types)).forEachVariable(stored::add);
        assertThat(stored).isEqualTo(types.variables());
    }

    private static Die threadLocal(String name, BinaryWriter offset, int operation) {
        return variable(name(name), type("int"), location(offset.u8(operation).toBytes()));
    }

    /** {@code void f(void) { extern int x; }}, with an inlined copy of the function that refers to the declaration. */
    @Test
    void externInFunctionOfCDeclaresAVariableAtFileScope() throws IOException, ExtractionException {
        Die function = die(
                DW_TAG_subprogram,
                label("f"),
                name("f"),
                die(DW_TAG_lexical_block, variable(label("x"), name("x"), type("int"), EXTERNAL, declaration())));
        Die caller =
                die(DW_TAG_subprogram, name("g"), die(DW_TAG_inlined_subroutine, origin("f"), variable(origin("x"))));

        assertThat(all(unit("a.c", DW_LANG_C11, INT, function, caller)).variables())
                .extracting(Variable::qualifiedName, Variable::function, Variable::declaration)
                .containsExactly(tuple("x", null, true));
        assertThat(all(
                                unit("a.c", DW_LANG_C11, INT, function),
                                unit(
                                        "b.c",
                                        DW_LANG_C11,
                                        INT_AGAIN,
                                        variable(name("x"), type("int again"), EXTERNAL, at(4))))
                        .variables())
                .singleElement()
                .satisfies(x -> assertThat(x.address()).isEqualTo(4));
        // In C++, it is in the namespace around the function.
        assertThat(all(unit("a.cc", DW_LANG_C_plus_plus_14, INT, function)).variables())
                .isEmpty();
    }

    /** An inlined copy of a function refers to the variable in the abstract instance. */
    @Test
    void staticVariableOfAnInlinedCopyIsThatOfItsFunction() throws IOException, ExtractionException {
        assertThat(all(unit(
                                INT,
                                die(
                                        DW_TAG_subprogram,
                                        name("caller"),
                                        die(
                                                DW_TAG_inlined_subroutine,
                                                origin("f"),
                                                variable(origin("count"), at(0x10)))),
                                die(
                                        DW_TAG_subprogram,
                                        label("f"),
                                        name("f"),
                                        variable(label("count"), name("count"), type("int"))),
                                die(DW_TAG_subprogram, origin("f"), variable(origin("count"), at(0x10)))))
                        .variables())
                .singleElement()
                .satisfies(count -> {
                    assertThat(count.name()).isEqualTo("count");
                    assertThat(count.function()).isEqualTo("f");
                });
    }

    @Test
    void functionsAreLookedIntoOnlyForNamesThatNothingElseHas() throws IOException, ExtractionException {
        Unit unit = unit(
                INT,
                variable(name("x"), type("int"), at(0x10)),
                die(
                        DW_TAG_subprogram,
                        name("f"),
                        variable(name("x"), type("int"), at(0x20)),
                        variable(name("y"), type("int"), at(0x30))));

        assertThat(wanted("x", unit).variables())
                .extracting(Variable::function)
                .containsOnlyNulls()
                .hasSize(1);
        assertThat(wanted("y", unit).variables()).extracting(Variable::function).containsExactly("f");
    }

    @Test
    void indexedAddressIsLookedUp() throws IOException, ExtractionException {
        byte[] table = new BinaryWriter(DwarfStyle.DEFAULT.order())
                .u64(0x0800_0500_0000_0000L)
                .u64(0x1000)
                .u64(0x2000)
                .toBytes();
        DwarfSections sections = written(unitOf(die(
                        DW_TAG_compile_unit,
                        attribute(DW_AT_addr_base, DW_FORM_sec_offset, 8),
                        INT,
                        variable(name("x"), type("int"), location(new byte[] {(byte) DW_OP_addrx, 1})),
                        variable(name("y"), type("int"), location(new byte[] {(byte) DW_OP_addrx, 2})))))
                .with(".debug_addr", table);

        List<Variable> variables = DebugInfo.read(
                        sections.writeTo(folder.resolve("indexed.debug")),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::extractAll)
                .types()
                .variables();

        assertThat(variables)
                .extracting(Variable::name, Variable::address)
                .containsExactly(tuple("x", 0x2000L), tuple("y", null));
    }

    @Test
    void variableWhoseOriginIsNowhereIsLeftOut() throws IOException, ExtractionException {
        Unit unit = unit(
                INT,
                variable(attribute(DW_AT_specification, DW_FORM_ref4, 0x7fff), at(0x10)),
                variable(name("sound"), type("int"), at(0x20)));
        TypeCatalogue types = all(unit);
        assertThat(types.variables()).extracting(Variable::name).containsExactly("sound");
        assertThat(types.omissions())
                .singleElement()
                .satisfies(omission -> assertThat(omission.places())
                        .singleElement()
                        .asString()
                        .contains("reference to unit offset 0x7fff"));
    }

    @Test
    void storedCatalogueHasTheSameVariables() throws IOException, ExtractionException {
        TypeCatalogue types = all(unit(
                "a.cc",
                DW_LANG_C_plus_plus_14,
                INT,
                struct("s", 8, member("m", "int", 4)),
                die(
                        DW_TAG_namespace,
                        name("ns"),
                        variable(
                                name("x"),
                                type("s"),
                                EXTERNAL,
                                attribute(DW_AT_linkage_name, DW_FORM_string, "_ZN2ns1xE"),
                                at(-16))),
                variable(name("y"), type("int"), EXTERNAL, declaration()),
                die(DW_TAG_subprogram, name("f"), variable(name("z"), type("s"), at(8)))));
        StoredCatalogue stored = StoredCatalogue.of(CatalogueWriter.encode(types));

        assertThat(types.variables()).hasSize(3);
        for (String name : List.of("x", "_ZN2ns1xE", "y", "z", "nothing")) {
            assertThat(stored.variablesNamed(name)).as(name).isEqualTo(types.variablesNamed(name));
        }
    }
}
