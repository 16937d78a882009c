package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.ArrayShape;
import dev.offsetd.extractor.layout.TypeShape;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.query.item.ItemAnswer;
import dev.offsetd.query.item.ItemOutcome;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.ItemResolver;
import dev.offsetd.query.item.Placement;
import dev.offsetd.query.store.CatalogueWriter;
import dev.offsetd.query.store.StoredCatalogue;
import java.io.IOException;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

/** Element counts and offsets of arrays by the rules of DWARF 5 §5.5, §5.13 and §7.12. */
class ArraysTests {

    private static final Die INT = baseType("int", 4, DW_ATE_signed);
    private static final Die CHAR = baseType("char", 1, DW_ATE_unsigned);
    private static final Die INDEX = baseType("index", 8, DW_ATE_signed);

    /** {@code DW_OP_push_object_address; DW_OP_deref}, which can be evaluated only at run time. */
    private static final int[] EXPRESSION = {0x97, DW_OP_deref};

    @TempDir
    private Path folder;

    private Path file = Path.of("");

    private static Die array(String element, Part... parts) {
        Part[] all = new Part[parts.length + 2];
        all[0] = label("array");
        all[1] = type(element);
        System.arraycopy(parts, 0, all, 2, parts.length);
        return die(DW_TAG_array_type, all);
    }

    private static Die dimension(Part... parts) {
        return die(DW_TAG_subrange_type, parts);
    }

    private static Attribute upper(long bound) {
        return attribute(DW_AT_upper_bound, DW_FORM_sdata, bound);
    }

    private static Attribute lower(long bound) {
        return attribute(DW_AT_lower_bound, DW_FORM_sdata, bound);
    }

    private static Attribute expression(int attribute) {
        return attribute(attribute, DW_FORM_exprloc, blob(EXPRESSION));
    }

    private void write(DwarfStyle style, Unit... units) throws IOException {
        file = DwarfWriter.write(style, units).writeTo(folder.resolve("arrays.debug"));
    }

    /** Writes a unit with the struct {@code s}, whose member {@code a} at byte 8 is the array. */
    private void write(DwarfStyle style, int language, Part... types) throws IOException {
        List<Part> all = new ArrayList<>(List.of(INT, CHAR, INDEX));
        all.addAll(List.of(types));
        all.add(struct("s", 64, member("a", "array", 8)));
        write(style, unit("test", language, all.toArray(Part[]::new)));
    }

    private void write(int language, Part... types) throws IOException {
        write(DwarfStyle.DEFAULT, language, types);
    }

    private ArrayShape read() throws IOException, ExtractionException {
        AggregateShape shape =
                (AggregateShape) DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                        .types()
                        .definitionsNamed("s")
                        .getFirst()
                        .shape();
        return (ArrayShape) shape.members().getFirst().type().peeled();
    }

    /** Returns the outcome for an item, resolved in a stored copy of the catalogue. */
    private ItemOutcome outcome(String item) throws IOException, ExtractionException {
        var types = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types();
        ItemAnswer answer =
                ItemResolver.resolve(ItemParser.parse(item), StoredCatalogue.of(CatalogueWriter.encode(types)), null);
        return answer.outcome();
    }

    private Placement.Fixed place(String item) throws IOException, ExtractionException {
        return ((ItemOutcome.PathFound) outcome(item)).placement();
    }

    private void assertOffset(String item, long offset) throws IOException, ExtractionException {
        Placement.Fixed place = place(item);
        assertThat(place.isBitField()).isFalse();
        assertThat(place.offset()).as(item).isEqualTo(offset);
    }

    private void assertMissed(String item, String detail) throws IOException, ExtractionException {
        assertThat(((ItemOutcome.Missed) outcome(item)).detail()).contains(detail);
    }

    /** Without an explicit lower bound, arrays start at the default of the unit's language. */
    @Nested
    class DefaultLowerBounds {

