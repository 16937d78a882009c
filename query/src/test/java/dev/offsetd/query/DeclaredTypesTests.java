package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.layout.TypeIndex;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.ItemStatus;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Types that one unit holds by value and only declares, and another one defines. */
class DeclaredTypesTests {

    @TempDir
    Path folder;

    private static final Unit HOLDER = unit(
            "osd.cc",
            DW_LANG_C_plus_plus_14,
            baseType("int", 4, DW_ATE_signed),
            die(DW_TAG_class_type, label("declared"), name("MgrClient"), declaration()),
            struct("OSD", 24, member("mgrc", "declared", 0), member("tail", "int", 16)));

    private static final Unit OUTER = unit(
            "outer.cc",
            DW_LANG_C_plus_plus_14,
            die(DW_TAG_structure_type, label("declared OSD"), name("OSD"), declaration()),
            struct("Daemon", 32, member("osd", "declared OSD", 8)));

    private static Unit definedIn(String unit, int language, int tag, long size) {
        return unit(unit, language, die(tag, name("MgrClient"), byteSize(size), member("id", "int", 4)));
    }

    private Path file(Unit... units) throws IOException {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units).writeTo(folder.resolve("written.debug"));
    }

    private TypeCatalogue types(Unit... units) throws IOException, ExtractionException {
        return DebugInfo.read(file(units), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
    }

    private static ItemOutcome outcome(String item, TypeIndex types) {
        return ItemResolver.resolve(ItemParser.parse(item), types, null).outcome();
    }

    private static Placement.Fixed place(String item, TypeIndex types) {
        ItemOutcome outcome = outcome(item, types);
        assertThat(outcome).as(item).isInstanceOf(ItemOutcome.PathFound.class);
        return ((ItemOutcome.PathFound) outcome).placement();
    }

    @Test
    void theOneLayoutOfTheQualifiedNameIsTheTypes() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                HOLDER,
                definedIn("mgr.cc", DW_LANG_C_plus_plus_14, DW_TAG_structure_type, 16),
                definedIn("again.cc", DW_LANG_C_plus_plus_14, DW_TAG_structure_type, 16));

        assertThat(place("OSD.mgrc", types).size()).isEqualTo(16);
        assertThat(place("OSD.mgrc", types).type().spelling()).isEqualTo("MgrClient");
        assertThat(place("OSD.mgrc", types).type().definingUnit()).isEqualTo("mgr.cc");
        assertThat(place("OSD.mgrc.id", types).offset()).isEqualTo(4);
        assertThat(place("OSD.tail", types).type().definingUnit()).isNull();
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(types));
        assertThat(place("OSD.mgrc", stored)).isEqualTo(place("OSD.mgrc", types));
    }

    /** clang up to 3.9 writes the size of a class into its declaration. */
    @Test
    void declarationWithASizeHasIt() throws IOException, ExtractionException {
        TypeCatalogue types = types(unit(
                "path.cc",
                DW_LANG_C_plus_plus_14,
                die(DW_TAG_class_type, label("string"), name("string"), byteSize(32), declaration()),
                struct("path", 64, member("narrow", "string", 0), member("wide", "string", 32))));

        assertThat(place("path.narrow", types).size()).isEqualTo(32);
        TypeIndex stored = StoredCatalogue.of(CatalogueWriter.encode(types));
        assertThat(place("path.wide", stored)).isEqualTo(place("path.wide", types));
    }

    /** An enumeration that a type holds takes the place of any scalar of its size. */
    @Test
    void layoutsThatDifferInTheirScalarsAreOne() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                HOLDER,
                unit(
                        "mgr.cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_enumeration_type, label("State"), name("State"), byteSize(4)),
                        die(DW_TAG_class_type, name("MgrClient"), byteSize(16), member("id", "State", 4))),
                definedIn("again.cc", DW_LANG_C_plus_plus_14, DW_TAG_class_type, 16));

        assertThat(place("OSD.mgrc", types).size()).isEqualTo(16);
        assertThat(place("OSD.mgrc.id", types).offset()).isEqualTo(4);
    }

    /** Only what is asked for is read, and what it turns out to hold. */
    @Test
    void definitionsOutsideTheRequestedNamesAreFound() throws IOException, ExtractionException {
        TypeIndex types = DebugInfo.read(
                        file(OUTER, HOLDER, definedIn("mgr.cc", DW_LANG_C_plus_plus_14, DW_TAG_class_type, 16)),
                        new ReadOptions(Limits.DEFAULT, 1),
                        info -> info.extract(new RequestedNames(Set.of("Daemon"), Set.of())))
                .types();

        assertThat(place("Daemon.osd.mgrc.id", types).offset()).isEqualTo(12);
    }

    @Test
    void typeWithSeveralLayoutsStaysDeclared() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                HOLDER,
                definedIn("mgr.cc", DW_LANG_C_plus_plus_14, DW_TAG_class_type, 16),
                definedIn("other.cc", DW_LANG_C_plus_plus_14, DW_TAG_class_type, 12));

        assertThat(place("OSD.mgrc", types).size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
        assertThat(outcome("OSD.mgrc.id", types).status()).isEqualTo(ItemStatus.DECLARATION_ONLY);
    }

    @Test
    void otherLanguagesAndKindsDefineOtherTypes() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                HOLDER,
                definedIn("lib.rs", DW_LANG_Rust, DW_TAG_structure_type, 16),
                definedIn("union.cc", DW_LANG_C_plus_plus_14, DW_TAG_union_type, 16));

        assertThat(place("OSD.mgrc", types).size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
    }

    @Test
    void otherScopesDefineOtherTypes() throws IOException, ExtractionException {
        Die definition = die(DW_TAG_class_type, name("MgrClient"), byteSize(16));
        TypeCatalogue types = types(
                HOLDER,
                unit("a.cc", DW_LANG_C_plus_plus_14, die(DW_TAG_namespace, name("mgr"), definition)),
                unit("b.cc", DW_LANG_C_plus_plus_14, die(DW_TAG_subprogram, name("f"), definition)));

        assertThat(place("OSD.mgrc", types).size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
    }

    @Test
    void declarationInAnUnnamedNamespaceIsAnotherTypeInEachUnit() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                unit(
                        "a.cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_namespace, die(DW_TAG_class_type, label("declared"), name("Hidden"), declaration())),
                        struct("holder", 16, member("hidden", "declared", 0))),
                unit(
                        "b.cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_namespace, die(DW_TAG_class_type, name("Hidden"), byteSize(16)))));

        assertThat(place("holder.hidden", types).size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
    }

    /** One unit of two has the type inside, the other declares it: once that is resolved, both say the same. */
    @Test
    void layoutsThatDifferInADeclarationOnlyAreOne() throws IOException, ExtractionException {
        Unit whole = unit(
                "whole.cc",
                DW_LANG_C_plus_plus_14,
                die(DW_TAG_class_type, label("client"), name("MgrClient"), byteSize(16), member("id", "int", 4)),
                die(
                        DW_TAG_structure_type,
                        name("OSD"),
                        byteSize(24),
                        member("mgrc", "client", 0),
                        member("tail", "int", 16)));
        TypeCatalogue types = types(OUTER, HOLDER, whole);

        assertThat(place("Daemon.osd.mgrc.id", types).offset()).isEqualTo(12);
        assertThat(outcome("OSD", types).status()).isEqualTo(ItemStatus.FOUND);
    }

    @Test
    void typesThatHoldEachOtherStayDeclared() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                unit(
                        "a.cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_structure_type, label("b"), name("B"), declaration()),
                        struct("A", 8, member("b", "b", 0))),
                unit(
                        "b.cc",
                        DW_LANG_C_plus_plus_14,
                        die(DW_TAG_structure_type, label("a"), name("A"), declaration()),
                        struct("B", 8, member("a", "a", 0))));

        assertThat(place("A.b", types).size()).isEqualTo(8);
        assertThat(outcome("A.b.a.b", types).status()).isEqualTo(ItemStatus.DECLARATION_ONLY);
    }

    @Test
    void typedefOfADeclaredTypeIsResolvedToo() throws IOException, ExtractionException {
        TypeCatalogue types = types(
                unit(
                        "user.c",
                        DW_LANG_C99,
                        die(DW_TAG_structure_type, label("declared"), name("opaque"), declaration()),
                        die(DW_TAG_typedef, name("opaque_t"), type("declared"))),
                unit("owner.c", DW_LANG_C99, die(DW_TAG_structure_type, name("opaque"), byteSize(40))));

        assertThat(outcome("opaque_t", types).status()).isEqualTo(ItemStatus.FOUND);
        assertThat(types.definitionsNamed("opaque_t").getFirst().shape().byteSize())
                .isEqualTo(40);
        assertThat(types.definitionsNamed("opaque_t").getFirst().shape().definingUnit())
                .isEqualTo("owner.c");
    }
}
