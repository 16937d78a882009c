package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Language;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation.Fixed;
import dev.offsetd.extractor.layout.PointerShape;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.groups.Tuple;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** One tree, one answer: whatever the version, byte order, format, address size, indirection and siblings. */
class DwarfStylesTests {

    static Stream<DwarfStyle> styles() {
        return DwarfStyle.all();
    }

    private static DwarfSections everyKind(DwarfStyle style) {
        return DwarfWriter.write(
                style,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        baseType("char", 1, DW_ATE_signed_char),
                        die(
                                DW_TAG_subprogram,
                                name("function"),
                                die(DW_TAG_lexical_block, struct("local", 4, member("i", "int", 0))),
                                die(DW_TAG_variable, name("v"), type("int"))),
                        struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                        typedef("point_t", "point"),
                        die(DW_TAG_const_type, label("const point"), type("point_t")),
                        die(DW_TAG_pointer_type, label("pointer"), type("const point")),
                        die(DW_TAG_pointer_type, label("void pointer")),
                        die(
                                DW_TAG_array_type,
                                label("array"),
                                type("char"),
                                die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 2)),
                                die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_data1, 4))),
                        die(
                                DW_TAG_enumeration_type,
                                label("colour"),
                                name("colour"),
                                byteSize(4),
                                die(DW_TAG_enumerator, name("RED"), attribute(DW_AT_const_value, DW_FORM_sdata, -1)),
                                die(DW_TAG_enumerator, name("GREEN"), attribute(DW_AT_const_value, DW_FORM_udata, 7))),
                        die(
                                DW_TAG_union_type,
                                label("unnamed"),
                                byteSize(8),
                                member("as_int", "int", 0),
                                member("as_point", "point_t", 0)),
                        struct("nested", 4, member("deep", "int", 0)),
                        struct(
                                "everything",
                                80,
                                member("colour", "colour", 0),
                                bitField("low", "int", 4, 32, 5),
                                bitField("middle", "int", 4, 37, 20),
                                die(DW_TAG_member, type("unnamed"), memberLocation(8)),
                                member("array", "array", 16),
                                member("pointer", "pointer", 32),
                                member("anything", "void pointer", 40),
                                member("nested", "nested", 48)),
                        die(DW_TAG_structure_type, name("only_declared"), declaration())),
                unit("second.c", DW_LANG_C99, struct("in_second", 8, member("p", "point", 0))));
    }

    @ParameterizedTest
    @MethodSource("styles")
    void everyStyleGivesTheSameNames(DwarfStyle style) throws IOException, ExtractionException {
        assertThat(Answers.all(everyKind(style)))
                .extracting(Definition::name)
                .containsExactlyInAnyOrder(
                        "int",
                        "char",
                        "local",
                        "point",
                        "point_t",
                        "colour",
                        "everything",
                        "nested",
                        "only_declared",
                        "in_second");
    }

    @ParameterizedTest
    @MethodSource("styles")
    void everyStyleGivesTheSameMembers(DwarfStyle style) throws IOException, ExtractionException {
        AggregateShape everything = Answers.aggregate(everyKind(style), "everything");
        assertThat(everything.byteSize()).isEqualTo(80);
        assertThat(everything.members())
                .extracting(Member::name, Member::location, Member::bitSize)
                .containsExactly(
                        tuple("colour", 0, -1),
                        tuple("low", 32, 5),
                        tuple("middle", 37, 20),
                        tuple(null, 64, -1),
                        tuple("array", 128, -1),
                        tuple("pointer", 256, -1),
                        tuple("anything", 320, -1),
                        tuple("nested", 384, -1));
        List<Member> members = everything.members();
        assertThat(members.get(0).type())
                .isEqualTo(new EnumShape(
                        "colour",
                        "enum colour",
                        4,
                        true,
                        List.of(new Enumerator("RED", -1), new Enumerator("GREEN", 7))));
        assertThat(members.get(3).isUnnamedAggregate()).isTrue();
        assertThat(((ArrayShape) members.get(4).type()).counts()).containsExactly(3L, 5L);
        assertThat(members.get(4).type().byteSize()).isEqualTo(15);
        assertThat(members.get(5).type()).isInstanceOfSatisfying(PointerShape.class, pointer -> {
            assertThat(pointer.pointee()).isEqualTo("point_t");
            assertThat(pointer.byteSize()).isEqualTo(style.addressSize());
        });
        assertThat(members.get(6).type())
                .isInstanceOfSatisfying(
                        PointerShape.class,
                        pointer -> assertThat(pointer.pointee()).isNull());
    }

    private static Tuple tuple(@Nullable String name, long bitOffset, int bitSize) {
        return Tuple.tuple(name, new Fixed(bitOffset), bitSize);
    }

    @ParameterizedTest
    @MethodSource("styles")
    void everyStyleKnowsScopeUnitAndLanguage(DwarfStyle style) throws IOException, ExtractionException {
        DwarfSections sections = everyKind(style);
        Definition local = Answers.definition(sections, "local");
        assertThat(local.function()).isEqualTo("function");
        assertThat(local.unit()).isEqualTo("test.c");
        assertThat(local.language()).isEqualTo(new Language("C99", Language.Family.C));
        assertThat(local.dieOffset()).isEqualTo(sections.offsetOf("local"));
        Definition second = Answers.definition(sections, "in_second");
        assertThat(second.function()).isNull();
        assertThat(second.unit()).isEqualTo("second.c");
        assertThat(second.dieOffset()).isEqualTo(sections.offsetOf("in_second"));
    }

    @ParameterizedTest
    @MethodSource("styles")
    void everyStyleFollowsTypedefs(DwarfStyle style) throws IOException, ExtractionException {
        DwarfSections sections = everyKind(style);
        AggregateShape point = Answers.aggregate(sections, "point");
        Definition typedef = Answers.definition(sections, "point_t");
        assertThat(typedef.shape()).isEqualTo(new AliasShape("point_t", point));
        AggregateShape union = (AggregateShape)
                Answers.aggregate(sections, "everything").members().get(3).type();
        assertThat(union.members().get(1).type()).isEqualTo(new AliasShape("point_t", point));
    }

    /** In C++ types are nested, and their names are of use only with what they are nested in. */
    @ParameterizedTest
    @MethodSource("styles")
    void everyStyleQualifiesNestedNames(DwarfStyle style) throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                style,
                unit(
                        "cpp.cc",
                        DW_LANG_C_plus_plus_14,
                        die(
                                DW_TAG_namespace,
                                name("outer"),
                                die(
                                        DW_TAG_class_type,
                                        name("Holder"),
                                        byteSize(4),
                                        die(DW_TAG_structure_type, label("Nested"), name("Nested"), byteSize(4)),
                                        member("nested", "Nested", 0)))));
        assertThat(Answers.definition(sections, "Nested").qualifiedName()).isEqualTo("outer::Holder::Nested");
        assertThat(Answers.definition(sections, "Holder").qualifiedName()).isEqualTo("outer::Holder");
        assertThat(Answers.definition(sections, "Holder").language().family()).isEqualTo(Language.Family.CPP);
    }
}