        @ParameterizedTest
        @CsvSource({
            "0x03, 3", "0x05, 3", "0x06, 3", "0x07, 3", "0x08, 3", "0x09, 3", "0x0a, 3", "0x0d, 3", "0x0e, 3",
            "0x0f, 3", "0x17, 3", "0x1f, 3", "0x22, 3", "0x23, 3", "0x2d, 3", "0x2e, 3", "0x2f, 3", "0x3f, 3",
            "0x44, 3", "0x01, 4", "0x0b, 4", "0x13, 4", "0x16, 4", "0x1c, 4", "0x1e, 4", "0x21, 4", "0x2a, 4",
            "0x2b, 4", "0x3a, 4", "0x3e, 4", "0x7777, 4"
        })
        void areThoseOfTheLanguage(String language, long count) throws IOException, ExtractionException {
            write(Integer.decode(language), array("int", dimension(upper(3))));
            assertThat(read().counts()).containsExactly(count);
            assertThat(read().byteSize()).isEqualTo(4 * count);
            assertThat(read().lowerBound(0)).isEqualTo(4 - count);
        }

        /** DWARF 6 replaces {@code DW_AT_language} with {@code DW_AT_language_name}, which has different codes. */
        @ParameterizedTest
        @CsvSource({"1, 3", "3, 4", "4, 4", "5, 3", "9, 3", "13, 3", "15, 3", "16, 3", "21, 3", "22, 3", "25, 4"})
        void areThoseOfTheLanguageName(int name, long count) throws IOException, ExtractionException {
            write(
                    DwarfStyle.DEFAULT,
                    unitOf(die(
                            DW_TAG_compile_unit,
                            attribute(DW_AT_language_name, DW_FORM_data2, name),
                            INT,
                            array("int", dimension(upper(3))),
                            struct("s", 64, member("a", "array", 8)))));
            assertThat(read().counts()).containsExactly(count);
        }

        @Test
        void giveWayToABoundThatIsSaid() throws IOException, ExtractionException {
            write(DW_LANG_Fortran08, array("int", dimension(lower(-1), upper(2))));
            assertThat(read().counts()).containsExactly(4L);
            assertThat(read().spelling()).isEqualTo("int [-1:2]");
            assertOffset("s.a[-1]", 8);
            assertOffset("s.a[2]", 20);
            assertMissed("s.a[3]", "\"s.a\" has no index 3: the range is -1 to 2");
        }

        @Test
        void areWhatItemsCountFrom() throws IOException, ExtractionException {
            write(DW_LANG_Ada95, array("int", dimension(upper(3))));
            assertOffset("s.a[1]", 8);
            assertOffset("s.a[3]", 16);
            assertMissed("s.a[0]", "\"s.a\" has no index 0: the lowest is 1");
            assertMissed("s.a[4]", "\"s.a\" has no index 4: the range is 1 to 3");
        }

        @Test
        void leaveNothingOfBoundsInTheWrongOrder() throws IOException, ExtractionException {
            write(DW_LANG_Ada95, array("int", dimension(lower(1), upper(-5))));
            assertThat(read().counts()).containsExactly(0L);
            assertThat(read().byteSize()).isZero();
        }

        /** A partial unit has no language attribute, so its arrays take the lower bound of the units that import it. */
        @Test
        void ofPartialUnitsAreThoseOfTheirUsers() throws IOException, ExtractionException {
            Unit user = unitOf(die(
                    DW_TAG_compile_unit,
                    attribute(DW_AT_language, DW_FORM_data1, DW_LANG_Fortran08),
                    die(DW_TAG_imported_unit, attribute(DW_AT_import, DW_FORM_ref_addr, new Ref("shared")))));
            write(
                    DwarfStyle.DEFAULT,
                    unitOf(die(
                            DW_TAG_partial_unit,
                            label("shared"),
                            INT,
                            array("int", dimension(upper(3))),
                            struct("s", 64, member("a", "array", 8)))),
                    user);
            assertThat(read().counts()).containsExactly(3L);
        }

