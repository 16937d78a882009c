package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.Answers;
import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.SparseFiles;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.BaseShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.Enumerator;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.HostileRun;
import dev.offsetd.extractor.testkit.LimitsWith;
import java.io.IOException;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Malicious debug information: cycles, deep nesting, extreme numbers, and small files that cause much work. */
@ChecklistRow(2)
class HostileDwarfTests {

    @TempDir
    private Path folder;

    private static DwarfSections written(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT.withSiblings(false), units);
    }

    private static void assertMalformed(DwarfSections sections, String problem) {
        assertThatThrownBy(() -> Answers.all(sections))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining(problem);
    }

    private static void assertLeftOut(DwarfSections sections, String problem) throws IOException, ExtractionException {
        assertThat(Answers.catalogue(sections).omissions())
                .anySatisfy(omission -> assertThat(omission.places()).anyMatch(place -> place.endsWith(problem)));
    }

    private void assertLimit(DwarfSections sections, Limits limits, String limit) throws IOException {
        Path file = sections.writeTo(folder.resolve("file"));
        assertThatThrownBy(() -> DebugInfo.read(file, new ReadOptions(limits, 1), DebugInfo::extractAll))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(limit));
    }

    private static Die refers(int tag, String label, String target) {
        return die(tag, label(label), type(target));
    }

    private static Unit cpp(Part... parts) {
        return unit("test.cc", DW_LANG_C_plus_plus_14, parts);
    }

    @Nested
    class Cycles {

        @ParameterizedTest
        @ValueSource(
                ints = {
                    DW_TAG_const_type,
                    DW_TAG_volatile_type,
                    DW_TAG_restrict_type,
                    DW_TAG_atomic_type,
                    DW_TAG_typedef
                })
        void ofOneQualifierIsLeftOut(int tag) throws IOException, ExtractionException {
            assertLeftOut(
                    written(unit(refers(tag, "a", "b"), refers(tag, "b", "a"), struct("s", 4, member("m", "a", 0)))),
                    "a type refers to itself");
        }

        @Test
        void ofBaseClassesIsLeftOut() throws IOException, ExtractionException {
            assertLeftOut(
                    written(cpp(
                            struct("a", 4, die(DW_TAG_inheritance, type("b"), memberLocation(0))),
                            struct("b", 4, die(DW_TAG_inheritance, type("a"), memberLocation(0))))),
                    "a type contains itself by value");
        }

        @Test
        void ofStructsByValueIsLeftOut() throws IOException, ExtractionException {
            assertLeftOut(
                    written(unit(struct("a", 4, member("m", "b", 0)), struct("b", 4, member("m", "a", 0)))),
                    "a type contains itself by value");
        }

        @Test
        void ofTemplatesAndTheirArgumentsIsRefused() throws IOException {
            assertLimit(
                    written(cpp(
                            struct("a", 4, die(DW_TAG_template_type_parameter, type("b"))),
                            struct("b", 4, die(DW_TAG_template_type_parameter, type("a"))))),
                    Limits.DEFAULT,
                    "maxTypeDepth");
        }

        @Test
        void ofATemplateAndATypeInItIsRefused() throws IOException {
            assertLimit(
                    written(cpp(struct(
                            "a",
                            4,
                            die(DW_TAG_template_type_parameter, type("inner")),
                            struct("inner", 4, member("m", "a", 0))))),
                    Limits.DEFAULT,
                    "maxTypeDepth");
        }

        @Test
        void ofArraysIsLeftOut() throws IOException, ExtractionException {
            assertLeftOut(
                    written(unit(
                            refers(DW_TAG_array_type, "a", "b"),
                            refers(DW_TAG_array_type, "b", "a"),
                            struct("s", 4, member("m", "a", 0)))),
                    "a type contains itself by value");
        }

        /** A cycle of unnamed pointers has an infinite spelling. C cannot declare one. */
        @Test
        void ofPointersWithoutNamesIsLeftOut() throws IOException, ExtractionException {
            assertLeftOut(
                    written(unit(
                            refers(DW_TAG_pointer_type, "a", "b"),
                            refers(DW_TAG_pointer_type, "b", "a"),
                            struct("s", 8, member("m", "a", 0)))),
                    "a type refers to itself");
        }

        @Test
        void ofFunctionPointersWithoutNamesIsRefused() throws IOException {
            assertLimit(
                    written(unit(
                            refers(DW_TAG_pointer_type, "pointer", "function"),
                            die(
                                    DW_TAG_subroutine_type,
                                    label("function"),
                                    die(DW_TAG_formal_parameter, type("pointer"))),
                            struct("s", 8, member("m", "pointer", 0)))),
                    Limits.DEFAULT,
                    "maxTypeDepth");
        }

        /** The closest equivalent in C: the cycle goes through a named type, which ends the spelling. */
        @Test
        void ofFunctionPointersThroughANameIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    struct("handler", 8, member("call", "pointer", 0)),
                    typedef("handler_t", "handler"),
                    refers(DW_TAG_pointer_type, "handler_t *", "handler_t"),
                    refers(DW_TAG_pointer_type, "pointer", "function"),
                    die(
                            DW_TAG_subroutine_type,
                            label("function"),
                            attribute(DW_AT_prototyped, DW_FORM_flag_present, 1),
                            type("handler_t *"),
                            die(DW_TAG_formal_parameter, type("handler_t *")))));
            assertThat(Answers.aggregate(sections, "handler")
                            .members()
                            .getFirst()
                            .type()
                            .spelling())
                    .isEqualTo("handler_t *(*)(handler_t *)");
        }

        @Test
        void ofSpecificationsIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(cpp(
                    die(
                            DW_TAG_structure_type,
                            label("a"),
                            byteSize(4),
                            attribute(DW_AT_specification, DW_FORM_ref4, new Ref("b"))),
                    die(
                            DW_TAG_structure_type,
                            label("b"),
                            byteSize(4),
                            attribute(DW_AT_specification, DW_FORM_ref4, new Ref("a"))),
                    struct("s", 4)));
            assertThat(Answers.aggregate(sections, "s").byteSize()).isEqualTo(4);
        }

        @Test
        void ofNamespacesIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(cpp(die(
                    DW_TAG_namespace,
                    label("n"),
                    attribute(DW_AT_abstract_origin, DW_FORM_ref4, new Ref("n")),
                    struct("s", 4))));
            assertThat(Answers.definition(sections, "s").qualifiedName()).isEqualTo("(anonymous namespace)::s");
        }

        @Test
        void ofImportedUnitsIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(
                    unitOf(die(
                            DW_TAG_partial_unit,
                            label("first"),
                            strOffsetsBase(),
                            die(DW_TAG_imported_unit, attribute(DW_AT_import, DW_FORM_ref_addr, new Ref("second"))),
                            struct("s", 4))),
                    unitOf(die(
                            DW_TAG_partial_unit,
                            label("second"),
                            strOffsetsBase(),
                            die(DW_TAG_imported_unit, attribute(DW_AT_import, DW_FORM_ref_addr, new Ref("first"))))),
                    unit(die(DW_TAG_imported_unit, attribute(DW_AT_import, DW_FORM_ref_addr, new Ref("first")))));
            assertThat(Answers.aggregate(sections, "s").byteSize()).isEqualTo(4);
        }

        @Test
        void ofSignaturesIsRefused() throws IOException {
            Attribute itself = attribute(DW_AT_signature, DW_FORM_ref_sig8, 77);
            DwarfSections sections = written(
                    typeUnit(77, "t", die(DW_TAG_structure_type, label("t"), declaration(), itself)),
                    unit(
                            die(DW_TAG_structure_type, label("stand-in"), declaration(), itself),
                            struct("s", 4, member("m", "stand-in", 0))));
            assertLimit(sections, Limits.DEFAULT, "maxTypeDepth");
        }
    }

    @Nested
    class Depths {

        @Test
        void tenThousandTypedefsAreOverTheLimit() throws IOException {
            Part[] parts = new Part[10_001];
            parts[0] = baseType("t0", 4, DW_ATE_signed);
            for (int i = 1; i < parts.length; i++) {
                parts[i] = typedef("t" + i, "t" + (i - 1));
            }
            assertLimit(written(unit(parts)), Limits.DEFAULT, "maxTypeDepth");
        }

        /** Nests structs, namespaces, blocks and enumerations. */
        @ParameterizedTest
        @ValueSource(ints = {DW_TAG_structure_type, DW_TAG_namespace, DW_TAG_lexical_block, DW_TAG_enumeration_type})
        void tenThousandNestedDiesAreRefusedOrPassedOver(int tag) throws IOException {
            byte[] file = nested(tag, 10_000, 0).toElf().toBytes();
            Path path = Files.write(folder.resolve("nested"), file);
            WholeReading.requireSafe(path, file.length, "10,000 DIEs in each other");
        }

        /** The reader walks a struct for its members, and again for each nested struct. */
        @Test
        void workThatGrowsWithTheSquareOfTheDepthEndsInTime() throws IOException {
            Limits limits = Limits.DEFAULT.withMaxDuration(Duration.ofMillis(100));
            assertLimit(nested(DW_TAG_structure_type, 4_000, 400), limits, "maxDuration");
        }

        /** Encoded by hand, because {@link DwarfWriter} recurses and would overflow the stack at this depth. */
        private static DwarfSections nested(int tag, int depth, int membersEach) {
            BinaryWriter abbrev = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .uleb(1)
                    .uleb(DW_TAG_compile_unit)
                    .u8(1)
                    .uleb(DW_AT_language)
                    .uleb(DW_FORM_data1)
                    .u16(0)
                    .uleb(2)
                    .uleb(tag)
                    .u8(1)
                    .uleb(DW_AT_name)
                    .uleb(DW_FORM_string)
                    .u16(0)
                    .uleb(3)
                    .uleb(DW_TAG_member)
                    .u8(0)
                    .u16(0)
                    .u8(0);
            BinaryWriter dies = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u8(1).u8(DW_LANG_C_plus_plus_14);
            for (int i = 0; i < depth; i++) {
                dies.u8(2).string("s");
                for (int member = 0; member < membersEach; member++) {
                    dies.u8(3);
                }
            }
            for (int i = 0; i <= depth; i++) {
                dies.u8(0);
            }
            byte[] info = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .u32(8 + dies.size())
                    .u16(5)
                    .u8(DW_UT_compile)
                    .u8(8)
                    .u32(0)
                    .bytes(dies.toBytes())
                    .toBytes();
            return written(unit()).with(".debug_info", info).with(".debug_abbrev", abbrev.toBytes());
        }
    }

    @Nested
    class Numbers {

        static Stream<Attribute> hugeLocations() {
            return Stream.of(
                    attribute(DW_AT_data_member_location, DW_FORM_udata, Long.MIN_VALUE),
                    attribute(DW_AT_data_member_location, DW_FORM_data8, 1L << 60),
                    attribute(DW_AT_data_member_location, DW_FORM_sdata, Long.MIN_VALUE),
                    attribute(
                            DW_AT_data_member_location,
                            DW_FORM_exprloc,
                            plusUconst(ByteOrder.LITTLE_ENDIAN, Long.MAX_VALUE)));
        }

        /** The offset in bits overflows. Wrapped around, it would look like a valid offset. */
        @ParameterizedTest
        @MethodSource("hugeLocations")
        void memberPastTheLastBitIsUnsupported(Attribute location) throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    struct("s", 4, die(DW_TAG_member, name("m"), type("int"), location))));
            assertThat(Answers.aggregate(sections, "s").members().getFirst().location())
                    .isInstanceOfSatisfying(
                            MemberLocation.Unsupported.class,
                            unsupported -> assertThat(unsupported.reason()).endsWith("; no object is that large"));
        }

        @ParameterizedTest
        @ValueSource(ints = {DW_FORM_udata, DW_FORM_data8})
        void arrayOfTwoToThe63HasNoSize(int form) throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(
                            DW_TAG_array_type,
                            label("a"),
                            type("int"),
                            die(DW_TAG_subrange_type, attribute(DW_AT_count, form, Long.MAX_VALUE)),
                            die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, form, Long.MAX_VALUE - 1))),
                    struct("s", 4, member("m", "a", 0))));
            assertThat(Answers.aggregate(sections, "s")
                            .members()
                            .getFirst()
                            .type()
                            .byteSize())
                    .isEqualTo(ArrayShape.UNKNOWN_SIZE);
        }

        @Test
        void sizesOfTwoToThe63AreNotKnown() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    die(DW_TAG_structure_type, name("s"), attribute(DW_AT_byte_size, DW_FORM_udata, Long.MIN_VALUE))));
            assertThat(Answers.aggregate(sections, "s").byteSize()).isEqualTo(AggregateShape.UNKNOWN_SIZE);
        }

        @Test
        void enumeratorOfTwoToThe63IsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(die(
                    DW_TAG_enumeration_type,
                    name("e"),
                    byteSize(8),
                    encoding(DW_ATE_unsigned),
                    die(DW_TAG_enumerator, name("E"), attribute(DW_AT_const_value, DW_FORM_udata, Long.MIN_VALUE)))));
            EnumShape shape = (EnumShape) Answers.definition(sections, "e").shape();
            assertThat(shape.enumerators()).containsExactly(new Enumerator("E", Long.MIN_VALUE));
        }

        @Test
        void abbreviationCodesOfAnySizeAreFound() throws IOException, ExtractionException {
            for (long code : new long[] {Long.MIN_VALUE, -1, Long.MAX_VALUE, 1L << 32}) {
                DwarfSections sections = written(unit(die(DW_TAG_structure_type, code(code), name("s"), byteSize(4))));
                assertThat(Answers.aggregate(sections, "s").byteSize()).isEqualTo(4);
            }
        }

        @ParameterizedTest
        @ValueSource(longs = {Long.MIN_VALUE, Long.MAX_VALUE, -1, 1L << 32})
        void blockLongerThanTheFileIsMalformed(long length) {
            byte[] uleb = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).uleb(length).toBytes();
            for (int form : new int[] {DW_FORM_block, DW_FORM_exprloc}) {
                for (int attribute : new int[] {DW_AT_data_member_location, 0x3abc}) {
                    DwarfSections sections = written(unit(
                            baseType("int", 4, DW_ATE_signed),
                            struct(
                                    "s",
                                    4,
                                    die(
                                            DW_TAG_member,
                                            name("m"),
                                            type("int"),
                                            attribute(attribute, DW_FORM_indirect, blob(concat(form, uleb)))))));
                    assertMalformed(sections, "need " + Long.toUnsignedString(length) + " bytes");
                }
            }
        }

        private static byte[] concat(int first, byte[] rest) {
            byte[] all = new byte[rest.length + 1];
            all[0] = (byte) first;
            System.arraycopy(rest, 0, all, 1, rest.length);
            return all;
        }

        @Test
        void reservedUnitLengthsAreMalformed() {
            for (long length = 0xffff_fff0L; length < 0xffff_ffffL; length++) {
                assertMalformed(
                        written(unit(struct("s", 4))).patched(".debug_info", 0, length, 4),
                        "unit_length is the reserved value 0x" + Long.toHexString(length));
            }
        }

        @ParameterizedTest
        @ValueSource(longs = {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 32})
        void unitLengthsOf64BitsAreCheckedAgainstTheSection(long length) {
            DwarfSections sections = DwarfWriter.write(DwarfStyle.DEFAULT.withOffsetSize(8), unit(struct("s", 4)));
            assertMalformed(
                    sections.patched(".debug_info", 4, length, 8), "unit_length is " + Long.toUnsignedString(length));
        }

        /** Padding is legal (DWARF 5 §7.6), and its length is not limited. */
        @Test
        void lebOfAHundredBytesIsItsNumber() throws IOException, ExtractionException {
            byte[] padded = new byte[100];
            Arrays.fill(padded, (byte) 0x80);
            padded[0] = (byte) 0x84;
            padded[99] = 0;
            assertThat(Answers.aggregate(structOfSize(padded), "s").byteSize()).isEqualTo(4);
            padded[50] = (byte) 0x81;
            assertMalformed(structOfSize(padded), "unsigned LEB128 number does not fit 64 bits");
        }

        @Test
        void codesOfMoreThan32BitsAreNotTakenForTheirLowBits() throws IOException, ExtractionException {
            DwarfSections sections = written(unitOf(die(
                    DW_TAG_compile_unit,
                    name("a.c"),
                    attribute(DW_AT_language, DW_FORM_data8, 0xffff_ffff_0000_000cL),
                    die(
                            DW_TAG_base_type,
                            name("t"),
                            byteSize(4),
                            attribute(DW_AT_encoding, DW_FORM_udata, 0x1_0000_0004L)))));
            Definition type = Answers.definition(sections, "t");

            assertThat(((BaseShape) type.shape()).encoding()).isEqualTo(BaseShape.Encoding.OTHER);
            assertThat(type.language().name()).isEqualTo("lang-0xffffffff0000000c");
        }

        private static DwarfSections structOfSize(byte[] leb) {
            return written(
                    unit(die(DW_TAG_structure_type, name("s"), attribute(DW_AT_byte_size, DW_FORM_udata, blob(leb)))));
        }

        /** {@code enum : unsigned __int128}: clang writes a block, DWARF 5 also provides {@code DW_FORM_data16}. */
        @Test
        void enumeratorsOf128BitsAreReadAsFarAs64BitsCanSay() throws IOException, ExtractionException {
            for (ByteOrder order : new ByteOrder[] {ByteOrder.LITTLE_ENDIAN, ByteOrder.BIG_ENDIAN}) {
                DwarfSections sections = DwarfWriter.write(
                        DwarfStyle.DEFAULT.withOrder(order),
                        unit(die(
                                DW_TAG_enumeration_type,
                                name("e"),
                                byteSize(16),
                                encoding(DW_ATE_unsigned),
                                enumerator("SMALL", wide(order, 0, 7), DW_FORM_data16),
                                enumerator("LARGE", wide(order, 1, 7), DW_FORM_data16),
                                enumerator("BLOCK", wide(order, 0, 9), DW_FORM_block1),
                                enumerator("LARGE_BLOCK", wide(order, 1L << 63, 0), DW_FORM_block1),
                                die(
                                        DW_TAG_enumerator,
                                        name("PLAIN"),
                                        attribute(DW_AT_const_value, DW_FORM_data1, 3)))));
                EnumShape shape = (EnumShape) Answers.definition(sections, "e").shape();
                assertThat(shape.enumerators())
                        .containsExactly(
                                new Enumerator("SMALL", 7),
                                Enumerator.tooWide("LARGE"),
                                new Enumerator("BLOCK", 9),
                                Enumerator.tooWide("LARGE_BLOCK"),
                                new Enumerator("PLAIN", 3));
            }
        }

        @Test
        void negativeEnumeratorOf128BitsIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(die(
                    DW_TAG_enumeration_type,
                    name("e"),
                    byteSize(16),
                    encoding(DW_ATE_signed),
                    enumerator("BELOW", wide(ByteOrder.LITTLE_ENDIAN, -1, -5), DW_FORM_data16))));
            EnumShape shape = (EnumShape) Answers.definition(sections, "e").shape();
            assertThat(shape.enumerators()).containsExactly(new Enumerator("BELOW", -5));
        }

        private static Die enumerator(String name, byte[] value, int form) {
            return die(DW_TAG_enumerator, name(name), attribute(DW_AT_const_value, form, blob(value)));
        }

        private static byte[] wide(ByteOrder order, long high, long low) {
            BinaryWriter out = new BinaryWriter(order);
            return order == ByteOrder.BIG_ENDIAN
                    ? out.u64(high).u64(low).toBytes()
                    : out.u64(low).u64(high).toBytes();
        }

        @Test
        void boundOf128BitsIsOpenAndTheRestIsRead() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(
                            DW_TAG_array_type,
                            label("a"),
                            type("int"),
                            die(
                                    DW_TAG_subrange_type,
                                    attribute(
                                            DW_AT_upper_bound,
                                            DW_FORM_data16,
                                            blob(wide(ByteOrder.LITTLE_ENDIAN, 1, 1))))),
                    struct("s", 8, member("x", "int", 0), member("a", "a", 4))));
            ArrayShape array = (ArrayShape)
                    Answers.aggregate(sections, "s").members().get(1).type();
            assertThat(array.counts()).containsExactly(ArrayShape.RUN_TIME);
        }
    }

    @Nested
    class FormsOfAnotherClass {

        @ParameterizedTest
        @ValueSource(ints = {DW_FORM_data8, DW_FORM_udata, DW_FORM_flag_present, DW_FORM_ref4})
        void nameOfAnotherFormIsMalformed(int form) {
            assertMalformed(
                    written(unit(die(DW_TAG_structure_type, attribute(DW_AT_name, form, 1L << 60), byteSize(4)))),
                    "form 0x" + Integer.toHexString(form) + " is not of a class that this attribute can have");
        }

        @ParameterizedTest
        @ValueSource(ints = {DW_FORM_data8, DW_FORM_udata, DW_FORM_strp})
        void typeOfAnotherFormIsMalformed(int form) throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    struct("s", 4, die(DW_TAG_member, attribute(DW_AT_type, form, 0x7f00_0000_0000_0001L))),
                    struct("sound", 4, member("x", "int", 0))));
            assertLeftOut(
                    sections,
                    ": form 0x" + Integer.toHexString(form) + " is not of a class that this attribute can have");
            assertThat(Answers.definition(sections, "s").shape())
                    .isInstanceOf(IncompleteShape.class)
                    .extracting(TypeShape::byteSize)
                    .isEqualTo(4L);
            assertThat(Answers.aggregate(sections, "sound").members()).hasSize(1);
        }

        /** The parameters of functions are passed over unless something points to a function of this type. */
        @Test
        void attributeOfAnotherFormIsNoFaultOfDiesThatAreNotRead() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(DW_TAG_subroutine_type, die(DW_TAG_formal_parameter, attribute(DW_AT_type, DW_FORM_data8, 1))),
                    struct("s", 4, member("x", "int", 0))));
            assertThat(Answers.catalogue(sections).omissions()).isEmpty();
            assertThat(Answers.aggregate(sections, "s").members()).hasSize(1);
        }

        @Test
        void theyAreFoundBehindIndirectToo() {
            assertMalformed(
                    DwarfWriter.write(
                            DwarfStyle.DEFAULT.withIndirect(true),
                            unit(die(DW_TAG_structure_type, attribute(DW_AT_name, DW_FORM_data8, -1), byteSize(4)))),
                    "is not of a class that this attribute can have");
        }

        /** The array length is a variable of the program (DWARF 5 §2.19). */
        @ParameterizedTest
        @ValueSource(ints = {DW_AT_upper_bound, DW_AT_count})
        void countThatIsAVariableIsThatOfTheRunningProgram(int bound) throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(DW_TAG_variable, label("n"), type("int")),
                    die(
                            DW_TAG_array_type,
                            label("a"),
                            type("int"),
                            die(DW_TAG_subrange_type, attribute(bound, DW_FORM_ref4, new Ref("n")))),
                    struct("s", 4, member("a", "a", 0))));
            ArrayShape array = (ArrayShape)
                    Answers.aggregate(sections, "s").members().getFirst().type();
            assertThat(array.counts()).containsExactly(ArrayShape.RUN_TIME);
        }

        @Test
        void placeThatIsAVariableIsComputed() throws IOException, ExtractionException {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(DW_TAG_variable, label("n"), type("int")),
                    struct(
                            "s",
                            4,
                            die(
                                    DW_TAG_member,
                                    name("m"),
                                    type("int"),
                                    attribute(DW_AT_data_member_location, DW_FORM_ref4, new Ref("n"))))));
            Member member = Answers.aggregate(sections, "s").members().getFirst();
            assertThat(member.location()).isInstanceOf(MemberLocation.Computed.class);
        }

        @ParameterizedTest
        @ValueSource(longs = {0x7f00_0000_0000_0000L, -1, 1000})
        void typeOffsetOutsideItsUnitIsMalformed(long typeOffset) {
            DwarfSections sections = DwarfWriter.write(
                    DwarfStyle.DEFAULT.withOffsetSize(8),
                    typeUnit(77, "t", die(DW_TAG_structure_type, label("t"), name("t"), byteSize(4))));
            // unit_length 12, version 2, unit_type 1, address_size 1, debug_abbrev_offset 8, type_signature 8.
            assertMalformed(
                    sections.patched(".debug_info", 32, typeOffset, 8),
                    ".debug_info+0x20: type_offset is 0x" + Long.toHexString(typeOffset));
        }
    }

    @Nested
    class LittleThatAsksForMuch {

        /** Each typedef is named by another suffix of the same string: 64 KiB expand to 2 GiB of names. */
        @Test
        void tailsOfOneLongNameAreOverTheLimit() throws IOException {
            int length = 1 << 16;
            List<Part> parts = new ArrayList<>();
            parts.add(die(DW_TAG_base_type, label("int"), byteSize(4)));
            for (int i = 0; i < length; i += 8) {
                parts.add(die(DW_TAG_typedef, attribute(DW_AT_name, DW_FORM_strp, i), type("int")));
            }
            byte[] name = new byte[length + 1];
            Arrays.fill(name, 0, length, (byte) 'a');
            DwarfSections sections = written(unit(parts.toArray(Part[]::new))).with(".debug_str", name);
            assertLimit(sections, LimitsWith.of("maxTextChars", 1 << 22), "maxTextChars");
        }

        @Test
        void longScopesAreOverTheLimit() throws IOException {
            Part inner = struct("s", 4);
            for (int i = 0; i < 20; i++) {
                inner = die(DW_TAG_namespace, name("n".repeat(900)), inner);
            }
            assertLimit(written(cpp(inner)), LimitsWith.of("maxNameBytes", 10_000), "maxNameBytes");
        }

        /** Abbreviation tables may overlap: each byte of the section can start one. */
        @Test
        void overlappingAbbreviationTablesAreMalformed() {
            int codes = 200;
            BinaryWriter abbrev = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
            for (int code = 1; code <= codes; code++) {
                abbrev.uleb(code % 100 + 1000L * code)
                        .uleb(DW_TAG_base_type)
                        .u8(0)
                        .u16(0);
            }
            byte[] table = abbrev.u8(0).toBytes();
            BinaryWriter info = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
            // A table starts at each declaration, whose code takes 2 or 3 bytes.
            int at = 0;
            for (int code = 1; code <= codes; code++) {
                info.u32(9).u16(5).u8(DW_UT_compile).u8(8).u32(at).u8(0);
                at += new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                                .uleb(code % 100 + 1000L * code)
                                .size()
                        + 4;
            }
            assertMalformed(
                    written(unit()).with(".debug_info", info.toBytes()).with(".debug_abbrev", table),
                    "abbreviation tables overlap");
        }

        /** A section of 1 GiB contains one huge name. The reader stops at the length limit of names. */
        @Test
        void nameOfAGibibyteIsOverTheLimit() throws IOException {
            DwarfSections sections =
                    written(unit(die(DW_TAG_structure_type, attribute(DW_AT_name, DW_FORM_strp, 0), byteSize(4))));
            byte[] name = new byte[(1 << 20) + 1000];
            Arrays.fill(name, (byte) 'a');
            Path file = SparseFiles.withLastSection(folder.resolve("sparse"), sections, ".debug_str", name, 1L << 30);
            assertThat(Files.size(file)).isGreaterThan(1L << 30);
            HostileRun.answer("name of 1 GiB", HostileRun.allocationBound(1 << 16), () -> {
                assertThatThrownBy(
                                () -> DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll))
                        .isInstanceOfSatisfying(
                                LimitExceededException.class,
                                e -> assertThat(e.limit()).isEqualTo("maxNameBytes"));
                return 0;
            });
        }
    }
}
