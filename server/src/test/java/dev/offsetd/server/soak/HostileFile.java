package dev.offsetd.server.soak;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.attribute;
import static dev.offsetd.extractor.testkit.DwarfTree.baseType;
import static dev.offsetd.extractor.testkit.DwarfTree.byteSize;
import static dev.offsetd.extractor.testkit.DwarfTree.die;
import static dev.offsetd.extractor.testkit.DwarfTree.label;
import static dev.offsetd.extractor.testkit.DwarfTree.member;
import static dev.offsetd.extractor.testkit.DwarfTree.memberLocation;
import static dev.offsetd.extractor.testkit.DwarfTree.struct;
import static dev.offsetd.extractor.testkit.DwarfTree.type;
import static dev.offsetd.extractor.testkit.DwarfTree.unit;
import static dev.offsetd.extractor.testkit.DwarfTree.unitOf;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.DwarfSections;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Small debug files that cost a reader far more than their size unless it is written for them. All have {@code struct
 * point}.
 */
enum HostileFile {

    /** Text that a regular expression with backtracking matches in quadratic time, another one in each unit. */
    PRODUCERS,

    /** Unnamed structs, each with two members of the next: 2^40 paths. */
    NESTED_UNNAMED,

    /** Names with one {@link String#hashCode}. */
    COLLIDING_NAMES,

    /** Arguments of templates, each spelled by one enumerator of many. */
    TEMPLATE_ARGUMENTS;

    private static final int DW_TAG_template_value_parameter = 0x30;

    private static final int LEVELS = 40;
    private static final int NAMES = 12_000;
    private static final int ENUMERATORS = 20_000;
    private static final int TEMPLATES = 2_000;

    private static final List<HostileFile> ALL = List.of(values());
    private static final Map<HostileFile, DwarfSections> WRITTEN = new ConcurrentHashMap<>();

    /** Returns the file of a number; every number has one. */
    static HostileFile of(int number) {
        return ALL.get(Math.floorMod(number, ALL.size()));
    }

    int number() {
        return ALL.indexOf(this);
    }

    /** Returns this file for a build. */
    byte[] debugFile(BuildId id) {
        return sections().toElf().buildId(id.toBytes()).toBytes();
    }

    /** Returns the sections of this file, which are made on the first call. */
    DwarfSections sections() {
        return WRITTEN.computeIfAbsent(this, HostileFile::make);
    }

    private DwarfSections make() {
        List<Unit> units = switch (this) {
            case PRODUCERS -> producers();
            case NESTED_UNNAMED -> nestedUnnamed();
            case COLLIDING_NAMES -> collidingNames();
            case TEMPLATE_ARGUMENTS -> templateArguments();
        };
        return DwarfWriter.write(DwarfStyle.DEFAULT, units.toArray(Unit[]::new));
    }

    private static List<Part> point() {
        return new ArrayList<>(List.of(
                baseType("int", 4, DW_ATE_signed), struct("point", 8, member("x", "int", 0), member("y", "int", 4))));
    }

    private static List<Unit> producers() {
        List<Unit> units = new ArrayList<>();
        units.add(unit(point().toArray(Part[]::new)));
        for (int i = 0; i < 4; i++) {
            units.add(unitOf(die(
                    DW_TAG_compile_unit,
                    DwarfTree.name(i + ".c"),
                    attribute(DW_AT_language, DW_FORM_data1, DW_LANG_C99),
                    attribute(
                            DW_AT_producer,
                            DW_FORM_string,
                            "GNU " + "x".repeat(4_990) + " 9".repeat(2_480) + " " + i))));
        }
        return units;
    }

    private static List<Unit> nestedUnnamed() {
        List<Part> parts = point();
        String inner = "int";
        for (int level = 1; level <= LEVELS; level++) {
            String outer = "level " + level;
            long half = 4L << (level - 1);
            parts.add(die(
                    DW_TAG_structure_type, label(outer), byteSize(2 * half), unnamed(inner, 0), unnamed(inner, half)));
            inner = outer;
        }
        parts.add(struct("outermost", 4L << LEVELS, member("a", inner, 0)));
        return List.of(unit(parts.toArray(Part[]::new)));
    }

    private static Die unnamed(String type, long offset) {
        return die(DW_TAG_member, type(type), memberLocation(offset));
    }

    private static List<Unit> collidingNames() {
        List<Part> parts = point();
        for (int i = 0; i < NAMES; i++) {
            StringBuilder name = new StringBuilder();
            for (int bit = 0; bit < 14; bit++) {
                name.append((i >> bit & 1) == 0 ? "Aa" : "BB");
            }
            parts.add(struct(name.toString(), 8, member("a", "point", 0)));
        }
        return List.of(unit(parts.toArray(Part[]::new)));
    }

    private static List<Unit> templateArguments() {
        List<Part> enumeration = new ArrayList<>(List.of(label("e"), DwarfTree.name("e"), byteSize(4)));
        for (int i = 0; i < ENUMERATORS; i++) {
            enumeration.add(die(DW_TAG_enumerator, DwarfTree.name("e" + i), constant(i)));
        }
        List<Part> parts = point();
        parts.add(die(DW_TAG_enumeration_type, enumeration.toArray(Part[]::new)));
        for (int i = 0; i < TEMPLATES; i++) {
            parts.add(struct(
                    "t" + i,
                    8,
                    die(DW_TAG_template_value_parameter, type("e"), constant(ENUMERATORS - 1 - i)),
                    member("a", "point", 0)));
        }
        return List.of(unit("t.cc", DW_LANG_C_plus_plus_14, parts.toArray(Part[]::new)));
    }

    private static Part constant(int value) {
        return attribute(DW_AT_const_value, DW_FORM_udata, value);
    }
}
