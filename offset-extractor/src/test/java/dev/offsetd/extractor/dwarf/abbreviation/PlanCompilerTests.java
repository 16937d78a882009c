package dev.offsetd.extractor.dwarf.abbreviation;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.bytes.Section;
import dev.offsetd.extractor.input.BytesKey;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree.Attribute;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.lang.foreign.MemorySegment;
import java.nio.ByteOrder;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Plans in their text form, as a reader of one would check them. */
class PlanCompilerTests {

    private static final int DW_AT_UNKNOWN = 0x3abc;

    private static Abbreviation compiled(DwarfStyle style, Die die) throws ExtractionException {
        byte[] table = DwarfWriter.write(style.withSiblings(false), unitOf(die)).section(".debug_abbrev");
        Section abbrev = new Section(".debug_abbrev", MemorySegment.ofArray(table), style.order());
        Abbreviation first = AbbreviationTable.read(abbrev, 0, new HashMap<>(), Limits.DEFAULT)
                .find(1, new PlanCompiler(style.version(), style.addressSize(), style.offsetSize(), false, false));
        if (first == null) {
            throw new AssertionError("the table has no abbreviation 1");
        }
        return first;
    }

    /** Returns the plan in words, one step after the other: {@code skip 5, name string(.debug_str,4), skip leb}. */
    static String describe(Abbreviation abbreviation) {
        StringBuilder out = new StringBuilder();
        for (int step : abbreviation.plan()) {
            if (!out.isEmpty()) {
                out.append(", ");
            }
            int slot = step >>> 8 & 0xff;
            int operand = step >>> 16;
            switch (step & 0xff) {
                case PlanCompiler.SKIP -> out.append("skip ").append(step >>> 8);
                case PlanCompiler.SKIP_LEB -> out.append("skip leb");
                case PlanCompiler.SKIP_STRING -> out.append("skip string");
                case PlanCompiler.SKIP_BLOCK -> out.append("skip block").append(operand);
                case PlanCompiler.SKIP_INDIRECT -> out.append("skip indirect");
                case PlanCompiler.FIXED -> out.append(slot).append("=fixed").append(operand);
                case PlanCompiler.ULEB -> out.append(slot).append("=uleb");
                case PlanCompiler.SLEB -> out.append(slot).append("=sleb");
                case PlanCompiler.CONSTANT ->
                    out.append(slot).append("=const ").append(abbreviation.constants()[operand]);
                case PlanCompiler.WIDE -> out.append(slot).append("=wide");
                case PlanCompiler.NOT_CONSTANT ->
                    out.append(slot).append("=dynamic").append(operand);
                case PlanCompiler.EXPRESSION -> out.append(slot).append("=expr").append(operand);
                case PlanCompiler.STRING_OFFSET ->
                    out.append(String.format(Locale.ROOT, "%d=string%d@%d", slot, operand >>> 8, operand & 0xff));
                case PlanCompiler.INLINE_STRING -> out.append(slot).append("=string");
                case PlanCompiler.STRING_INDEX ->
                    out.append(slot).append("=strx").append(operand);
                case PlanCompiler.SUPPLEMENTARY_STRING ->
                    out.append(slot).append("=string_sup").append(operand);
                case PlanCompiler.REFERENCE -> out.append(slot).append("=ref").append(operand);
                case PlanCompiler.REFERENCE_ADDRESS ->
                    out.append(slot).append("=ref_addr").append(operand);
                case PlanCompiler.REFERENCE_SIGNATURE -> out.append(slot).append("=sig8");
                case PlanCompiler.REFERENCE_SUPPLEMENTARY ->
                    out.append(slot).append("=ref_sup").append(operand);
                default -> out.append(slot).append("=indirect");
            }
        }
        return out.toString();
    }

    private static String plan(Die die) throws ExtractionException {
        return describe(compiled(DwarfStyle.DEFAULT, die));
    }

