package dev.offsetd.extractor;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.tuple;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.layout.AggregateShape;
import dev.offsetd.extractor.layout.Definition;
import dev.offsetd.extractor.layout.EnumShape;
import dev.offsetd.extractor.layout.IncompleteShape;
import dev.offsetd.extractor.layout.Member;
import dev.offsetd.extractor.layout.MemberLocation;
import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.layout.Omission.Cause;
import dev.offsetd.extractor.layout.Omission.Part;
import dev.offsetd.extractor.layout.TypeCatalogue;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Ref;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/** A fault makes the smallest thing around it unanswerable, which is noted, and everything else is answered. */
class ContainedFaultsTests {

    @TempDir
    Path folder;

    static Stream<DwarfStyle> styles() {
        return DwarfStyle.all();
    }

    private static DwarfSections written(Unit... units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units);
    }

    private static Unit sound(String name) {
        String type = name + "_int";
        return unit(baseType(type, 4, DW_ATE_signed), struct(name, 8, member("a", type, 0), member("b", type, 4)));
    }

    private static AggregateShape readStruct(TypeCatalogue types, String name) {
        return (AggregateShape) types.definitionsNamed(name).getFirst().shape();
    }

    private static void assertOmitted(TypeCatalogue types, Part part, Cause cause, long count) {
        assertThat(types.omissions())
                .extracting(Omission::part, Omission::cause, Omission::count)
                .containsExactly(tuple(part, cause, count));
    }

    @Test
    void fileWithoutFaultsHasNoOmissions() throws IOException, ExtractionException {
        assertThat(Answers.catalogue(written(sound("s"))).omissions()).isEmpty();
    }

    /** IBM's XL C refers to the header of the unit, at 0, for a type that it did not write. */
    @ParameterizedTest
    @ValueSource(ints = {0, 4, 0xffff})
    void memberWhoseTypeIsNowhereKeepsItsOffset(int target) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                struct(
                        "s",
                        32,
                        member("a", "int", 0),
                        die(
                                DW_TAG_member,
                                name("lost"),
                                attribute(DW_AT_type, DW_FORM_ref4, target),
                                memberLocation(24)),
                        member("b", "int", 28)))));
        assertThat(readStruct(types, "s").members())
                .extracting(
                        Member::name, Member::location, member -> member.type().byteSize())
                .containsExactly(
                        tuple("a", new MemberLocation.Fixed(0), 4L),
                        tuple("lost", new MemberLocation.Fixed(24 * 8), -1L),
                        tuple("b", new MemberLocation.Fixed(28 * 8), 4L));
        assertOmitted(types, Part.TYPE, Cause.DAMAGED, 1);
    }

    @Test
    void variableWhoseTypeIsNowhereCountsAsAVariable() throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(
                unit(die(DW_TAG_variable, name("lost"), attribute(DW_AT_type, DW_FORM_ref4, 0xffff)), struct("s", 4))));
        assertThat(readStruct(types, "s").byteSize()).isEqualTo(4);
        assertOmitted(types, Part.VARIABLE, Cause.DAMAGED, 1);
    }

    /** The size of a struct whose members cannot be read is in its own DIE. */
    @Test
    void structWhoseMembersAreUnreadableKeepsItsSize() throws IOException, ExtractionException {
        DwarfSections sections = written(
                unit(die(
                        DW_TAG_structure_type,
                        label("broken"),
                        name("broken"),
                        byteSize(16),
                        die(DW_TAG_member, label("x"), name("x"), memberLocation(0)))),
                unit(
                        baseType("long", 8, DW_ATE_signed),
                        struct(
                                "outer",
                                32,
                                member("a", "long", 0),
                                die(
                                        DW_TAG_member,
                                        name("broken"),
                                        attribute(DW_AT_type, DW_FORM_ref_addr, new Ref("broken")),
                                        memberLocation(8)),
                                member("z", "long", 24))));
        TypeCatalogue types = Answers.catalogue(sections.patched(".debug_info", sections.offsetOf("x"), 0x7f, 1));
        assertThat(readStruct(types, "outer").members())
                .extracting(
                        Member::location,
                        member -> member.type().spelling(),
                        member -> member.type().byteSize())
                .containsExactly(
                        tuple(new MemberLocation.Fixed(0), "long", 8L),
                        tuple(new MemberLocation.Fixed(64), "struct broken", 16L),
                        tuple(new MemberLocation.Fixed(192), "long", 8L));
        assertThat(types.omissions())
                .extracting(Omission::part, Omission::cause, Omission::count)
                .containsExactly(tuple(Part.TYPE, Cause.DAMAGED, 1L));
    }

    @ParameterizedTest
    @MethodSource("styles")
    void brokenUnitIsLeftOutAndTheOthersAreAnswered(DwarfStyle style) throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                style,
                sound("before"),
                unit(struct("partly", 4), die(DW_TAG_structure_type, label("broken"), name("broken"), byteSize(4))),
                sound("after"));
        TypeCatalogue types = Answers.catalogue(sections.patched(".debug_info", sections.offsetOf("broken"), 0x7f, 1));
        assertThat(types.definitions())
                .extracting(Definition::name)
                .containsExactly("before_int", "before", "after_int", "after");
        assertOmitted(types, Part.UNIT, Cause.DAMAGED, 1);
    }

    @Test
    void omissionsDoNotDependOnTheNumberOfThreads() throws IOException, ExtractionException {
        List<Unit> units = new ArrayList<>();
        for (int i = 0; i < 100; i++) {
            units.add(unit(
                    struct("s" + i, 4), die(DW_TAG_structure_type, label("d" + i), name("x" + i), byteSize(4 + i))));
        }
        DwarfSections sections = written(units.toArray(Unit[]::new));
        for (int i = 0; i < 100; i += 3) {
            sections = sections.patched(".debug_info", sections.offsetOf("d" + i), 0x7f, 1);
        }
        Path file = sections.writeTo(folder.resolve("file"));
        List<Omission> serial = DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::extractAll)
                .types()
                .omissions();
        assertThat(DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 4), DebugInfo::extractAll)
                        .types()
                        .omissions())
                .isEqualTo(serial);
        assertThat(serial).singleElement().satisfies(omission -> {
            assertThat(omission.count()).isEqualTo(34);
            assertThat(omission.places()).hasSize(Omission.MAX_PLACES);
        });
    }

    @ParameterizedTest
    @ValueSource(ints = {0, 6, 0xffff})
    void unitOfAnUnknownVersionIsLeftOutAsUnsupported(int version) throws IOException, ExtractionException {
        DwarfSections sections = written(sound("first"), sound("second"));
        TypeCatalogue types = Answers.catalogue(sections.patched(".debug_info", 4, version, 2));
        assertThat(types.definitions()).extracting(Definition::name).containsExactly("second_int", "second");
        assertOmitted(types, Part.UNIT, Cause.UNSUPPORTED, 1);
    }

    @Test
    void unitWhoseAbbreviationsAreMissingIsLeftOut() throws IOException, ExtractionException {
        DwarfSections sections = written(sound("first"), sound("second"));
        TypeCatalogue types = Answers.catalogue(sections.patched(".debug_info", 8, 0x10_0000, 4));
        assertThat(types.definitions()).extracting(Definition::name).containsExactly("second_int", "second");
        assertOmitted(types, Part.UNIT, Cause.DAMAGED, 1);
    }

    @Test
    void fileWithoutAnyReadableUnitIsRefusedWithItsFirstFault() {
        DwarfSections sections = written(sound("first"), sound("second"));
        int second = sections.section(".debug_info").length / 2;
        assertThatThrownBy(() -> Answers.catalogue(
                        sections.patched(".debug_info", 4, 9, 2).patched(".debug_info", second + 4, 9, 2)))
                .hasMessageStartingWith(".debug_info+0x4: DWARF version 9");
    }

    @Test
    void lengthThatLeadsNowhereRefusesTheFile() {
        DwarfSections sections = written(sound("first"), sound("second"));
        assertThatThrownBy(() -> Answers.catalogue(
                        sections.patched(".debug_info", sections.section(".debug_info").length / 2, 0x7000_0000, 4)))
                .isInstanceOf(MalformedInputException.class);
    }

    private static DwarfSections withSibling(int offset) {
        return written(unit(
                attribute(DW_AT_sibling, DW_FORM_ref4, offset),
                baseType("int", 4, DW_ATE_signed),
                struct("s", 4, member("a", "int", 0))));
    }

    /** Microtec's compiler gives it to the DIE of the unit. */
    @Test
    void siblingAtTheEndOfTheUnitIsAccepted() throws IOException, ExtractionException {
        int length = withSibling(0).section(".debug_info").length;
        DwarfSections sections = withSibling(length);
        TypeCatalogue types = Answers.catalogue(sections);
        assertThat(types.omissions()).isEmpty();
        assertThat(readStruct(types, "s").members()).hasSize(1);
    }

    /** clang -gmodules, Swift, and modules of C++20 add a unit that names the file of the module. */
    @ParameterizedTest
    @ValueSource(ints = {4, 5})
    void unitOfAModuleIsNoSkeleton(int version) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(DwarfWriter.write(
                DwarfStyle.DEFAULT.withVersion(version),
                sound("s"),
                unit(
                        attribute(DW_AT_GNU_dwo_id, DW_FORM_data8, 0x1234L),
                        attribute(
                                version < 5 ? DW_AT_GNU_dwo_name : DW_AT_dwo_name,
                                DW_FORM_string,
                                "cache/FooMod.pcm"))));
        assertThat(readStruct(types, "s").members()).hasSize(2);
        assertThat(types.omissions())
                .containsExactly(
                        new Omission(
                                Part.UNIT,
                                Cause.MISSING,
                                1,
                                List.of(
                                        "\"cache/FooMod.pcm\" (DWO id 0000000000001234; a module of clang, which is not read)")));
    }

    /** GCC 4.3 to 4.6 complete a type of a namespace at the level of the unit, without a name. */
    @ParameterizedTest
    @ValueSource(ints = {DW_AT_specification, DW_AT_abstract_origin})
    void typeHasTheNameOfTheDieThatItRefersToWhereverItIsUsed(int attribute) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                "test.cc",
                DW_LANG_C_plus_plus_14,
                die(
                        DW_TAG_namespace,
                        name("std"),
                        die(DW_TAG_structure_type, label("declared"), name("node"), declaration()),
                        die(
                                DW_TAG_enumeration_type,
                                label("declared enum"),
                                name("color"),
                                byteSize(4),
                                declaration())),
                baseType("int", 4, DW_ATE_signed),
                die(DW_TAG_pointer_type, label("node *"), byteSize(8), type("node")),
                completion(attribute, DW_TAG_structure_type, "node", "declared", 16, member("next", "node *", 0)),
                completion(
                        attribute,
                        DW_TAG_enumeration_type,
                        "color",
                        "declared enum",
                        4,
                        die(DW_TAG_enumerator, name("RED"), attribute(DW_AT_const_value, DW_FORM_data1, 7))),
                struct("list", 24, member("head", "node", 0), member("color", "color", 16)))));
        assertThat(types.omissions()).isEmpty();
        assertThat(readStruct(types, "list").members())
                .extracting(
                        member -> member.type().spelling(),
                        member -> member.type().byteSize())
                .containsExactly(tuple("std::node", 16L), tuple("std::color", 4L));
        assertThat(readStruct(types, "node").members())
                .extracting(member -> member.type().spelling())
                .containsExactly("std::node *");
        assertThat(readStruct(types, "list").members().get(1).type())
                .isInstanceOfSatisfying(
                        EnumShape.class, shape -> assertThat(shape.name()).isEqualTo("color"));
    }

    private static Die completion(int attribute, int tag, String label, String declaration, int bytes, Die child) {
        return die(tag, label(label), byteSize(bytes), attribute(attribute, DW_FORM_ref4, new Ref(declaration)), child);
    }

    /** Its own cycle leaves out the inner member only; who holds the struct has all the others. */
    @Test
    void structThatHoldsItselfIsAnsweredWithoutTheInnerOne() throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                struct("s", 8, member("a", "int", 0), member("self", "s", 4)),
                struct("holder", 12, member("s", "s", 0), member("z", "int", 8)))));
        assertThat(readStruct(types, "s").members())
                .extracting(Member::location)
                .containsExactly(new MemberLocation.Fixed(0), new MemberLocation.Fixed(32));
        assertThat(readStruct(types, "s").members().get(1).type()).isInstanceOf(IncompleteShape.class);
        assertThat(readStruct(types, "holder").members())
                .extracting(Member::location)
                .containsExactly(new MemberLocation.Fixed(0), new MemberLocation.Fixed(64));
    }

    @Test
    void memberWithoutAReadableNameIsUnsupportedAndTheOthersAreAnswered() throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                struct(
                        "s",
                        8,
                        die(DW_TAG_member, attribute(DW_AT_name, DW_FORM_strx1, 0xee), type("int"), memberLocation(0)),
                        member("b", "int", 4)))));
        assertThat(readStruct(types, "s").members().getFirst().location())
                .isInstanceOf(MemberLocation.Unsupported.class);
        assertThat(readStruct(types, "s").members().get(1).location()).isEqualTo(new MemberLocation.Fixed(32));
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 4, 7, 65, 80})
    void buildIdThatCannotBeAKeyKeepsNothingFromBeingRead(int bytes) throws IOException, ExtractionException {
        byte[] id = new byte[bytes];
        Arrays.fill(id, (byte) 0xab);
        Path file = Files.write(
                folder.resolve("file"), written(sound("s")).toElf().buildId(id).toBytes());
        ReadOptions options = new ReadOptions(Limits.DEFAULT, 1);
        assertThat(readStruct(
                                DebugInfo.read(file, options, DebugInfo::extractAll)
                                        .types(),
                                "s")
                        .members())
                .hasSize(2);
        assertThat(DebugInfo.read(file, options, DebugInfo::facts).buildId()).isNull();
        assertThat(DebugInfo.read(file, options, DebugInfo::symbolTables).tables())
                .isNotNull();
        assertThat(DebugInfo.read(file, options, DebugInfo::keys).primary().toString())
                .startsWith("sha256:");
        assertThat(DebugInfo.read(file, options, DebugInfo::unusableBuildId))
                .hasValueSatisfying(reason -> assertThat(reason)
                        .startsWith("NT_GNU_BUILD_ID of " + bytes + " bytes, ab")
                        .endsWith("; expected 8 to 64 bytes"));
    }

    /** The end of a unit is where the header of the next one begins. */
    @ParameterizedTest
    @ValueSource(ints = {DW_FORM_ref4, DW_FORM_ref_addr})
    void memberWhoseTypeIsAHeaderKeepsItsOffset(int form) throws IOException, ExtractionException {
        DwarfSections sections = written(
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        struct(
                                "s",
                                8,
                                die(
                                        DW_TAG_member,
                                        name("a"),
                                        attribute(DW_AT_type, form, 0x1234_5678),
                                        memberLocation(0)),
                                member("b", "int", 4))),
                sound("other"));
        ByteBuffer info = ByteBuffer.wrap(sections.section(".debug_info")).order(ByteOrder.LITTLE_ENDIAN);
        int reference = 0;
        while (info.getInt(reference) != 0x1234_5678) {
            reference++;
        }
        // The length does not count itself.
        info.putInt(reference, form == DW_FORM_ref4 ? info.getInt(0) + Integer.BYTES : 0);

        TypeCatalogue types = Answers.catalogue(sections.with(".debug_info", info.array()));

        assertThat(readStruct(types, "s").members().getFirst().type()).isInstanceOf(IncompleteShape.class);
        assertThat(readStruct(types, "s").members().getFirst().location()).isEqualTo(new MemberLocation.Fixed(0));
        assertThat(readStruct(types, "s").members().get(1).location()).isEqualTo(new MemberLocation.Fixed(32));
        assertThat(types.definitionsNamed("other")).hasSize(1);
        assertThat(types.omissions()).extracting(Omission::cause).containsOnly(Cause.DAMAGED);
    }

    /** A search by name leaves out what a reading of everything leaves out. */
    @Test
    void nameOutsideItsSectionKeepsNoOtherTypeFromBeingFound() throws IOException, ExtractionException {
        Path file = written(unit(
                        die(DW_TAG_structure_type, attribute(DW_AT_name, DW_FORM_strp, 0x00ff_ffff), byteSize(4)),
                        baseType("int", 4, DW_ATE_signed),
                        struct("s", 8, member("a", "int", 0))))
                .writeTo(folder.resolve("file"));

        TypeCatalogue types = DebugInfo.read(
                        file,
                        new ReadOptions(Limits.DEFAULT, 1),
                        info -> info.extract(new RequestedNames(Set.of("s"), Set.of())))
                .types();

        assertThat(readStruct(types, "s").members()).hasSize(1);
        assertOmitted(types, Part.TYPE, Cause.DAMAGED, 1);
    }

    /** Nothing in a unit depends on its name or folder. */
    @ParameterizedTest
    @ValueSource(ints = {DW_AT_name, DW_AT_comp_dir})
    void unitWhoseNameIsOutsideItsSectionIsAnswered(int attribute) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(
                written(unit(attribute(attribute, DW_FORM_strp, 0x00ff_ffff), struct("s", 4)), sound("other")));
        assertThat(types.definitionsNamed("s")).hasSize(1);
        assertThat(types.omissions()).isEmpty();
    }

    @Test
    void memberWhoseNameIsOutsideItsSectionIsTheOnlyOneLeftOut() throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                struct(
                        "s",
                        8,
                        member("a", "int", 0),
                        die(
                                DW_TAG_member,
                                attribute(DW_AT_name, DW_FORM_strp, 0x00ff_ffff),
                                type("int"),
                                memberLocation(4))),
                die(DW_TAG_variable, name("v"), type("s")))));
        assertThat(readStruct(types, "s").members()).hasSize(2);
        assertOmitted(types, Part.MEMBER, Cause.DAMAGED, 1);
    }

    @Test
    void arrayOfTooManyDimensionsTakesNoOtherTypeAlong() throws IOException, ExtractionException {
        Die[] dimensions = Stream.generate(() -> die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 1)))
                .limit(65)
                .toArray(Die[]::new);
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                die(
                        DW_TAG_array_type,
                        Stream.concat(Stream.of(label("array"), type("int")), Stream.of(dimensions))
                                .toArray(DwarfTree.Part[]::new)),
                struct("s", 8, member("a", "array", 0), member("b", "int", 4)))));

        assertThat(readStruct(types, "s").members().get(1).location()).isEqualTo(new MemberLocation.Fixed(32));
        assertThat(types.omissions()).isNotEmpty();
    }

    /** A range or an enumeration whose basis is itself has no size; what uses it is answered. */
    @ParameterizedTest
    @ValueSource(ints = {DW_TAG_subrange_type, DW_TAG_enumeration_type})
    void typeThatIsItsOwnBasisTakesNoOtherTypeAlong(int tag) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                die(tag, label("own"), name("own"), type("own")),
                struct("s", 8, member("a", "own", 0), member("b", "int", 4)))));

        assertThat(readStruct(types, "s").members().get(1).location()).isEqualTo(new MemberLocation.Fixed(32));
    }

    /** In a sound file, chains of modifiers end at a type. */
    @ParameterizedTest
    @ValueSource(ints = {DW_TAG_typedef, DW_TAG_const_type, DW_TAG_pointer_type, DW_TAG_array_type})
    void typesThatReferToEachOtherTakeNoOtherTypeAlong(int tag) throws IOException, ExtractionException {
        TypeCatalogue types = Answers.catalogue(written(
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        die(tag, label("one"), type("other")),
                        die(DW_TAG_const_type, label("other"), type("one")),
                        struct("s", 8, member("a", "one", 0), member("b", "int", 4))),
                sound("t")));

        assertThat(readStruct(types, "s").members().get(1).location()).isEqualTo(new MemberLocation.Fixed(32));
        assertThat(readStruct(types, "t").byteSize()).isEqualTo(8);
        assertThat(types.omissions()).isNotEmpty();
    }

    @ParameterizedTest
    @ValueSource(ints = {1, 2, 3})
    void zerosBehindTheLastUnitAreNoUnit(int zeros) throws IOException, ExtractionException {
        DwarfSections sections = written(sound("s"), sound("t"));
        byte[] info = sections.section(".debug_info");

        TypeCatalogue types = Answers.catalogue(sections.with(".debug_info", Arrays.copyOf(info, info.length + zeros)));

        assertThat(readStruct(types, "t").byteSize()).isEqualTo(8);
        assertThat(types.omissions()).isEmpty();
    }

    @Test
    void memberWhoseLocationIsCutOffKeepsTheOthers() throws IOException, ExtractionException {
        Die cut = die(
                DW_TAG_member,
                name("cut"),
                type("int"),
                attribute(DW_AT_data_member_location, DW_FORM_block1, blob(DW_OP_plus_uconst, 0x80)));
        TypeCatalogue types = Answers.catalogue(written(unit(
                baseType("int", 4, DW_ATE_signed),
                struct("s", 12, member("a", "int", 0), cut, member("b", "int", 8)))));

        assertThat(readStruct(types, "s").members().get(1).location()).isInstanceOf(MemberLocation.Unsupported.class);
        assertThat(readStruct(types, "s").members().get(2).location()).isEqualTo(new MemberLocation.Fixed(64));
        assertOmitted(types, Part.MEMBER, Cause.DAMAGED, 1);
    }

    /** The scan looks for types in structs of C++, and finds their end by DW_AT_sibling. */
    @Test
    void unreadableChildOfStructIsNoFaultOfItsUnit() throws IOException, ExtractionException {
        DwarfSections sections = written(unit(
                "a.cpp",
                DW_LANG_C_plus_plus_14,
                baseType("int", 4, DW_ATE_signed),
                struct(
                        "broken",
                        8,
                        member("a", "int", 0),
                        die(DW_TAG_member, label("x"), name("x"), memberLocation(4))),
                struct("s", 8, member("a", "int", 4))));

        TypeCatalogue types = Answers.catalogue(sections.patched(".debug_info", sections.offsetOf("x"), 0x7f, 1));

        assertThat(readStruct(types, "s").members().getFirst().location()).isEqualTo(new MemberLocation.Fixed(32));
        assertThat(types.definitionsNamed("broken").getFirst().shape().byteSize())
                .isEqualTo(8);
        assertOmitted(types, Part.TYPE, Cause.DAMAGED, 1);
    }

    @Test
    void typesBehindSiblingThatLeadsIntoItsOwnChildrenAreFound() throws IOException, ExtractionException {
        DwarfSections sections = DwarfWriter.write(
                DwarfStyle.DEFAULT.withSiblings(false),
                unit(
                        baseType("int", 4, DW_ATE_signed),
                        die(
                                DW_TAG_structure_type,
                                name("s"),
                                byteSize(8),
                                attribute(DW_AT_sibling, DW_FORM_ref4, new Ref("second")),
                                member("a", "int", 0),
                                die(DW_TAG_member, label("second"), name("b"), type("int"), memberLocation(4))),
                        struct("t", 4, member("a", "int", 0))));

        TypeCatalogue types = Answers.catalogue(sections);

        assertThat(readStruct(types, "s").members()).extracting(Member::name).containsExactly("a", "b");
        assertThat(readStruct(types, "t").byteSize()).isEqualTo(4);
        assertOmitted(types, Part.UNIT, Cause.DAMAGED, 1);
    }

    @Test
    void unitWhoseProducerIsNowhereHidesNoOther() throws IOException, ExtractionException {
        DwarfSections sections = written(
                unit(attribute(DW_AT_producer, DW_FORM_strx1, blob(200)), struct("s", 4)),
                unit(attribute(DW_AT_producer, DW_FORM_string, "GNU C17 12.2.0 -O2"), struct("t", 4)));
        Identity identity = DebugInfo.read(
                        sections.writeTo(folder.resolve("file")),
                        new ReadOptions(Limits.DEFAULT, 1),
                        DebugInfo::extractAll)
                .identity();

        assertThat(identity.first(Kind.COMPILER_VERSION)).contains("12.2.0");
    }
}