        @Test
        void areZeroInCWhereAnIndexBelowItIsNone() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("int", dimension(upper(2))));
            assertOffset("s.a[2]", 16);
            assertThat(place("s.a[7]").pastEnd()).isTrue();
            assertMissed("s.a[-1]", "\"s.a\" has no index -1: the lowest is 0");
        }
    }

    /** {@code integer :: c(2,3)}: the first index varies fastest. */
    @Nested
    class Ordering {

        @ParameterizedTest
        @ValueSource(booleans = {false, true})
        void ofColumnsFirst(boolean said) throws IOException, ExtractionException {
            Die said1 =
                    array("int", attribute(DW_AT_ordering, DW_FORM_data1, 1), dimension(upper(2)), dimension(upper(3)));
            Die unsaid = array("int", dimension(upper(2)), dimension(upper(3)));
            write(said ? DW_LANG_Ada95 : DW_LANG_Fortran08, said ? said1 : unsaid);
            assertThat(read().byteSize()).isEqualTo(24);
            assertThat(read().counts()).containsExactly(2L, 3L);
            assertOffset("s.a[2][1]", 12);
            assertOffset("s.a[1][2]", 16);
            assertOffset("s.a[2][3]", 28);
            assertMissed("s.a[3][1]", "has no index 3: the range is 1 to 2");
            assertMissed("s.a[1][4]", "has no index 4: the range is 1 to 3");
        }

        @Test
        void ofRowsFirstInAFortranUnitThatSaysSo() throws IOException, ExtractionException {
            write(
                    DW_LANG_Fortran08,
                    array(
                            "int",
                            attribute(DW_AT_ordering, DW_FORM_data1, 0),
                            dimension(upper(2)),
                            dimension(upper(3))));
            assertOffset("s.a[2][1]", 20);
        }

        /** {@code c(2,:)} is not contiguous in memory, so it has an offset but no size. */
        @Test
        void leavesARowOfColumnsWithoutASize() throws IOException, ExtractionException {
            write(DW_LANG_Fortran08, array("int", dimension(upper(2)), dimension(upper(3))));
            assertOffset("s.a[2]", 12);
            assertThat(place("s.a[2]").size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(place("s.a[2]").type().spelling()).isEqualTo("int [1:3]");
        }
    }

    @Nested
    class Strides {

        /** Ada: {@code type Bits is array (1 .. 13) of Boolean with Pack}. */
        @Test
        void ofBitsPackElements() throws IOException, ExtractionException {
            write(DW_LANG_Ada95, array("char", attribute(DW_AT_bit_stride, DW_FORM_data1, 1), dimension(upper(13))));
            assertThat(read().byteSize()).isEqualTo(2);
            Placement.Fixed tenth = place("s.a[10]");
            assertThat(tenth.bitOffset()).isEqualTo(8 * 8 + 9);
            assertThat(tenth.bitSize()).isEqualTo(1);
            assertThat(tenth.storageBytes()).isEqualTo(1);
        }

        @Test
        void ofBytesLeaveGaps() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("int", attribute(DW_AT_byte_stride, DW_FORM_data1, 12), dimension(upper(2))));
            assertThat(read().byteSize()).isEqualTo(36);
            assertOffset("s.a[2]", 8 + 24);
            assertThat(place("s.a[2]").size()).isEqualTo(4);
        }

        @Test
        void ofADimensionCountForThatDimension() throws IOException, ExtractionException {
            write(
                    DW_LANG_C11,
                    array(
                            "int",
                            dimension(upper(1), attribute(DW_AT_byte_stride, DW_FORM_data1, 16)),
                            dimension(upper(2))));
            assertThat(read().byteSize()).isEqualTo(32);
            assertOffset("s.a[1][2]", 8 + 16 + 8);
        }

        @Test
        void thatTheRunningProgramComputesLeaveTheFirstElementOnly() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("int", dimension(upper(2), expression(DW_AT_byte_stride))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertOffset("s.a[0]", 8);
            assertMissed("s.a[1]", "the size of one element of \"s.a\" is not known, so only index 0 has an offset");
        }

        /** An enumeration as a dimension determines both the number of elements and the stride. */
        @Test
        void ofAnEnumerationAsIndex() throws IOException, ExtractionException {
            write(
                    DW_LANG_Ada95,
                    array(
                            "int",
                            die(
                                    DW_TAG_enumeration_type,
                                    attribute(DW_AT_byte_stride, DW_FORM_data1, 8),
                                    enumerator("RED", 2),
                                    enumerator("GREEN", 3),
                                    enumerator("BLUE", 4))));
            assertThat(read().counts()).containsExactly(3L);
            assertThat(read().byteSize()).isEqualTo(24);
            assertOffset("s.a[4]", 8 + 16);
        }

        /** {@code array (Day) of Integer}: the dimension refers to a type and has no explicit bounds. */
        @ParameterizedTest
        @ValueSource(strings = {"day", "weekday"})
        void ofAnIndexTypeAreAllItsValues(String index) throws IOException, ExtractionException {
            write(
                    DW_LANG_Ada95,
                    die(
                            DW_TAG_enumeration_type,
                            label("day"),
                            byteSize(1),
                            enumerator("MON", 0),
                            enumerator("TUE", 1),
                            enumerator("WED", 2)),
                    die(DW_TAG_subrange_type, label("weekday"), type("day"), lower(0), upper(2)),
                    array("int", dimension(type(index))));
            assertThat(read().counts()).containsExactly(3L);
            assertOffset("s.a[2]", 16);
        }

        private static Die enumerator(String name, long value) {
            return die(DW_TAG_enumerator, name(name), attribute(DW_AT_const_value, DW_FORM_data1, value));
        }
    }

    /** Bounds computed at run time are unknown, never 0. */
    @Nested
    class RunTimeBounds {

        @ParameterizedTest
        @ValueSource(ints = {DW_AT_data_location, DW_AT_allocated, DW_AT_associated, DW_AT_rank})
        void ofADescriptor(int attribute) throws IOException, ExtractionException {
            write(DW_LANG_Fortran08, array("int", expression(attribute), dimension(upper(3))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertOffset("s.a", 8);
            assertThat(place("s.a").size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(outcome("s.a[1]")).isInstanceOfSatisfying(ItemOutcome.Computed.class, computed -> {
                assertThat(computed.at()).isEqualTo("s.a");
                assertThat(computed.reason()).isEqualTo("array descriptor");
            });
        }

        @Test
        void ofAnArrayOfAnyRank() throws IOException, ExtractionException {
            write(DW_LANG_Fortran08, array("int", die(DW_TAG_generic_subrange, expression(DW_AT_lower_bound))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(outcome("s.a[1]")).isInstanceOf(ItemOutcome.Computed.class);
        }

        @Test
        void belowThatHideTheElements() throws IOException, ExtractionException {
            write(DW_LANG_Ada95, array("int", dimension(expression(DW_AT_lower_bound), upper(3))));
            assertThat(outcome("s.a[1]"))
                    .isInstanceOfSatisfying(
                            ItemOutcome.Computed.class,
                            computed -> assertThat(computed.reason()).isEqualTo("bounds of the array"));
        }

        /**
         * {@code S : String (1 .. N)} with the discriminant {@code N}: the elements start at the offset of the member.
         */
        @ParameterizedTest
        @ValueSource(ints = {DW_AT_upper_bound, DW_AT_count})
        void aboveLeaveTheElementsInTheirPlaces(int bound) throws IOException, ExtractionException {
            write(
                    DW_LANG_Ada95,
                    die(DW_TAG_variable, label("n"), type("int")),
                    array("char", dimension(attribute(bound, DW_FORM_ref4, new Ref("n")))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(read().counts()).containsExactly(ArrayShape.RUN_TIME);
            assertOffset("s.a[1]", 8);
            assertOffset("s.a[100]", 107);
        }

        @ParameterizedTest
        @ValueSource(ints = {DW_LANG_Ada95, DW_LANG_C11})
        void ofAnInnerDimensionHideTheOuterElements(int language) throws IOException, ExtractionException {
            write(language, array("int", dimension(upper(3)), dimension(expression(DW_AT_upper_bound))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            long lowest = language == DW_LANG_C11 ? 0 : 1;
            assertOffset("s.a[" + lowest + "][" + (lowest + 1) + "]", 12);
            assertMissed("s.a[2]", "so only index " + lowest + " has an offset");
        }

        /** {@code array (Long_Integer) of Integer} has 2^64 elements. */
        @Test
        void ofAllNumbersAreNotCounted() throws IOException, ExtractionException {
            write(DW_LANG_Ada95, array("int", dimension(lower(Long.MIN_VALUE), upper(Long.MAX_VALUE))));
            assertThat(read().byteSize()).isEqualTo(TypeShape.UNKNOWN_SIZE);
        }

        @Test
        void ofAStringHaveNoSize() throws IOException, ExtractionException {
            write(
                    DwarfStyle.DEFAULT,
                    unit(
                            "test",
                            DW_LANG_Fortran08,
                            die(DW_TAG_string_type, label("deferred"), expression(DW_AT_string_length), byteSize(8)),
                            die(DW_TAG_string_type, label("fixed"), byteSize(5)),
                            struct("s", 64, member("deferred", "deferred", 0), member("fixed", "fixed", 16))));
            assertThat(place("s.deferred").size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
            assertThat(place("s.fixed").size()).isEqualTo(5);
            assertThat(place("s.fixed").type().spelling()).isEqualTo("character(len=5)");
        }
    }

    /** {@code subtype Percent is Integer range 0 .. 100} as the type of a member. */
    @Nested
    class Subranges {

        private Placement.Fixed percent(Part... parts) throws IOException, ExtractionException {
            List<Part> all = new ArrayList<>(List.of(label("percent"), name("percent"), lower(0), upper(100)));
            all.addAll(List.of(parts));
            write(
                    DwarfStyle.DEFAULT,
                    unit(
                            "test",
                            DW_LANG_Ada95,
                            INT,
                            typedef("integer", "int"),
                            die(DW_TAG_subrange_type, all.toArray(Part[]::new)),
                            struct("s", 8, member("a", "percent", 0))));
            return place("s.a");
        }

        @ParameterizedTest
        @ValueSource(strings = {"int", "integer"})
        void haveTheSizeOfTheirBasis(String basis) throws IOException, ExtractionException {
            Placement.Fixed place = percent(type(basis));
            assertThat(place.size()).isEqualTo(4);
            assertThat(place.signed()).contains(true);
            assertThat(place.type().spelling()).isEqualTo("percent");
        }

        @Test
        void haveTheSizeThatTheySay() throws IOException, ExtractionException {
            Placement.Fixed place = percent(type("int"), byteSize(1));
            assertThat(place.size()).isEqualTo(1);
            assertThat(place.signed()).contains(true);
        }

        @Test
        void haveNoSizeWithoutEither() throws IOException, ExtractionException {
            assertThat(percent().size()).isEqualTo(TypeShape.UNKNOWN_SIZE);
        }

        @Test
        void countInArraysOfThem() throws IOException, ExtractionException {
            write(
                    DW_LANG_Ada95,
                    die(DW_TAG_subrange_type, label("percent"), type("int"), upper(100)),
                    array("percent", dimension(upper(3))));
            assertThat(read().byteSize()).isEqualTo(12);
        }
    }

    /** {@code 0xffffffff} may mean 4,294,967,295 or -1. */
    @Nested
    class UpperBoundOfOneBitsOnly {

        private static Attribute bound(int form, long value) {
            return attribute(DW_AT_upper_bound, form, value);
        }

        @Test
        void inFourBytesOfA64BitFileIsANumber() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("char", dimension(type("index"), bound(DW_FORM_data4, 0xffff_ffffL))));
            assertThat(read().counts()).containsExactly(0x1_0000_0000L);
            assertThat(read().byteSize()).isEqualTo(0x1_0000_0000L);
        }

        @Test
        void inFourBytesOfA32BitFileIsTheBoundOfAnEmptyArray() throws IOException, ExtractionException {
            write(
                    DwarfStyle.DEFAULT.withAddressSize(4),
                    DW_LANG_C11,
                    array("char", dimension(bound(DW_FORM_data4, 0xffff_ffffL))));
            assertThat(read().counts()).containsExactly(0L);
        }

        @ParameterizedTest
        @ValueSource(ints = {DW_FORM_data8, DW_FORM_sdata})
        void inASignedFormOrInEightBytesIsTheBoundOfAnEmptyArray(int form) throws IOException, ExtractionException {
            write(DW_LANG_C11, array("char", dimension(bound(form, -1))));
            assertThat(read().counts()).containsExactly(0L);
        }

        @Test
        void ofAnIndexWithASignAndFourBytesIsTheBoundOfAnEmptyArray() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("char", dimension(type("int"), bound(DW_FORM_data4, 0xffff_ffffL))));
            assertThat(read().counts()).containsExactly(0L);
        }

        @Test
        void belowThatIsNegativeForAnIndexWithASign() throws IOException, ExtractionException {
            write(
                    DW_LANG_Ada95,
                    array(
                            "char",
                            dimension(
                                    type("int"), attribute(DW_AT_lower_bound, DW_FORM_data4, 0xffff_fffbL), upper(2))));
            assertThat(read().counts()).containsExactly(8L);
            assertThat(read().lowerBound(0)).isEqualTo(-5);
        }

        @Test
        void asACountIsANumberToo() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("char", dimension(attribute(DW_AT_count, DW_FORM_data4, 0xffff_ffffL))));
            assertThat(read().counts()).containsExactly(0xffff_ffffL);
        }

        @Test
        void isNotNeededForAFlexibleArray() throws IOException, ExtractionException {
            write(DW_LANG_C11, array("char", dimension(type("index"))));
            assertThat(read().counts()).containsExactly(ArrayShape.FLEXIBLE);
            assertThat(read().byteSize()).isZero();
            assertOffset("s.a[3]", 11);
        }
    }
}