    /** The example in the documentation of the compiler. */
    @Test
    void memberOfGccHasFourStepsAndAFixedSize() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_member,
                        name("longer"),
                        attribute(DW_AT_UNKNOWN, DW_FORM_data1, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_data2, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_data1, 1),
                        attribute(DW_AT_type, DW_FORM_ref4, 1),
                        attribute(DW_AT_data_member_location, DW_FORM_data1, 1)));
        assertThat(describe(abbreviation))
                .isEqualTo("%d=string%d@4, skip 4, %d=ref4, %d=fixed1"
                        .formatted(Slot.NAME, NameRef.STR, Slot.TYPE, Slot.MEMBER_LOCATION));
        assertThat(abbreviation.size()).isEqualTo(13);
        assertThat(abbreviation.typeAt()).isEqualTo(8);
    }

    @Test
    void constantsOfTheAbbreviationTakeNothingFromTheDie() throws ExtractionException {
        assertThat(plan(die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_byte_size, DW_FORM_implicit_const, 16),
                        attribute(DW_AT_declaration, DW_FORM_flag_present, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_implicit_const, 99),
                        attribute(DW_AT_name, DW_FORM_strx1, "x"))))
                .isEqualTo("%d=const 16, %d=const 1, %d=strx1".formatted(Slot.BYTE_SIZE, Slot.DECLARATION, Slot.NAME));
    }

    @Test
    void neighboursOfFixedSizeAreOneSkip() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_variable,
                        attribute(DW_AT_UNKNOWN, DW_FORM_data4, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_data16, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_flag_present, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_addr, 1)));
        assertThat(describe(abbreviation)).isEqualTo("skip 28");
        assertThat(abbreviation.size()).isEqualTo(28);
    }

    @Test
    void attributesOfNoFixedSizeAreSkippedOneByOne() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_variable,
                        attribute(DW_AT_UNKNOWN, DW_FORM_data4, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_udata, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_string, "x"),
                        attribute(DW_AT_UNKNOWN, DW_FORM_exprloc, blob(1)),
                        attribute(DW_AT_UNKNOWN, DW_FORM_block2, blob(1)),
                        attribute(DW_AT_UNKNOWN, DW_FORM_indirect, blob(DW_FORM_data1, 1))));
        assertThat(describe(abbreviation))
                .isEqualTo("skip 4, skip leb, skip string, skip block0, skip block2, skip indirect");
        assertThat(abbreviation.size()).isEqualTo(Abbreviation.VARIABLE);
    }

    /** The size of an address, of an offset, and in version 2 of a reference: what the unit's header decides. */
    @Test
    void sizesFollowTheUnit() throws ExtractionException {
        Die die = die(
                DW_TAG_variable,
                attribute(DW_AT_UNKNOWN, DW_FORM_addr, 1),
                attribute(DW_AT_UNKNOWN, DW_FORM_strp, 1),
                attribute(DW_AT_UNKNOWN, DW_FORM_ref_addr, 1));
        DwarfStyle style = DwarfStyle.DEFAULT;
        assertThat(compiled(style, die).size()).isEqualTo(8 + 4 + 4);
        assertThat(compiled(style.withAddressSize(4), die).size()).isEqualTo(4 + 4 + 4);
        assertThat(compiled(style.withOffsetSize(8), die).size()).isEqualTo(8 + 8 + 8);
        assertThat(compiled(style.withVersion(2), die).size()).isEqualTo(8 + 4 + 8);
    }

    @Test
    void nameAndSiblingBehindFixedAttributesHaveAPlace() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_UNKNOWN, DW_FORM_data2, 1),
                        attribute(DW_AT_name, DW_FORM_strp, "x"),
                        attribute(DW_AT_byte_size, DW_FORM_data1, 8),
                        attribute(DW_AT_sibling, DW_FORM_ref4, 1)));
        assertThat(abbreviation.nameAt()).isEqualTo(2);
        assertThat(abbreviation.siblingAt()).isEqualTo(2 + 4 + 1);
        assertThat(abbreviation.size()).isEqualTo(2 + 4 + 1 + 4);
    }

    @Test
    void whatStandsBehindAnAttributeOfNoFixedSizeHasNoPlace() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_UNKNOWN, DW_FORM_udata, 1),
                        attribute(DW_AT_name, DW_FORM_strp, "x"),
                        attribute(DW_AT_sibling, DW_FORM_ref4, 1)));
        assertThat(abbreviation.nameAt()).isEqualTo(Abbreviation.VARIABLE);
        assertThat(abbreviation.siblingAt()).isEqualTo(Abbreviation.VARIABLE);
    }

    @Test
    void aSiblingHasNoPlaceIfTheAttributesBehindItHaveNoFixedSize() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_name, DW_FORM_strp, "x"),
                        attribute(DW_AT_sibling, DW_FORM_ref4, 1),
                        attribute(DW_AT_UNKNOWN, DW_FORM_udata, 1)));
        assertThat(abbreviation.nameAt()).isZero();
        assertThat(abbreviation.siblingAt()).isEqualTo(Abbreviation.VARIABLE);
    }

    /** The place alone would decide, and the other name would be overlooked. */
    @Test
    void aNameHasNoPlaceIfSomethingElseCanNameTheDie() throws ExtractionException {
        Attribute name = attribute(DW_AT_name, DW_FORM_strp, "x");
        Die linked = die(DW_TAG_variable, name, attribute(DW_AT_linkage_name, DW_FORM_strp, "_Zx"));
        Die declared = die(DW_TAG_variable, name, attribute(DW_AT_specification, DW_FORM_ref4, 1));
        assertThat(compiled(DwarfStyle.DEFAULT, linked).nameAt()).isEqualTo(Abbreviation.VARIABLE);
        assertThat(compiled(DwarfStyle.DEFAULT, declared).nameAt()).isEqualTo(Abbreviation.VARIABLE);
    }

    @Test
    void offsetsOfEightBytesHaveNoPlace() throws ExtractionException {
        Die die = die(DW_TAG_structure_type, attribute(DW_AT_name, DW_FORM_strp, "x"));
        assertThat(compiled(DwarfStyle.DEFAULT.withOffsetSize(8), die).nameAt()).isEqualTo(Abbreviation.VARIABLE);
    }

    private static Abbreviation member(Part... parts) throws ExtractionException {
        return compiled(DwarfStyle.DEFAULT, die(DW_TAG_member, parts));
    }

    @Test
    void aPlainMemberHasNameTypeAndLocationAtTheirPlaces() throws ExtractionException {
        Abbreviation abbreviation = member(
                attribute(DW_AT_name, DW_FORM_strp, "x"),
                attribute(DW_AT_UNKNOWN, DW_FORM_data1, 1),
                attribute(DW_AT_type, DW_FORM_ref4, 1),
                attribute(DW_AT_data_member_location, DW_FORM_data2, 1));
        assertThat(abbreviation.isPlainMember()).isTrue();
        assertThat(abbreviation.nameAt()).isZero();
        assertThat(abbreviation.typeAt()).isEqualTo(4 + 1);
        assertThat(abbreviation.locationAt()).isEqualTo(4 + 1 + 4);
        assertThat(abbreviation.locationBytes()).isEqualTo(2);
    }

    @Test
    void aPlainMemberMayLackNameAndLocation() throws ExtractionException {
        Abbreviation abbreviation = member(attribute(DW_AT_type, DW_FORM_ref4, 1));
        assertThat(abbreviation.isPlainMember()).isTrue();
        assertThat(abbreviation.nameAt()).isEqualTo(Abbreviation.VARIABLE);
        assertThat(abbreviation.locationAt()).isEqualTo(Abbreviation.VARIABLE);
    }

    @Test
    void aMemberWithAnythingElseIsNotPlain() throws ExtractionException {
        Attribute name = attribute(DW_AT_name, DW_FORM_strp, "x");
        Attribute type = attribute(DW_AT_type, DW_FORM_ref4, 1);
        Attribute location = attribute(DW_AT_data_member_location, DW_FORM_data1, 1);
        assertThat(member(name, type, location).isPlainMember()).isTrue();
        for (Attribute other : List.of(
                attribute(DW_AT_bit_size, DW_FORM_data1, 1),
                attribute(DW_AT_declaration, DW_FORM_flag_present, 1),
                attribute(DW_AT_external, DW_FORM_flag_present, 1),
                attribute(DW_AT_sibling, DW_FORM_ref4, 1),
                attribute(DW_AT_UNKNOWN, DW_FORM_udata, 1))) {
            assertThat(member(name, type, location, other).isPlainMember())
                    .as("%s", other)
                    .isFalse();
        }
        assertThat(member(name, location).isPlainMember()).isFalse();
        assertThat(member(name, type, location, die(DW_TAG_member)).isPlainMember())
                .isFalse();
        assertThat(member(name, attribute(DW_AT_type, DW_FORM_ref8, 1), location)
                        .isPlainMember())
                .isFalse();
        assertThat(member(name, type, attribute(DW_AT_data_member_location, DW_FORM_implicit_const, 8))
                        .isPlainMember())
                .isFalse();
        assertThat(member(attribute(DW_AT_name, DW_FORM_line_strp, "x"), type, location)
                        .isPlainMember())
                .isFalse();
    }

    /** The last of them counts, as for all plans. */
    @Test
    void aMemberThatRepeatsAnAttributeInAnotherFormIsNotPlain() throws ExtractionException {
        Attribute type = attribute(DW_AT_type, DW_FORM_ref4, 1);
        assertThat(member(type, attribute(DW_AT_type, DW_FORM_ref8, 1)).isPlainMember())
                .isFalse();
        assertThat(member(attribute(DW_AT_type, DW_FORM_ref8, 1), type).typeAt())
                .isEqualTo(8);
    }

    /** Codes differ from unit to unit, and so do sizes. */
    @Test
    void tablesShareAbbreviationsOfOneDeclaration() throws ExtractionException {
        Map<BytesKey, Abbreviation> declared = new HashMap<>();
        Section abbrev = new Section(
                ".debug_abbrev",
                MemorySegment.ofArray(new byte[] {
                    1,
                    DW_TAG_base_type,
                    0,
                    DW_AT_byte_size,
                    DW_FORM_data1,
                    0,
                    0, //
                    2,
                    DW_TAG_base_type,
                    0,
                    DW_AT_byte_size,
                    DW_FORM_data2,
                    0,
                    0,
                    0, //
                    9,
                    DW_TAG_base_type,
                    0,
                    DW_AT_byte_size,
                    DW_FORM_data1,
                    0,
                    0,
                    0
                }),
                ByteOrder.LITTLE_ENDIAN);
        PlanCompiler compiler = new PlanCompiler(5, 8, 4, false, false);
        AbbreviationTable first = AbbreviationTable.read(abbrev, 0, declared, Limits.DEFAULT);
        AbbreviationTable second = AbbreviationTable.read(abbrev, 15, declared, Limits.DEFAULT);
        assertThat(second.find(9, compiler)).isSameAs(first.find(1, compiler));
        assertThat(first.find(2, compiler)).isNotSameAs(first.find(1, compiler));
    }

    @Test
    void theShorterPlanCapturesTheSiblingOnly() throws ExtractionException {
        Abbreviation abbreviation = compiled(
                DwarfStyle.DEFAULT,
                die(
                        DW_TAG_structure_type,
                        attribute(DW_AT_name, DW_FORM_strp, "x"),
                        attribute(DW_AT_byte_size, DW_FORM_udata, 8),
                        attribute(DW_AT_sibling, DW_FORM_ref4, 1),
                        attribute(DW_AT_alignment, DW_FORM_data1, 8)));
        assertThat(abbreviation.passing())
                .containsExactly(
                        PlanCompiler.SKIP | 4 << 8,
                        PlanCompiler.SKIP_LEB,
                        PlanCompiler.REFERENCE | Slot.SIBLING << 8 | 4 << 16,
                        PlanCompiler.SKIP | 1 << 8);
    }
}
