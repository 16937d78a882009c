package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Value;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.ByteOrder;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The forms of DWARF 5 §7.5.6, each on an attribute that the reader decodes and on one that it skips. */
class DwarfFormsTests {

    /** An attribute code that the reader does not know and therefore skips. */
    private static final int DW_AT_UNKNOWN = 0x3abc;

    private static final List<DwarfStyle> STYLES = List.of(
            DwarfStyle.DEFAULT,
            DwarfStyle.DEFAULT.withOrder(ByteOrder.BIG_ENDIAN),
            DwarfStyle.DEFAULT.withOffsetSize(8),
            DwarfStyle.DEFAULT.withOrder(ByteOrder.BIG_ENDIAN).withOffsetSize(8).withAddressSize(4),
            DwarfStyle.DEFAULT.withIndirect(true));

    /** Returns an unknown attribute in every form that encodes a value. */
    static Stream<Attribute> everyForm() {
        byte[] longBlock = new byte[300];
        return Stream.of(
                attribute(DW_AT_UNKNOWN, DW_FORM_addr, 0x1000),
                attribute(DW_AT_UNKNOWN, DW_FORM_block1, blob(1, 2, 3)),
                attribute(DW_AT_UNKNOWN, DW_FORM_block2, blob(longBlock)),
                attribute(DW_AT_UNKNOWN, DW_FORM_block4, blob(longBlock)),
                attribute(DW_AT_UNKNOWN, DW_FORM_block, blob(longBlock)),
                attribute(DW_AT_UNKNOWN, DW_FORM_exprloc, blob(longBlock)),
                attribute(DW_AT_UNKNOWN, DW_FORM_exprloc, blob()),
                attribute(DW_AT_UNKNOWN, DW_FORM_data1, 0xff),
                attribute(DW_AT_UNKNOWN, DW_FORM_data2, 0xffff),
                attribute(DW_AT_UNKNOWN, DW_FORM_data4, -1),
                attribute(DW_AT_UNKNOWN, DW_FORM_data8, -1),
                attribute(DW_AT_UNKNOWN, DW_FORM_data16, -1),
                attribute(DW_AT_UNKNOWN, DW_FORM_sdata, Long.MIN_VALUE),
                attribute(DW_AT_UNKNOWN, DW_FORM_udata, -1),
                attribute(DW_AT_UNKNOWN, DW_FORM_implicit_const, -123456),
                attribute(DW_AT_UNKNOWN, DW_FORM_flag, 1),
                attribute(DW_AT_UNKNOWN, DW_FORM_flag_present, 1),
                attribute(DW_AT_UNKNOWN, DW_FORM_string, "a string of its own"),
                attribute(DW_AT_UNKNOWN, DW_FORM_string, ""),
                attribute(DW_AT_UNKNOWN, DW_FORM_strp, "in .debug_str"),
                attribute(DW_AT_UNKNOWN, DW_FORM_line_strp, "in .debug_line_str"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strx, "indexed"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strx1, "indexed"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strx2, "indexed"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strx3, "indexed"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strx4, "indexed"),
                attribute(DW_AT_UNKNOWN, DW_FORM_strp_sup, 77),
                attribute(DW_AT_UNKNOWN, DW_FORM_GNU_strp_alt, 77),
                attribute(DW_AT_UNKNOWN, DW_FORM_addrx, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_addrx1, 3),
                attribute(DW_AT_UNKNOWN, DW_FORM_addrx2, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_addrx3, 70_000),
                attribute(DW_AT_UNKNOWN, DW_FORM_addrx4, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_loclistx, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_rnglistx, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_sec_offset, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref1, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref2, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref4, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref8, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_udata, 300),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_addr, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_sig8, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_sup4, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_sup8, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_GNU_ref_alt, 20),
                attribute(DW_AT_UNKNOWN, DW_FORM_indirect, blob(DW_FORM_udata, 0xac, 2)),
                attribute(DW_AT_UNKNOWN, DW_FORM_indirect, blob(DW_FORM_string, 'x', 0)));
    }

    /** Decoding resumes at the right byte wherever in the DIE the skipped attribute is. */
    @ParameterizedTest
    @MethodSource("everyForm")
    void skippingAFormEndsWhereReadingItWould(Attribute attribute) throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            if (style.indirect() && isIndirect(attribute)) {
                continue;
            }
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unitOf(die(
                            DW_TAG_compile_unit,
                            strOffsetsBase(),
                            attribute,
                            name("forms.c"),
                            attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C99),
                            die(DW_TAG_variable, attribute, attribute, name("g")),
                            die(
                                    DW_TAG_base_type,
                                    attribute,
                                    label("int"),
                                    name("int"),
                                    byteSize(4),
                                    encoding(5),
                                    attribute),
                            die(
                                    DW_TAG_structure_type,
                                    attribute,
                                    label("point"),
                                    name("point"),
                                    attribute,
                                    byteSize(8),
                                    die(DW_TAG_member, attribute, name("x"), attribute, type("int"), memberLocation(0)),
                                    die(
                                            DW_TAG_member,
                                            name("y"),
                                            type("int"),
                                            attribute,
                                            memberLocation(4),
                                            attribute)),
                            die(
                                    DW_TAG_enumeration_type,
                                    name("colour"),
                                    byteSize(1),
                                    die(
                                            DW_TAG_enumerator,
                                            attribute,
                                            name("RED"),
                                            attribute(DW_AT_const_value, DW_FORM_data1, 9))),
                            die(DW_TAG_subprogram, attribute, die(DW_TAG_formal_parameter, attribute, type("int"))),
                            struct("last", 4, member("i", "int", 0)))));
            AggregateShape point = Answers.aggregate(sections, "point");
            assertThat(point.byteSize()).as(style.toString()).isEqualTo(8);
            assertThat(point.members()).extracting(Member::name).containsExactly("x", "y");
            assertThat(point.members())
                    .extracting(Member::location)
                    .containsExactly(new MemberLocation.Fixed(0), new MemberLocation.Fixed(32));
            assertThat(((EnumShape) Answers.definition(sections, "colour").shape()).enumerators())
                    .containsExactly(new Enumerator("RED", 9));
            assertThat(Answers.aggregate(sections, "last").members()).hasSize(1);
            assertThat(Answers.definition(sections, "last").unit()).isEqualTo("forms.c");
        }
    }

    private static boolean isIndirect(Attribute attribute) {
        Integer form = attribute.form();
        return form != null && form == DW_FORM_indirect;
    }

    private static void sizeIs(Attribute size, long expected) throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            DwarfSections sections = DwarfWriter.write(style, unit(die(DW_TAG_structure_type, name("sized"), size)));
            assertThat(Answers.aggregate(sections, "sized").byteSize())
                    .as(style.toString())
                    .isEqualTo(expected);
        }
    }

    @Test
    void sizesAreReadFromEveryFormOfConstants() throws IOException, ExtractionException {
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_data1, 0xfe), 0xfe);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_data2, 0xfedc), 0xfedc);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_data4, 0xfedcba98L), 0xfedcba98L);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_data8, 0x1_2345_6789L), 0x1_2345_6789L);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_udata, 0x1_2345_6789L), 0x1_2345_6789L);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_sdata, 100_000), 100_000);
        sizeIs(attribute(DW_AT_byte_size, DW_FORM_implicit_const, 4_000), 4_000);
    }

    @Test
    void enumeratorsAreReadFromEveryFormOfConstants() throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unit(die(
                            DW_TAG_enumeration_type,
                            name("values"),
                            byteSize(8),
                            enumerator("SDATA", DW_FORM_sdata, -5_000),
                            enumerator("UDATA", DW_FORM_udata, 5_000),
                            enumerator("DATA1", DW_FORM_data1, 200),
                            enumerator("DATA2", DW_FORM_data2, 60_000),
                            enumerator("DATA4", DW_FORM_data4, 0xf000_0000L),
                            enumerator("DATA8", DW_FORM_data8, Long.MIN_VALUE),
                            enumerator("IMPLICIT", DW_FORM_implicit_const, -7))));
            EnumShape values =
                    (EnumShape) Answers.definition(sections, "values").shape();
            assertThat(values.enumerators())
                    .as(style.toString())
                    .containsExactly(
                            new Enumerator("SDATA", -5_000),
                            new Enumerator("UDATA", 5_000),
                            new Enumerator("DATA1", 200),
                            new Enumerator("DATA2", 60_000),
                            new Enumerator("DATA4", 0xf000_0000L),
                            new Enumerator("DATA8", Long.MIN_VALUE),
                            new Enumerator("IMPLICIT", -7));
        }
    }

    private static Die enumerator(String name, int form, long value) {
        return die(DW_TAG_enumerator, name(name), attribute(DW_AT_const_value, form, value));
    }

    @Test
    void namesAreReadFromEveryFormOfStrings() throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            for (int form : List.of(
                    DW_FORM_string,
                    DW_FORM_strp,
                    DW_FORM_line_strp,
                    DW_FORM_strx,
                    DW_FORM_strx1,
                    DW_FORM_strx2,
                    DW_FORM_strx3,
                    DW_FORM_strx4)) {
                DwarfSections sections = DwarfWriter.write(
                        style,
                        unit(
                                struct("before", 1),
                                die(
                                        DW_TAG_structure_type,
                                        name("caf\u00e9_of_this_form").as(form),
                                        byteSize(8),
                                        die(DW_TAG_member, name("first").as(form), memberLocation(0)),
                                        die(DW_TAG_member, name("second").as(form), memberLocation(4)))));
                assertThat(Answers.aggregate(sections, "caf\u00e9_of_this_form").members())
                        .as("%s, form 0x%x", style, form)
                        .extracting(Member::name)
                        .containsExactly("first", "second");
            }
        }
    }

    @Test
    void typesAreFoundThroughEveryFormOfReferences() throws IOException, ExtractionException {
        for (DwarfStyle style : DwarfStyle.all().toList()) {
            for (int form : List.of(
                    DW_FORM_ref1, DW_FORM_ref2, DW_FORM_ref4, DW_FORM_ref8, DW_FORM_ref_udata, DW_FORM_ref_addr)) {
                DwarfSections sections = DwarfWriter.write(
                        style,
                        unit(baseType("padding", 1, DW_ATE_signed)),
                        unit(
                                struct(
                                        "holder",
                                        4,
                                        die(
                                                DW_TAG_member,
                                                name("i"),
                                                attribute(DW_AT_type, form, new Ref("int")),
                                                memberLocation(0))),
                                baseType("int", 4, DW_ATE_signed)));
                assertThat(Answers.aggregate(sections, "holder")
                                .members()
                                .getFirst()
                                .type())
                        .as("%s, form 0x%x", style, form)
                        .isEqualTo(new BaseShape("int", 4, BaseShape.Encoding.SIGNED));
            }
        }
    }

    /** Only {@code DW_FORM_ref_addr} may refer to another unit, including a later one. */
    @Test
    void referencesReachOtherUnits() throws IOException, ExtractionException {
        for (DwarfStyle style : DwarfStyle.all().toList()) {
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unit(struct("holder", 8, refAddr("forward", "later"), refAddr("back", "earlier"))),
                    unit(struct("earlier", 4, refAddr("again", "later"))),
                    unit("third.c", DW_LANG_C99, baseType("later", 4, DW_ATE_unsigned)));
            AggregateShape holder = Answers.aggregate(sections, "holder");
            assertThat(holder.members().get(0).type())
                    .isEqualTo(new BaseShape("later", 4, BaseShape.Encoding.UNSIGNED));
            assertThat(holder.members().get(1).type()).isEqualTo(Answers.aggregate(sections, "earlier"));
        }
    }

    private static Die refAddr(String name, String target) {
        return die(
                DW_TAG_member, name(name), attribute(DW_AT_type, DW_FORM_ref_addr, new Ref(target)), memberLocation(0));
    }

    @Test
    void signaturesLeadToTheirTypeUnit() throws IOException, ExtractionException {
        for (int offsetSize : List.of(4, 8)) {
            DwarfSections sections = DwarfWriter.write(
                    DwarfStyle.DEFAULT.withOffsetSize(offsetSize),
                    unit(struct(
                            "holder",
                            8,
                            die(
                                    DW_TAG_member,
                                    name("point"),
                                    attribute(DW_AT_type, DW_FORM_ref_sig8, 0xfedcba98_76543210L),
                                    memberLocation(0)))),
                    typeUnit(
                            0xfedcba98_76543210L,
                            "point",
                            baseType("int", 4, DW_ATE_signed),
                            struct("point", 8, member("x", "int", 0))));
            assertThat(Answers.aggregate(sections, "holder")
                            .members()
                            .getFirst()
                            .type())
                    .isEqualTo(Answers.aggregate(sections, "point"));
        }
    }

    @Test
    void locationsAreReadFromExpressionsAndConstants() throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unit(struct(
                            "places",
                            100,
                            place("block1", DW_FORM_block1, plusUconst(style.order(), 200)),
                            place("exprloc", DW_FORM_exprloc, plusUconst(style.order(), 8)),
                            place("constu", DW_FORM_exprloc, blob(DW_OP_constu, 9, 0x22)),
                            die(
                                    DW_TAG_member,
                                    name("data1"),
                                    attribute(DW_AT_data_member_location, DW_FORM_data1, 255)),
                            die(
                                    DW_TAG_member,
                                    name("implicit"),
                                    attribute(DW_AT_data_member_location, DW_FORM_implicit_const, 12)),
                            die(DW_TAG_member, name("none")),
                            place("computed", DW_FORM_exprloc, blob(DW_OP_deref)))));
            List<Member> members = Answers.aggregate(sections, "places").members();
            assertThat(members.get(0).location()).isEqualTo(new MemberLocation.Fixed(1600));
            assertThat(members.get(1).location()).isEqualTo(new MemberLocation.Fixed(64));
            assertThat(members.get(3).location()).isEqualTo(new MemberLocation.Fixed(2040));
            assertThat(members.get(4).location()).isEqualTo(new MemberLocation.Fixed(96));
            assertThat(members.get(5).location()).isEqualTo(new MemberLocation.Fixed(0));
            assertThat(members.get(6).location()).isInstanceOf(MemberLocation.Computed.class);
            // DW_OP_constu 9, DW_OP_plus: the reader may or may not evaluate it, but must not return another number.
            assertThat(members.get(2).location())
                    .satisfiesAnyOf(
                            place -> assertThat(place).isEqualTo(new MemberLocation.Fixed(72)),
                            place -> assertThat(place).isInstanceOf(MemberLocation.Computed.class));
        }
    }

    /**
     * GCC 2 to 4.3 wrote {@code DW_OP_constu} for MIPS, Alpha and OpenBSD. The letter makes an address of it, which no
     * member of a type has.
     */
    @Test
    void locationThatIsOneConstantIsThatOffset() throws IOException, ExtractionException {
        for (DwarfStyle style : STYLES) {
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unit(struct(
                            "places",
                            500,
                            place("constu", DW_FORM_block1, blob(DW_OP_constu, 0x88, 0x03)),
                            place("lit", DW_FORM_block1, blob(DW_OP_lit0 + 4)),
                            place("const1u", DW_FORM_block1, blob(DW_OP_const1u, 0xfe)),
                            place("consts", DW_FORM_block1, blob(DW_OP_consts, 0x88, 0x03)),
                            place("negative", DW_FORM_block1, blob(DW_OP_consts, 0x7f)),
                            place("cut", DW_FORM_block1, blob(DW_OP_constu, 8, DW_OP_deref)),
                            place("after", DW_FORM_block1, blob(DW_OP_plus_uconst, 8, DW_OP_constu, 8)))));
            List<Member> members = Answers.aggregate(sections, "places").members();
            assertThat(members.subList(0, 4))
                    .extracting(Member::location)
                    .containsExactly(
                            new MemberLocation.Fixed(392 * 8),
                            new MemberLocation.Fixed(4 * 8),
                            new MemberLocation.Fixed(254 * 8),
                            new MemberLocation.Fixed(392 * 8));
            assertThat(members.subList(4, 7))
                    .extracting(Member::location)
                    .allSatisfy(location -> assertThat(location).isInstanceOf(MemberLocation.Computed.class));
        }
    }

    private static Die place(String name, int form, Value expression) {
        return die(DW_TAG_member, name(name), attribute(DW_AT_data_member_location, form, expression));
    }

    /** Codes may be any numbers, in any order (DWARF 5 §7.5.3). */
    @Test
    void abbreviationCodesNeedNotBeDense() throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        die(DW_TAG_base_type, code(0x7fff_ffff_ffffL), label("int"), name("int"), byteSize(4)),
                        die(
                                DW_TAG_structure_type,
                                code(70_000),
                                name("sparse"),
                                byteSize(4),
                                die(DW_TAG_member, code(69_999), name("i"), type("int"), memberLocation(0)))));
        assertThat(Answers.aggregate(sections, "sparse").members()).hasSize(1);
    }

    /** The skipped attributes take more bytes than one step of a skip plan can cover. */
    @Test
    void manySkippedAttributesAreSkippedExactly() throws IOException, ExtractionException {
        for (int count : List.of(15, 16, 17, 31, 32, 63, 64, 127, 128, 255, 256, 900)) {
            Part[] parts = new Part[count + 2];
            for (int i = 0; i < count; i++) {
                parts[i] = attribute(DW_AT_UNKNOWN, i % 3 == 0 ? DW_FORM_data8 : DW_FORM_data16, i);
            }
            parts[count] = name("after");
            parts[count + 1] = byteSize(count);
            DwarfSections sections = DwarfWriter.write(DwarfStyle.DEFAULT, unit(die(DW_TAG_structure_type, parts)));
            assertThat(Answers.aggregate(sections, "after").byteSize()).isEqualTo(count);
        }
    }

    /** Units of different versions may share a file and an abbreviation table. */
    @Test
    void unitsOfEveryVersionShareOneFile() throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit("two.c", DW_LANG_C99, die(DW_TAG_structure_type, name("two"), byteSize(2)))
                        .in(2),
                unit("three.c", DW_LANG_C99, die(DW_TAG_structure_type, name("three"), byteSize(3)))
                        .in(3),
                unit("four.c", DW_LANG_C99, die(DW_TAG_structure_type, name("four"), byteSize(4)))
                        .in(4),
                unit("five.c", DW_LANG_C99, die(DW_TAG_structure_type, name("five"), byteSize(5))));
        assertThat(Answers.all(sections))
                .extracting(definition -> definition.name() + definition.shape().byteSize() + definition.unit())
                .containsExactly("two2two.c", "three3three.c", "four4four.c", "five5five.c");
    }

    /**
     * DIEs of pointers to members have no size, so it follows from the ABI: an offset, or two words for a function
     * (Itanium C++ ABI §2.3).
     */
    @Test
    void pointersToMembersHaveTheSizesOfTheAbi() throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT,
                unit(
                        "cpp.cc",
                        DW_LANG_C_plus_plus_14,
                        baseType("int", 4, DW_ATE_signed),
                        die(DW_TAG_subroutine_type, label("method"), type("int")),
                        die(DW_TAG_ptr_to_member_type, label("toMethod"), type("method")),
                        die(DW_TAG_ptr_to_member_type, label("toData"), type("int")),
                        die(DW_TAG_ptr_to_member_type, label("stated"), type("int"), byteSize(4)),
                        struct(
                                "holder",
                                32,
                                member("method", "toMethod", 0),
                                member("data", "toData", 16),
                                member("stated", "stated", 24))));
        assertThat(Answers.aggregate(sections, "holder").members())
                .extracting(member -> member.type().byteSize())
                .containsExactly(16L, 8L, 4L);
    }
}
