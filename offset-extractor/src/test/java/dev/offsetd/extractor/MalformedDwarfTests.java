package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
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
import java.io.IOException;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.stream.Stream;
import org.assertj.core.api.AbstractThrowableAssert;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A file of which nothing can be read is rejected with the kind and location of the fault, in every byte order, format and
 * version. {@link ContainedFaultsTests} has those of which the rest is answered.
 */
class MalformedDwarfTests {

    /** Returns a DIE with a sibling attribute, whose children contain no types and are skipped. */
    private static Die withSibling(Attribute sibling) {
        return die(DW_TAG_subroutine_type, sibling, die(DW_TAG_formal_parameter, type("int")));
    }

    static Stream<DwarfStyle> styles() {
        return DwarfStyle.all();
    }

    private static DwarfSections written(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units);
    }

    private static Unit point() {
        return unit(baseType("int", 4, DW_ATE_signed), struct("point", 4, member("x", "int", 0)));
    }

    private static AbstractThrowableAssert<?, ? extends Throwable> assertRefused(
            DwarfSections sections, Class<? extends ExtractionException> kind) {
        return assertThatThrownBy(() -> Answers.all(sections)).isExactlyInstanceOf(kind);
    }

    private static void assertMalformed(DwarfSections sections, String messagePattern) {
        assertRefused(sections, MalformedInputException.class).hasMessageMatching(messagePattern);
    }

    /** One part is left out for damage, and every type is answered, at least as a name. */
    private static void assertLeftOut(DwarfSections sections, Omission.Part part, String messagePattern)
            throws IOException, ExtractionException {
        assertThat(Answers.catalogue(sections).omissions())
                .anySatisfy(omission -> {
                    assertThat(omission.part()).isEqualTo(part);
                    assertThat(omission.cause()).isEqualTo(Omission.Cause.DAMAGED);
                    assertThat(omission.places()).anyMatch(place -> place.matches(messagePattern));
                })
                .allSatisfy(omission -> assertThat(omission.part()).isEqualTo(part));
    }

    private static void assertLimit(DwarfSections sections, String limit) {
        assertRefused(sections, LimitExceededException.class)
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(limit));
    }

    @Test
    void soundTreeIsRead() throws IOException, ExtractionException {
        assertThat(Answers.all(written(point()))).hasSize(2);
    }

    @ParameterizedTest
    @MethodSource("styles")
    void unknownAbbreviationCodeIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(style, unit(struct("before", 1), verbatim(0xe7, 0x24)));
        assertMalformed(sections, "\\.debug_info\\+0x[0-9a-f]+: unknown abbreviation code 4711.*");
    }

    /** In the form of most compilers, and in one that is read by a plan. */
    @ParameterizedTest
    @ValueSource(ints = {DW_FORM_ref4, DW_FORM_ref8})
    void typeOfAMemberBehindTheUnitIsLeftOut(int form) throws IOException, ExtractionException {
        DwarfSections sections = written(unit(struct(
                "point",
                4,
                die(
                        DW_TAG_member,
                        attribute(DW_AT_name, DW_FORM_strp, "x"),
                        label("x"),
                        attribute(DW_AT_type, form, 0xffff),
                        attribute(DW_AT_data_member_location, DW_FORM_data1, 0)))));
        assertLeftOut(
                sections,
                Omission.Part.TYPE,
                "\\.debug_info\\+0x%x: reference to unit offset 0xffff; the DIEs of the unit are at 0xc to 0x[0-9a-f]+"
                        .formatted(sections.offsetOf("x") + 1 + 4));
    }

    /** The last number of the unit ends behind it. */
    @Test
    void memberBehindTheUnitIsMalformed() {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT.withSiblings(false),
                unit(struct(
                        "point",
                        4,
                        die(
                                DW_TAG_member,
                                attribute(DW_AT_name, DW_FORM_strp, "x"),
                                attribute(DW_AT_type, DW_FORM_ref4, 1),
                                attribute(DW_AT_data_member_location, DW_FORM_data2, 0)))));
        int terminators = 2;
        int length = sections.section(".debug_info").length - Integer.BYTES;
        for (int cut = terminators + 1; cut <= terminators + 2 + 4 + 4; cut++) {
            DwarfSections shorter = sections.with(
                    ".debug_info",
                    new BinaryWriter(DwarfStyle.DEFAULT.order())
                            .u32(length - cut)
                            .bytes(Arrays.copyOfRange(
                                    sections.section(".debug_info"), Integer.BYTES, Integer.BYTES + length - cut))
                            .toBytes());
            assertMalformed(shorter, "\\.debug_info\\+0x[0-9a-f]+: need [0-9]+ bytes, the part from .*");
        }
    }

    @ParameterizedTest
    @MethodSource("styles")
    @ChecklistRow(2)
    void siblingPointingBackwardsIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(
                style,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct("before", 1),
                        withSibling(attribute(DW_AT_sibling, DW_FORM_ref4, new Ref("before")))));
        assertMalformed(
                sections,
                "\\.debug_info\\+0x[0-9a-f]+: DW_AT_sibling points .*0x" + Long.toHexString(sections.offsetOf("before"))
                        + "\\b.*");
    }

    /** A sibling that refers to itself is the shortest possible infinite loop. */
    @ParameterizedTest
    @MethodSource("styles")
    @ChecklistRow(2)
    void siblingPointingAtItselfIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(
                style,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        die(
                                DW_TAG_subroutine_type,
                                label("self"),
                                attribute(DW_AT_sibling, DW_FORM_ref4, new Ref("self")),
                                die(DW_TAG_formal_parameter, type("int")))));
        assertMalformed(sections, "\\.debug_info\\+0x[0-9a-f]+: DW_AT_sibling points .*");
    }

    @ParameterizedTest
    @MethodSource("styles")
    void siblingOutsideItsUnitIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(
                style,
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        withSibling(attribute(DW_AT_sibling, DW_FORM_ref4, 0x00ff_ffff))));
        assertMalformed(sections, "\\.debug_info\\+0x[0-9a-f]+: DW_AT_sibling points to .*");
    }

    @ParameterizedTest
    @MethodSource("styles")
    void unitThatIsLongerThanItsSectionIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(style, point());
        long bytes = sections.section(".debug_info").length;
        for (long length : new long[] {bytes, 0x7000_0000L}) {
            assertMalformed(withUnitLength(sections, length), "\\.debug_info\\+0x.*");
        }
    }

    @ParameterizedTest
    @MethodSource("styles")
    void unitThatEndsWithinADieIsMalformed(DwarfStyle style) {
        DwarfSections sections = DwarfWriter.write(style, point());
        byte[] info = sections.section(".debug_info");
        // The last two bytes terminate the child lists; the member precedes them.
        for (int missing = 3; missing < 8; missing++) {
            byte[] cut = Arrays.copyOf(info, info.length - missing);
            int lengthField = style.offsetSize() == 8 ? 12 : 4;
            assertMalformed(
                    withUnitLength(sections.with(".debug_info", cut), cut.length - lengthField),
                    "\\.debug_info\\+0x.*");
        }
    }

    private static DwarfSections withUnitLength(DwarfSections sections, long length) {
        int size = sections.style().offsetSize();
        return sections.patched(".debug_info", size == 8 ? 4 : 0, length, size);
    }

    @Test
    void reservedUnitLengthIsMalformed() {
        assertMalformed(written(point()).patched(".debug_info", 0, 0xffff_fff3L, 4), "\\.debug_info.*0xfffffff3.*");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 1, 6, 7, 0xffff})
    void versionsOutsideTwoToFiveAreUnsupported(int version) {
        assertRefused(written(point()).patched(".debug_info", 4, version, 2), UnsupportedInputException.class)
                .hasMessage(".debug_info+0x4: DWARF version " + version + " is not supported; versions 2 to 5 are");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 3, 16, 255})
    void addressSizesThatNoMachineHasAreRefused(int addressSize) {
        assertThatThrownBy(() -> Answers.all(written(point()).patched(".debug_info", 7, addressSize, 1)))
                .isInstanceOf(ExtractionException.class)
                .hasMessageStartingWith(".debug_info+0x");
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 0x33, 0xff})
    void unknownUnitTypeIsRefused(int unitType) {
        assertThatThrownBy(() -> Answers.all(written(point()).patched(".debug_info", 6, unitType, 1)))
                .isInstanceOf(ExtractionException.class)
                .hasMessageStartingWith(".debug_info+0x");
    }

    @Test
    void tagThatDwarfCannotHaveIsMalformedHoweverLarge() {
        byte[] table = HexFormat.of().parseHex("01" + "91808080808080808001" + "00" + "0000" + "00");

        assertMalformed(
                written(point()).with(".debug_abbrev", table), "\\.debug_abbrev\\+0x.*tag is 0x8000000000000011.*");
    }

    @Test
    void abbreviationTableOutsideItsSectionIsMalformed() {
        assertMalformed(written(point()).patched(".debug_info", 8, 0x10_0000, 4), "\\.debug_(info|abbrev).*0x100000.*");
    }

    @Test
    void missingAbbreviationSectionIsMalformed() {
        assertRefused(written(point()).without(".debug_abbrev"), MalformedInputException.class);
    }

    @Test
    void cutAbbreviationTableIsMalformed() {
        DwarfSections sections = written(point());
        byte[] table = sections.section(".debug_abbrev");
        for (int length = 1; length < table.length - 1; length++) {
            DwarfSections cut = sections.with(".debug_abbrev", Arrays.copyOf(table, length));
            assertThatThrownBy(() -> Answers.all(cut))
                    .as("%d of %d bytes", length, table.length)
                    .isInstanceOf(MalformedInputException.class);
        }
    }

    @Test
    void duplicateAbbreviationCodeIsMalformed() {
        DwarfSections sections = written(unit(
                die(DW_TAG_base_type, code(9), name("int"), byteSize(4)),
                die(DW_TAG_structure_type, code(9), byteSize(4), name("other"))));
        assertMalformed(sections, "\\.debug_abbrev\\+0x[0-9a-f]+: .*abbreviation code 9.*");
    }

    @ParameterizedTest
    @ValueSource(ints = {0x2d, 0x7f, 0x1f00, 0x2fff})
    void unknownFormIsRefusedWithItsCode(int form) {
        DwarfSections sections =
                written(unit(die(DW_TAG_structure_type, name("s"), attribute(DW_AT_alignment, form, blob(1)))));
        assertThatThrownBy(() -> Answers.all(sections))
                .isInstanceOf(ExtractionException.class)
                .hasMessageContaining("0x" + Integer.toHexString(form));
    }

    @Test
    void implicitConstBehindIndirectIsMalformed() {
        DwarfSections sections = written(unit(die(
                DW_TAG_structure_type,
                name("s"),
                attribute(DW_AT_byte_size, DW_FORM_indirect, blob(DW_FORM_implicit_const, 4)))));
        assertRefused(sections, MalformedInputException.class);
    }

    /** Each DW_FORM_indirect names DW_FORM_indirect again, up to the end of the input. */
    @Test
    @ChecklistRow(2)
    void longChainOfIndirectFormsIsRefused() {
        byte[] chain = new byte[1_000_000];
        Arrays.fill(chain, (byte) DW_FORM_indirect);
        DwarfSections sections = written(
                unit(die(DW_TAG_structure_type, name("s"), attribute(DW_AT_byte_size, DW_FORM_indirect, blob(chain)))));
        assertThatThrownBy(() -> Answers.all(sections))
                .isInstanceOf(ExtractionException.class)
                .hasMessageStartingWith(".debug_info+0x");
    }

    @ParameterizedTest
    @ValueSource(ints = {DW_FORM_strp, DW_FORM_line_strp, DW_FORM_strx1, DW_FORM_strx4})
    void nameOutsideItsSectionIsLeftOut(int form) throws IOException, ExtractionException {
        DwarfSections sections = written(unit(
                die(DW_TAG_base_type, attribute(DW_AT_name, DW_FORM_strx, "int")),
                die(DW_TAG_structure_type, attribute(DW_AT_name, form, 0xee), byteSize(4))));
        assertLeftOut(sections, Omission.Part.TYPE, "\\.debug_\\w+\\+0x.*");
    }

    @Test
    void nameWithoutEndIsLeftOut() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(die(DW_TAG_structure_type, name("without_end"), byteSize(4))));
        byte[] strings = sections.section(".debug_str");
        assertLeftOut(
                sections.with(".debug_str", Arrays.copyOf(strings, strings.length - 1)),
                Omission.Part.TYPE,
                "\\.debug_(str|info)\\+0x.*");
    }

    @Test
    void namesWithoutTheirSectionAreLeftOut() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(die(DW_TAG_structure_type, name("long_enough"), byteSize(4))));
        assertLeftOut(sections.without(".debug_str"), Omission.Part.TYPE, "\\.debug_(str|info)\\+0x.*");
    }

    @ParameterizedTest
    @MethodSource("styles")
    void typeOutsideItsUnitIsLeftOut(DwarfStyle style) throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                style,
                unit(struct(
                        "holder", 4, die(DW_TAG_member, name("m"), attribute(DW_AT_type, DW_FORM_ref4, 0x00ff_ffff)))));
        assertLeftOut(sections, Omission.Part.TYPE, "\\.debug_info\\+0x[0-9a-f]+: .*0xffffff.*");
    }

    @Test
    void typeInNoUnitIsLeftOut() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(struct(
                "holder", 4, die(DW_TAG_member, name("m"), attribute(DW_AT_type, DW_FORM_ref_addr, 0x00ff_ffff)))));
        assertLeftOut(sections, Omission.Part.TYPE, "\\.debug_info\\+0x[0-9a-f]+: .*0xffffff.*");
    }

    /** The reference points into the unit's header, into the middle of a DIE, or at a DIE that is not a type. */
    @Test
    void invalidTypeReferenceIsAnAnswerOrARefusal() {
        for (int target = 0; target < 60; target++) {
            DwarfSections sections = written(unit(
                    baseType("int", 4, DW_ATE_signed),
                    die(DW_TAG_variable, name("v")),
                    struct("holder", 4, die(DW_TAG_member, name("m"), attribute(DW_AT_type, DW_FORM_ref4, target)))));
            assertAnswerOrRefusal(sections);
        }
    }

    private static void assertAnswerOrRefusal(DwarfSections sections) {
        try {
            assertThat(Answers.all(sections)).isNotNull();
        } catch (IOException e) {
            throw new AssertionError(e);
        } catch (ExtractionException e) {
            assertThat(e.getMessage()).isNotBlank();
        }
    }

    private static final String COMES_BACK = "\\.debug_info\\+0x[0-9a-f]+: a type refers to itself";

    @Test
    @ChecklistRow(2)
    void cyclicTypedefsAreLeftOut() throws IOException, ExtractionException {
        assertLeftOut(
                written(unit(
                        typedef("a", "b"), typedef("b", "c"), typedef("c", "a"), struct("s", 4, member("m", "a", 0)))),
                Omission.Part.TYPE,
                COMES_BACK);
    }

    @Test
    @ChecklistRow(2)
    void typedefOfItselfIsLeftOut() throws IOException, ExtractionException {
        assertLeftOut(written(unit(typedef("a", "a"))), Omission.Part.TYPE, COMES_BACK);
    }

    @Test
    @ChecklistRow(2)
    void onlyTheMemberIsLeftOutOfAStructThatHoldsItselfByValue() throws IOException, ExtractionException {
        DwarfSections sections = written(
                unit(baseType("int", 4, DW_ATE_signed), struct("s", 4, member("a", "int", 0), member("self", "s", 2))));
        assertLeftOut(sections, Omission.Part.TYPE, "\\.debug_info\\+0x[0-9a-f]+: a type contains itself by value");
        assertThat(Answers.aggregate(sections, "s").members())
                .extracting(
                        Member::name, Member::location, member -> member.type().byteSize())
                .containsExactly(
                        tuple("a", new MemberLocation.Fixed(0), 4L), tuple("self", new MemberLocation.Fixed(16), 4L));
    }

    @Test
    @ChecklistRow(2)
    void arrayOfItselfIsLeftOut() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(
                die(
                        DW_TAG_array_type,
                        label("a"),
                        type("a"),
                        die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 2))),
                struct("s", 4, member("m", "a", 0))));
        assertLeftOut(sections, Omission.Part.TYPE, "\\.debug_info\\+0x[0-9a-f]+: a type contains itself by value");
    }

    /** A list node: the cycle goes through a pointer, as in real programs. */
    @Test
    @ChecklistRow(2)
    void cyclesThroughPointersAreFine() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(
                struct("node", 8, member("next", "node *", 0)),
                die(DW_TAG_pointer_type, label("node *"), type("node"))));
        assertThat(Answers.aggregate(sections, "node").members()).hasSize(1);
    }

    /**
     * The depth of a type counts in full even if its target has already been read, so the order of the DIEs does not
     * matter.
     */
    @Test
    @ChecklistRow(2)
    void typedefChainIsFollowedUpToTheLimit() throws IOException, ExtractionException {
        int limit = Limits.DEFAULT.maxTypeDepth();
        for (boolean reversed : new boolean[] {false, true}) {
            assertThat(Answers.all(chainOfTypedefs(limit - 2, reversed))).hasSize(limit - 1);
            assertLimit(chainOfTypedefs(limit + 2, reversed), "maxTypeDepth");
            assertLimit(chainOfTypedefs(20_000, reversed), "maxTypeDepth");
        }
    }

    private static DwarfSections chainOfTypedefs(int length, boolean reversed) {
        List<Part> dies = new ArrayList<>();
        dies.add(baseType("t0", 4, DW_ATE_signed));
        for (int i = 1; i <= length; i++) {
            dies.add(typedef("t" + i, "t" + (i - 1)));
        }
        return written(unit((reversed ? dies.reversed() : dies).toArray(Part[]::new)));
    }

    @Test
    @ChecklistRow(2)
    void structsHeldByValueAreFollowedUpToTheLimit() {
        for (boolean reversed : new boolean[] {false, true}) {
            List<Part> dies = new ArrayList<>();
            dies.add(struct("s0", 4));
            for (int i = 1; i <= 5_000; i++) {
                dies.add(struct("s" + i, 4, member("m", "s" + (i - 1), 0)));
            }
            assertLimit(written(unit((reversed ? dies.reversed() : dies).toArray(Part[]::new))), "maxTypeDepth");
        }
    }

    /** Variant parts are levels of a type like structs held by value. */
    @Test
    @ChecklistRow(2)
    void variantPartsCountAsLevels() throws IOException, ExtractionException {
        int limit = Limits.DEFAULT.maxTypeDepth();
        assertThat(Answers.all(nestedVariantParts(limit / 5))).isNotEmpty();
        assertLimit(nestedVariantParts(limit / 3), "maxTypeDepth");
    }

    /** Returns two structs, one in the innermost of nested variant parts of the other. */
    private static DwarfSections nestedVariantParts(int parts) {
        List<Part> dies = new ArrayList<>();
        dies.add(struct("s0", 4));
        for (int i = 1; i <= 2; i++) {
            Die innermost = member("m", "s" + (i - 1), 0);
            for (int j = 0; j < parts; j++) {
                innermost = die(DW_TAG_variant_part, die(DW_TAG_variant, innermost));
            }
            dies.add(struct("s" + i, 4, innermost));
        }
        return written(unit(dies.toArray(Part[]::new)));
    }

    @Test
    @ChecklistRow(2)
    void pointersToPointersAreFollowedUpToTheLimit() {
        List<Part> dies = new ArrayList<>();
        dies.add(baseType("p0", 4, DW_ATE_signed));
        for (int i = 1; i <= 50_000; i++) {
            dies.add(die(DW_TAG_pointer_type, label("p" + i), type("p" + (i - 1))));
        }
        dies.add(struct("holder", 8, member("deep", "p50000", 0)));
        assertAnswerOrRefusal(written(unit(dies.toArray(Part[]::new))));
    }

    @Test
    @ChecklistRow(2)
    void nestedBlocksAreReadUpToTheLimit() throws IOException, ExtractionException {
        int limit = Limits.DEFAULT.maxDieDepth();
        assertThat(Answers.all(nestedBlocks(limit - 10))).hasSize(1);
        assertLimit(nestedBlocks(limit + 10), "maxDieDepth");
    }

    /** Encoded by hand, because {@link DwarfWriter} recurses and would overflow the stack at this depth. */
    private static DwarfSections nestedBlocks(int depth) {
        DwarfSections model = DwarfWriter.write(
                DwarfStyle.DEFAULT.withSiblings(false),
                unit(die(
                        DW_TAG_subprogram,
                        code(50),
                        name("f"),
                        die(
                                DW_TAG_lexical_block,
                                code(51),
                                die(DW_TAG_structure_type, code(52), name("s"), byteSize(1))))));
        byte[] info = model.section(".debug_info");
        int block = info.length - 1;
        while (info[block] != 51) {
            block--;
        }
        byte[] tail = Arrays.copyOfRange(info, block + 1, info.length);
        BinaryWriter out = new BinaryWriter(DwarfStyle.DEFAULT.order()).bytes(Arrays.copyOf(info, block));
        for (int i = 0; i < depth; i++) {
            out.u8(51);
        }
        out.bytes(tail);
        for (int i = 1; i < depth; i++) {
            out.u8(0);
        }
        byte[] bytes = out.toBytes();
        return withUnitLength(model.with(".debug_info", bytes), bytes.length - 4L);
    }

    @Test
    void attributesOfOneAbbreviationAreReadUpToTheLimit() throws IOException, ExtractionException {
        int limit = Limits.DEFAULT.maxAttributesPerAbbreviation();
        assertThat(Answers.all(structWithAttributes(limit))).hasSize(1);
        assertLimit(structWithAttributes(limit + 1), "maxAttributesPerAbbreviation");
    }

    private static DwarfSections structWithAttributes(int count) {
        Part[] parts = new Part[count];
        Arrays.fill(parts, attribute(0x3abc, DW_FORM_flag_present, 1));
        parts[0] = name("s");
        return DwarfWriter.write(DwarfStyle.DEFAULT.withSiblings(false), unit(die(DW_TAG_structure_type, parts)));
    }

    @Test
    void negativeAndHugeNumbersAreAnAnswerOrARefusal() {
        for (long number : new long[] {-1, Long.MIN_VALUE, Long.MAX_VALUE, 1L << 61, 0x7fff_ffffL}) {
            for (int form : List.of(DW_FORM_sdata, DW_FORM_data8)) {
                assertAnswerOrRefusal(written(unit(
                        baseType("int", 4, DW_ATE_signed),
                        die(
                                DW_TAG_array_type,
                                label("array"),
                                type("int"),
                                die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, form, number)),
                                die(DW_TAG_subrange_type, attribute(DW_AT_count, form, number))),
                        die(
                                DW_TAG_structure_type,
                                name("s"),
                                attribute(DW_AT_byte_size, form, number),
                                attribute(DW_AT_alignment, form, number),
                                die(
                                        DW_TAG_member,
                                        name("m"),
                                        type("array"),
                                        attribute(DW_AT_data_member_location, form, number)),
                                die(
                                        DW_TAG_member,
                                        name("b"),
                                        type("int"),
                                        attribute(DW_AT_bit_size, form, number),
                                        attribute(DW_AT_bit_offset, form, number)),
                                die(
                                        DW_TAG_member,
                                        name("c"),
                                        type("int"),
                                        attribute(DW_AT_bit_size, form, number),
                                        attribute(DW_AT_data_bit_offset, form, number))))));
            }
        }
    }

    @Test
    void lebThatDoesNotFitIsMalformed() {
        DwarfSections sections = written(unit(die(
                DW_TAG_structure_type,
                name("s"),
                attribute(
                        DW_AT_byte_size,
                        DW_FORM_udata,
                        blob(0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f)))));
        assertMalformed(sections, "\\.debug_info\\+0x.*");
    }

    @Test
    void lebWithoutEndIsMalformed() {
        DwarfSections sections = written(unit(die(
                DW_TAG_structure_type, name("s"), attribute(DW_AT_byte_size, DW_FORM_udata, blob(0x80, 0x80, 0x80)))));
        byte[] info = sections.section(".debug_info");
        byte[] cut = Arrays.copyOf(info, info.length - 1);
        assertMalformed(withUnitLength(sections.with(".debug_info", cut), cut.length - 4L), "\\.debug_info\\+0x.*");
    }

    @Test
    void blockLongerThanItsUnitIsMalformed() {
        for (DwarfStyle style : DwarfStyle.all().toList()) {
            DwarfSections sections = DwarfWriter.write(
                    style,
                    unit(
                            die(DW_TAG_variable, label("v"), attribute(0x3abc, DW_FORM_block4, blob(1, 2))),
                            struct("s", 1)));
            long code = sections.offsetOf("v") + 1 + (style.indirect() ? 1 : 0);
            assertMalformed(sections.patched(".debug_info", code, 0xffff_fff0L, 4), "\\.debug_info\\+0x.*");
        }
    }

    @Test
    void emptyDebugInfoIsRefused() {
        assertThatThrownBy(() -> Answers.all(written(point()).with(".debug_info", new byte[0])))
                .isInstanceOf(ExtractionException.class);
        assertThatThrownBy(() -> Answers.all(written(point()).without(".debug_info")))
                .isInstanceOf(ExtractionException.class);
    }

    /** The file chooses the names of its types. Messages quote them, so that they cannot forge log lines. */
    @Test
    void hostileNamesAreQuotedInMessages() throws IOException, ExtractionException {
        DwarfSections sections =
                written(unit(struct("evil\n\u001b[31mname", 4, member("self", "evil\n\u001b[31mname", 0))));
        assertThat(Answers.catalogue(sections).omissions())
                .isNotEmpty()
                .allSatisfy(omission -> assertThat(omission.places())
                        .allSatisfy(place -> assertThat(place).doesNotContain("\n", "\u001b")));
    }
}
