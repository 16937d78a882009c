package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.AliasShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.LayoutEquality;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.layout.Variant.ValueRange;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.math.BigInteger;
import java.nio.ByteOrder;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Members whose numbers do not mean what those of other members mean. */
class UnusualMembersTests {

    private static final MemberLocation AT_START = new MemberLocation.Fixed(0);

    private static DwarfSections written(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units);
    }

    private static List<Member> members(String type, Unit... units) throws IOException, ExtractionException {
        return Answers.aggregate(written(units), type).members();
    }

    private static Member named(String name, List<Member> members) {
        return members.stream()
                .filter(member -> name.equals(member.name()))
                .findFirst()
                .orElseThrow();
    }

    @Nested
    class BitFields {

        private static final String PLACE = "the place of these %d bits does not follow from DW_AT_bit_offset";

        /** LLVM states the bytes and bits of the storage unit if the size of a member is not that of its type. */
        private static Die wide(String type, long storage, int bits, long fromMost, long location) {
            return die(
                    DW_TAG_member,
                    name("wide"),
                    type(type),
                    byteSize(storage),
                    attribute(DW_AT_bit_size, DW_FORM_udata, bits),
                    attribute(DW_AT_bit_offset, DW_FORM_sdata, fromMost),
                    attribute(DW_AT_data_member_location, DW_FORM_data8, location));
        }

        private static Member wide(String type, long size, Die member) throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            baseType("char", 1, DW_ATE_unsigned),
                            baseType("int", 4, DW_ATE_signed),
                            die(
                                    DW_TAG_array_type,
                                    label(type),
                                    type("char"),
                                    die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 56))),
                            struct("pair", 24, member("a", "int", 0)),
                            struct("s", size, member("sound", "int", 8), member)));
            assertThat(named("sound", members).location()).isEqualTo(new MemberLocation.Fixed(64));
            return named("wide", members);
        }

        /** Crystal states the sizes of arrays in bits as bytes, so LLVM counts from 48 bits before the struct. */
        @Test
        void placeBeforeTheStructIsCountedModulo64Bits() throws IOException, ExtractionException {
            Member array = wide("array", 56, wide("array", 7, 448, -440, 0x1fff_ffff_ffff_fffaL));

            assertThat(array.location()).isEqualTo(AT_START);
            assertThat(array.isBitField()).isFalse();
        }

        /** rustc up to 1.31, of a niche. */
        @Test
        void structOfFewerBitsThanItsTypeIsWhereItsAttributesLead() throws IOException, ExtractionException {
            assertThat(wide("array", 24, wide("pair", 24, 64, 0, 0x1fff_ffff_ffff_fff0L))
                            .location())
                    .isEqualTo(AT_START);
        }

        /** LLVM states a storage unit of 1 byte for an array of 12 bytes, and counts from one of 12 bits. */
        @Test
        void arrayThatIsNotAtAByteIsUnsupported() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("array", 1, 96, -92, 7)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(96)));
        }

        /** The unit of an array of 2 bytes has 2 bits for Crystal; that of the type would lead 14 bits too far. */
        @Test
        void unitOfLessThanAByteIsNotThatOfTheType() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("array", 0, 16, -14, 17)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(16)));
            assertThat(wide("array", 56, wide("array", 0, 448, -440, 0)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(448)));
        }

        @Test
        void arrayThatIsNotInItsStructIsUnsupported() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("array", 7, 448, -440, 2)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(448)));
        }

        @Test
        void moreBitsThanAnyScalarHasNeedAPlaceInTheStruct() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("int", 4, 480, 0, 0)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(480)));
        }

        @ParameterizedTest
        @ValueSource(longs = {1L << 31, Long.MIN_VALUE, -1})
        void bitSizeThatNoMemberHasIsUnsupported(long bits) throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            baseType("int", 4, DW_ATE_signed),
                            struct(
                                    "s",
                                    8,
                                    die(
                                            DW_TAG_member,
                                            name("odd"),
                                            type("int"),
                                            attribute(DW_AT_bit_size, DW_FORM_udata, bits)),
                                    member("sound", "int", 4))));

            assertThat(named("odd", members).location())
                    .isEqualTo(new MemberLocation.Unsupported("DW_AT_bit_size is " + Long.toUnsignedString(bits)));
            assertThat(named("sound", members).byteOffset()).isEqualTo(4);
        }

        /** Ada packs arrays to any bit; since DWARF 4, their place is stated as it is. */
        @Test
        void packedArrayMayBeginAtAnyBit() throws IOException, ExtractionException {
            Die packed = die(
                    DW_TAG_member,
                    name("wide"),
                    type("array"),
                    attribute(DW_AT_bit_size, DW_FORM_data1, 5),
                    attribute(DW_AT_data_bit_offset, DW_FORM_data1, 3));

            assertThat(wide("array", 56, packed).location()).isEqualTo(new MemberLocation.Fixed(3));
        }

        private static Die placed(String type, int bits, long bitOffset) {
            return die(
                    DW_TAG_member,
                    name("wide"),
                    type(type),
                    attribute(DW_AT_bit_size, DW_FORM_udata, bits),
                    attribute(DW_AT_data_bit_offset, DW_FORM_udata, bitOffset));
        }

        @ParameterizedTest
        @ValueSource(longs = {Long.MAX_VALUE, Long.MIN_VALUE, -1})
        void dataBitOffsetThatNoObjectHasIsUnsupported(long bitOffset) throws IOException, ExtractionException {
            assertThat(wide("array", 56, placed("int", 3, bitOffset)).location())
                    .isEqualTo(new MemberLocation.Unsupported("DW_AT_data_bit_offset is "
                            + Long.toUnsignedString(bitOffset) + "; no object is that large"));
        }

        @Test
        void bitFieldOfAScalarBeforeItsStructIsUnsupported() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("int", 4, 3, 40, 0)).location())
                    .isEqualTo(new MemberLocation.Unsupported(PLACE.formatted(3)));
        }

        @Test
        void storageUnitThatNoObjectHasIsUnsupported() throws IOException, ExtractionException {
            assertThat(wide("array", 56, wide("int", 1L << 61, 3, 0, 0)).location())
                    .isEqualTo(new MemberLocation.Unsupported("DW_AT_byte_size is 2305843009213693952 and"
                            + " DW_AT_bit_offset 0; no object is that large"));
        }

        @Test
        void dataBitOffsetOfAnArrayBehindItsStructIsUnsupported() throws IOException, ExtractionException {
            assertThat(wide("array", 56, placed("array", 440, 16)).location())
                    .isEqualTo(new MemberLocation.Unsupported(
                            "DW_AT_data_bit_offset is 16; the type has no 440 bits there"));
        }
    }

    @Nested
    class InstanceVariables {

        private static final MemberLocation SET_AT_RUN_TIME =
                new MemberLocation.Computed("set by the Objective-C runtime");

        private static final Die INT = baseType("int", 4, DW_ATE_signed);

        private static Die inheritance(String type) {
            return die(DW_TAG_inheritance, type(type), memberLocation(0));
        }

        private static Part runtimeClass() {
            return attribute(DW_AT_APPLE_runtime_class, DW_FORM_data1, DW_LANG_ObjC);
        }

        private static List<MemberLocation> places(int language, Die type, Die... others)
                throws IOException, ExtractionException {
            Part[] parts = Stream.concat(Stream.of(INT), Stream.concat(Arrays.stream(others), Stream.of(type)))
                    .toArray(Part[]::new);
            return members("T", unit("t.m", language, parts)).stream()
                    .map(Member::location)
                    .toList();
        }

        @Test
        void variablesThatShareTheStartAreComputed() throws IOException, ExtractionException {
            Die type = struct("T", 16, member("isa", "int", 0), member("b", "int", 0), member("c", "int", 12));

            assertThat(places(DW_LANG_ObjC, type))
                    .containsExactly(SET_AT_RUN_TIME, SET_AT_RUN_TIME, new MemberLocation.Fixed(96));
            assertThat(places(DW_LANG_ObjC_plus_plus, type)).startsWith(SET_AT_RUN_TIME);
            assertThat(places(DW_LANG_C99, type)).startsWith(AT_START);
        }

        @Test
        void markOfTheClassCountsInAnyUnit() throws IOException, ExtractionException {
            Die type = struct("T", 16, runtimeClass(), member("isa", "int", 0), member("b", "int", 0));

            assertThat(places(DW_LANG_C99, type)).containsOnly(SET_AT_RUN_TIME);
        }

        /** Each struct holds the one before it twice; a walk over all of them would take 2^60 steps. */
        @Test
        @Timeout(60)
        void structsOfStructsAreLookedAtOnceEach() throws IOException, ExtractionException {
            Die[] structs = new Die[60];
            structs[0] = struct("T0", 1);
            for (int i = 1; i < structs.length; i++) {
                structs[i] = struct("T" + i, 2, member("a", "T" + (i - 1), 0), member("b", "T" + (i - 1), 1));
            }

            assertThat(places(
                            DW_LANG_ObjC_plus_plus,
                            struct("T", 4, member("a", "T59", 0), member("b", "T58", 2)),
                            structs))
                    .containsExactly(AT_START, new MemberLocation.Fixed(16));
        }

        @Test
        void variableThatSharesTheStartWithTheSuperclassIsComputed() throws IOException, ExtractionException {
            Die base = struct("Base", 8, member("isa", "int", 0));
            Die bits = bitField("bits", "int", 4, 0, 3);

            assertThat(places(DW_LANG_ObjC, struct("T", 16, inheritance("Base"), member("e", "int", 0)), base))
                    .containsExactly(AT_START, SET_AT_RUN_TIME);
            assertThat(places(DW_LANG_ObjC, struct("T", 16, inheritance("Base"), bits), base))
                    .containsExactly(AT_START, SET_AT_RUN_TIME);
        }

        @Test
        void onlyVariableAtTheStartStays() throws IOException, ExtractionException {
            assertThat(places(DW_LANG_ObjC, struct("T", 16, runtimeClass(), member("isa", "int", 0))))
                    .containsExactly(AT_START);
        }

        /** GCC and the fragile runtimes write the offsets. */
        @Test
        void variablesAtDifferentPlacesStay() throws IOException, ExtractionException {
            Die base = struct("Base", 8, member("isa", "int", 0));

            assertThat(places(DW_LANG_ObjC, struct("T", 16, inheritance("Base"), member("e", "int", 8)), base))
                    .containsExactly(AT_START, new MemberLocation.Fixed(64));
        }

        @Test
        void superclassThatGccWritesAsAMemberStaysWithVariablesInItsPadding() throws IOException, ExtractionException {
            Die base = struct("Base", 8, member("isa", "int", 0));
            Die superclass = die(DW_TAG_member, type("Base"), memberLocation(0));

            assertThat(places(DW_LANG_ObjC, struct("T", 16, superclass, member("e", "int", 4)), base))
                    .containsExactly(AT_START, new MemberLocation.Fixed(32));
        }

        /** An empty class of C++ has a byte; it may share the place of another member. */
        @Test
        void emptyClassesShareTheStart() throws IOException, ExtractionException {
            Die empty = struct("Empty", 1);
            Die derived = struct("Derived", 1, inheritance("Empty"));

            assertThat(places(
                            DW_LANG_ObjC_plus_plus,
                            struct(
                                    "T",
                                    4,
                                    inheritance("Derived"),
                                    member("no_unique_address", "Empty", 0),
                                    member("a", "int", 0)),
                            empty,
                            derived))
                    .containsOnly(AT_START);
        }

        @Test
        void membersOfUnionsAndBitFieldsShareTheStart() throws IOException, ExtractionException {
            assertThat(places(
                            DW_LANG_ObjC,
                            die(
                                    DW_TAG_union_type,
                                    name("T"),
                                    byteSize(4),
                                    member("a", "int", 0),
                                    member("b", "int", 0))))
                    .containsOnly(AT_START);
            assertThat(places(
                            DW_LANG_ObjC, struct("T", 4, bitField("a", "int", 4, 0, 3), bitField("b", "int", 4, 3, 4))))
                    .containsExactly(AT_START, new MemberLocation.Fixed(3));
        }

        /** Zero-sized members and variants of Rust. */
        @Test
        void membersWithoutContentsAndVariantsShareTheStart() throws IOException, ExtractionException {
            Die type = struct(
                    "T",
                    8,
                    runtimeClass(),
                    member("marker", "Marker", 0),
                    die(
                            DW_TAG_variant_part,
                            die(DW_TAG_variant, member("A", "int", 0)),
                            die(DW_TAG_variant, member("B", "int", 0))));

            assertThat(places(DW_LANG_Rust, type, struct("Marker", 0))).containsOnly(AT_START);
        }
    }

    @Nested
    class ByteOrders {

        private static Die base(String label, Attribute order) {
            return die(
                    DW_TAG_base_type,
                    label(label),
                    name("unsigned int"),
                    byteSize(4),
                    encoding(DW_ATE_unsigned),
                    order);
        }

        private static Attribute endianity(int order) {
            return attribute(DW_AT_endianity, DW_FORM_data1, order);
        }

        private static TypeShape typeOf(ByteOrder file, Attribute order) throws IOException, ExtractionException {
            DwarfStyle style = DwarfStyle.all()
                    .filter(one -> one.order() == file && one.version() == 4)
                    .findFirst()
                    .orElseThrow();
            DwarfSections sections =
                    DwarfWriter.write(style, unit(base("number", order), struct("s", 4, member("a", "number", 0))));
            return Answers.aggregate(sections, "s").members().getFirst().type();
        }

        @Test
        void orderOfTheFileIsNotSaid() throws IOException, ExtractionException {
            assertThat(typeOf(ByteOrder.LITTLE_ENDIAN, endianity(0)).byteOrder())
                    .isNull();
            assertThat(typeOf(ByteOrder.LITTLE_ENDIAN, endianity(2)).byteOrder())
                    .isNull();
            assertThat(typeOf(ByteOrder.BIG_ENDIAN, endianity(1)).byteOrder()).isNull();
        }

        @Test
        void otherOrderIsThatOfTheMember() throws IOException, ExtractionException {
            assertThat(typeOf(ByteOrder.LITTLE_ENDIAN, endianity(1)).byteOrder())
                    .isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(typeOf(ByteOrder.BIG_ENDIAN, endianity(2)).byteOrder()).isEqualTo(ByteOrder.LITTLE_ENDIAN);
            assertThat(typeOf(ByteOrder.LITTLE_ENDIAN, attribute(DW_AT_INTEL_other_endian, DW_FORM_flag, 1))
                            .byteOrder())
                    .isEqualTo(ByteOrder.BIG_ENDIAN);
        }

        /** GCC 12 states no order for enumerations, and single bytes have none. */
        @Test
        void enumerationHasTheOrderOfTheNumbersBesideIt() throws IOException, ExtractionException {
            AggregateShape struct = Answers.aggregate(
                    written(unit(
                            base("number", endianity(1)),
                            baseType("char", 1, DW_ATE_signed_char),
                            die(DW_TAG_enumeration_type, label("e"), name("e"), byteSize(4)),
                            struct("s", 12, member("a", "number", 0), member("c", "char", 4), member("b", "e", 8)))),
                    "s");
            assertThat(struct.members())
                    .extracting(member -> member.type().byteOrder())
                    .containsExactly(ByteOrder.BIG_ENDIAN, null, ByteOrder.BIG_ENDIAN);
        }

        @Test
        void orderThatOnlyItsVendorKnowsIsUnsupported() throws IOException, ExtractionException {
            assertThat(typeOf(ByteOrder.LITTLE_ENDIAN, endianity(0x40)).unsupported())
                    .isEqualTo("unsupported DW_AT_endianity 0x40");
        }

        @Test
        void layoutsInTwoOrdersDiffer() throws IOException, ExtractionException {
            List<Definition> definitions = Answers.all(written(
                    unit("a.c", DW_LANG_C99, base("n", endianity(1)), struct("s", 4, member("a", "n", 0))),
                    unit(
                            "b.c",
                            DW_LANG_C99,
                            baseType("m", 4, DW_ATE_unsigned),
                            die(DW_TAG_structure_type, name("s"), byteSize(4), member("a", "m", 0)))));
            List<TypeShape> structs = definitions.stream()
                    .map(Definition::shape)
                    .filter(AggregateShape.class::isInstance)
                    .toList();

            assertThat(structs).hasSize(2);
            assertThat(new LayoutEquality().areEqual(structs.getFirst(), structs.getLast()))
                    .isFalse();
        }

        /** A member may state it itself; elements of arrays and enumerations have it, pointers keep that of the machine. */
        @Test
        void everyScalarOfTheStructHasTheOrder() throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            base("number", endianity(1)),
                            typedef("named", "number"),
                            die(
                                    DW_TAG_array_type,
                                    label("array"),
                                    type("named"),
                                    die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 3))),
                            die(DW_TAG_enumeration_type, label("e"), name("e"), byteSize(4)),
                            die(DW_TAG_pointer_type, label("pointer"), type("number")),
                            struct(
                                    "s",
                                    32,
                                    member("array", "array", 0),
                                    member("e", "e", 12),
                                    member("pointer", "pointer", 16)),
                            baseType("char", 1, DW_ATE_signed_char),
                            struct(
                                    "stated",
                                    2,
                                    die(DW_TAG_member, name("c"), type("char"), memberLocation(0), endianity(1)),
                                    member("d", "char", 1))));

            assertThat(named("array", members).type().byteOrder()).isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(named("e", members).type().byteOrder()).isEqualTo(ByteOrder.BIG_ENDIAN);
            assertThat(named("pointer", members).type().byteOrder()).isNull();
        }
    }

    @Nested
    class TagsOfTypes {

        @Test
        void templateAliasIsFollowedLikeATypedef() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    "a.cc",
                    DW_LANG_C_plus_plus_14,
                    baseType("int", 4, DW_ATE_signed),
                    struct("Arr<int>", 8, member("l", "int", 4)),
                    die(
                            DW_TAG_template_alias,
                            label("alias"),
                            name("Al"),
                            type("Arr<int>"),
                            die(DW_TAG_template_type_parameter, type("int"))),
                    struct("Holder", 16, member("m", "alias", 8))));

            Member member = Answers.aggregate(sections, "Holder").members().getFirst();
            assertThat(member.type().peeled().byteSize()).isEqualTo(8);
            assertThat(member.type().spelling()).isEqualTo("Al<int>");
            assertThat(Answers.definition(sections, "Al<int>").shape()).isInstanceOf(AliasShape.class);
        }

        @ParameterizedTest
        @ValueSource(ints = {DW_TAG_LLVM_ptrauth_type, 0x8765, 0x8766, 0x8767, 0x5111})
        void qualifierOfAVendorIsFollowedLikeConst(int tag) throws IOException, ExtractionException {
            Member member = members(
                            "s",
                            unit(
                                    baseType("int", 4, DW_ATE_signed),
                                    die(tag, label("qualified"), type("int")),
                                    struct("s", 8, member("m", "qualified", 4))))
                    .getFirst();

            assertThat(member.byteOffset()).isEqualTo(4);
            assertThat(member.type().byteSize()).isEqualTo(4);
            assertThat(member.type().spelling()).isEqualTo("int");
        }

        @Test
        void memberOfATypeThatIsNotKnownIsUnsupportedByTheNameOfTheTag() throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            baseType("int", 4, DW_ATE_signed),
                            die(DW_TAG_coarray_type, label("co"), type("int")),
                            die(0x7abc, label("vendor"), type("int")),
                            typedef("alias", "vendor"),
                            die(
                                    DW_TAG_array_type,
                                    label("array"),
                                    type("alias"),
                                    die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 3))),
                            die(DW_TAG_pointer_type, label("pointer"), type("vendor")),
                            struct(
                                    "s",
                                    64,
                                    member("co", "co", 0),
                                    member("array", "array", 8),
                                    member("pointer", "pointer", 24),
                                    member("sound", "int", 32))));

            assertThat(named("co", members).location())
                    .isEqualTo(new MemberLocation.Unsupported("its type is an unsupported DW_TAG_coarray_type"));
            assertThat(named("array", members).location())
                    .isEqualTo(new MemberLocation.Unsupported("its type is an unsupported DW_TAG_0x7abc"));
            assertThat(named("pointer", members).byteOffset()).isEqualTo(24);
            assertThat(named("pointer", members).type().spelling()).isEqualTo("DW_TAG_0x7abc *");
            assertThat(named("sound", members).byteOffset()).isEqualTo(32);
        }

        /** clang 3.9 wrote the size of classes that it only declared. */
        @Test
        void declarationWithASizeHasIt() throws IOException, ExtractionException {
            List<Member> members = members(
                    "path",
                    unit(
                            "p.cc",
                            DW_LANG_C_plus_plus_14,
                            die(DW_TAG_class_type, label("string"), name("string"), byteSize(32), declaration()),
                            die(DW_TAG_class_type, label("opaque"), name("opaque"), byteSize(0), declaration()),
                            struct("path", 40, member("narrow", "string", 0), member("opaque", "opaque", 32))));

            assertThat(named("narrow", members).type().byteSize()).isEqualTo(32);
            assertThat(named("opaque", members).type().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
        }
    }

    @Nested
    class Discriminants {

        private static final BigInteger TWO_TO_64 = BigInteger.ONE.shiftLeft(64);

        private static List<List<ValueRange>> values(int encoding, Attribute... values)
                throws IOException, ExtractionException {
            return values(
                    16,
                    encoding,
                    List.of(
                            attribute(DW_AT_discr, DW_FORM_ref4, new Ref("discriminant")),
                            die(DW_TAG_member, label("discriminant"), type("wide"), memberLocation(0))),
                    values);
        }

        private static List<List<ValueRange>> values(
                int bytes, int encoding, List<Part> discriminant, Attribute... values)
                throws IOException, ExtractionException {
            Part[] variants = Stream.concat(
                            discriminant.stream(),
                            Arrays.stream(values).map(value -> die(DW_TAG_variant, value, member("v", "wide", 0))))
                    .toArray(Part[]::new);
            AggregateShape part = (AggregateShape) members(
                            "s",
                            unit(
                                    "s.rs",
                                    DW_LANG_Rust,
                                    baseType("wide", bytes, encoding),
                                    struct("s", 32, die(DW_TAG_variant_part, variants))))
                    .getFirst()
                    .type();
            return part.members().stream()
                    .filter(member -> member.variant() != null)
                    .map(member -> member.variant().values())
                    .toList();
        }

        private static Attribute value(int... bytes) {
            return attribute(DW_AT_discr_value, DW_FORM_block1, blob(bytes));
        }

        @Test
        void valuesOfMoreThan64BitsAreKept() throws IOException, ExtractionException {
            assertThat(values(
                            DW_ATE_unsigned,
                            value(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
                            value(0, 0, 0, 0, 0, 0, 0, 0x80, 0, 0, 0, 0, 0, 0, 0, 0),
                            value(7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)))
                    .containsExactly(
                            List.of(new ValueRange(TWO_TO_64, TWO_TO_64)),
                            List.of(new ValueRange(BigInteger.ONE.shiftLeft(63), BigInteger.ONE.shiftLeft(63))),
                            List.of(new ValueRange(7, 7)));
            assertThat(values(
                            DW_ATE_signed,
                            value(0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff)))
                    .containsExactly(List.of(new ValueRange(TWO_TO_64.negate(), TWO_TO_64.negate())));
        }

        /** DWARF 5 §5.7.10: a variant part without a member for the discriminant has the type of the discriminant. */
        @Test
        void valuesAreOfTheTypeOfAPartWithoutDiscriminant() throws IOException, ExtractionException {
            Attribute value = attribute(DW_AT_discr_value, DW_FORM_data1, 0xff);

            assertThat(values(1, DW_ATE_signed, List.of(type("wide")), value))
                    .containsExactly(List.of(new ValueRange(-1, -1)));
            assertThat(values(1, DW_ATE_unsigned, List.of(type("wide")), value))
                    .containsExactly(List.of(new ValueRange(255, 255)));
        }

        /** A block is read as a number of 64 bits if its upper half only repeats a sign. */
        @Test
        void valueWithoutASignIsNotNegative() throws IOException, ExtractionException {
            int[] ones = new int[16];
            Arrays.fill(ones, 0xff);
            BigInteger most = BigInteger.ONE.shiftLeft(128).subtract(BigInteger.ONE);

            assertThat(values(DW_ATE_unsigned, value(ones))).containsExactly(List.of(new ValueRange(most, most)));
            assertThat(values(DW_ATE_signed, value(ones))).containsExactly(List.of(new ValueRange(-1, -1)));
        }

        @Test
        void listsHaveValuesOfMoreThan64Bits() throws IOException, ExtractionException {
            // 2^70 to 2^70 + 1, and the label 3.
            assertThat(values(
                            DW_ATE_unsigned,
                            attribute(
                                    DW_AT_discr_list,
                                    DW_FORM_block1,
                                    blob(
                                            1, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0x81,
                                            0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 0x80, 1, 0, 3))))
                    .containsExactly(List.of(
                            new ValueRange(
                                    BigInteger.ONE.shiftLeft(70),
                                    BigInteger.ONE.shiftLeft(70).add(BigInteger.ONE)),
                            new ValueRange(3, 3)));
        }

        @Test
        void onlyTheVariantWithoutAValueIsTheDefault() throws IOException, ExtractionException {
            assertThat(values(
                            DW_ATE_unsigned,
                            value(0, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0),
                            attribute(DW_AT_alignment, DW_FORM_data1, 16)))
                    .extracting(List::isEmpty)
                    .containsExactly(false, true);
        }
    }

    @Nested
    class Forms {

        private static Die located(String name, int form, long value) {
            return die(DW_TAG_member, name(name), type("int"), attribute(DW_AT_data_member_location, form, value));
        }

        /** A location list depends on where the program is (DWARF 5 §7.5.5, table 7.5): its index is not an offset. */
        @ParameterizedTest
        @ValueSource(ints = {DW_FORM_loclistx, DW_FORM_sec_offset})
        void memberWithALocationListIsComputed(int form) throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            baseType("int", 4, DW_ATE_signed),
                            struct("s", 16, located("list", form, 3), member("next", "int", 8))));

            assertThat(named("list", members).location()).isEqualTo(new MemberLocation.Computed("location expression"));
            assertThat(named("next", members).location()).isEqualTo(new MemberLocation.Fixed(64));
        }

        private static Attribute no(int flag) {
            return attribute(flag, DW_FORM_flag, 0);
        }

        /** {@code DW_FORM_flag} has a value (DWARF 5 §7.5.5): a flag may be there and false. */
        @Test
        void flagThatIsFalseIsLikeOneThatIsAbsent() throws IOException, ExtractionException {
            List<Member> members = members(
                    "s",
                    unit(
                            baseType("int", 4, DW_ATE_signed),
                            struct(
                                    "s",
                                    8,
                                    no(DW_AT_declaration),
                                    die(DW_TAG_member, name("a"), type("int"), no(DW_AT_external), memberLocation(0)),
                                    die(
                                            DW_TAG_member,
                                            name("b"),
                                            type("int"),
                                            no(DW_AT_declaration),
                                            memberLocation(4)))));

            assertThat(members).extracting(Member::name).containsExactly("a", "b");
        }
    }
}
