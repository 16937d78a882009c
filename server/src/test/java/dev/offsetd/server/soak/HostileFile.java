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
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfTree;
import dev.offsetd.extractor.testkit.DwarfTree.Die;
import dev.offsetd.extractor.testkit.DwarfTree.Part;
import dev.offsetd.extractor.testkit.DwarfTree.Unit;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import dev.offsetd.extractor.testkit.HugeFile;
import dev.offsetd.query.FileStructures;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/** Small debug files that cost a reader far more than their size unless it is written for them. */
enum HostileFile {

    /** Text that a regular expression with backtracking matches in quadratic time, another one in each unit. */
    PRODUCERS,

    /** Unnamed structs, each with two members of the next: 2^40 paths. */
    NESTED_UNNAMED,

    /** Names with one {@link String#hashCode}. */
    COLLIDING_NAMES,

    /** Arguments of templates, each spelled by one enumerator of many. */
    TEMPLATE_ARGUMENTS,

    /** Units, each with a table of abbreviations that begins inside the one before. */
    OVERLAPPING_ABBREVIATIONS,

    FILES_OF_LINES,
    FOLDERS_OF_LINES,
    ROWS_OF_LINES,
    RANGES_OF_A_UNIT,
    RANGES_OF_A_FUNCTION,
    FUNCTIONS,
    SYMBOLS_OF_A_FUNCTION,
    SECTIONS,

    /** Links to other debug files whose names are long. */
    LONG_LINKS;

    private static final int DW_TAG_template_value_parameter = 0x30;

    private static final int LEVELS = 40;
    private static final int NAMES = 12_000;
    private static final int ENUMERATORS = 20_000;
    private static final int TEMPLATES = 2_000;
    private static final int TABLES = 4_000;
    private static final int FUNCTIONS_OR_SECTIONS = 5_000;
    private static final int LINES_OR_RANGES = 20_000;

    /** Longer ones are refused. */
    private static final int LINK_LENGTH = 8_000;

    private static final List<HostileFile> ALL = List.of(values());
    private static final Map<HostileFile, byte[]> WRITTEN = new ConcurrentHashMap<>();

    /** Build-id of the files in {@link #WRITTEN}, which those for builds replace. */
    private static final BuildId ANY = BuildId.parse("e7".repeat(20));

    /** Returns the file of a number; every number has one. */
    static HostileFile of(int number) {
        return ALL.get(Math.floorMod(number, ALL.size()));
    }

    int number() {
        return ALL.indexOf(this);
    }

    /** Returns this file for a build with a build-id of 20 bytes. */
    byte[] debugFile(BuildId id) {
        byte[] file = prepared().clone();
        int place = new String(file, StandardCharsets.ISO_8859_1)
                .indexOf(new String(ANY.toBytes(), StandardCharsets.ISO_8859_1));
        System.arraycopy(id.toBytes(), 0, file, place, ANY.toBytes().length);
        return file;
    }

    /** Returns this file for some build; it is made on the first call. */
    byte[] prepared() {
        return WRITTEN.computeIfAbsent(
                this, file -> file.make().buildId(ANY.toBytes()).toBytes());
    }

    private ElfWriter make() {
        return switch (this) {
            case PRODUCERS -> elf(producers());
            case NESTED_UNNAMED -> elf(nestedUnnamed());
            case COLLIDING_NAMES -> elf(collidingNames());
            case TEMPLATE_ARGUMENTS -> elf(templateArguments());
            case OVERLAPPING_ABBREVIATIONS -> FileStructures.overlappingAbbreviations(TABLES, 0);
            case LONG_LINKS -> {
                byte[] link = "l".repeat(LINK_LENGTH).concat("\0".repeat(24)).getBytes(StandardCharsets.US_ASCII);
                yield elf(List.of(unit(point().toArray(Part[]::new))))
                        .section(".gnu_debuglink", link)
                        .section(".gnu_debugaltlink", link);
            }
            case FUNCTIONS, SYMBOLS_OF_A_FUNCTION, SECTIONS ->
                HugeFile.valueOf(name()).write(FUNCTIONS_OR_SECTIONS);
            case FILES_OF_LINES, FOLDERS_OF_LINES, ROWS_OF_LINES, RANGES_OF_A_UNIT, RANGES_OF_A_FUNCTION ->
                HugeFile.valueOf(name()).write(LINES_OR_RANGES);
        };
    }

    private static ElfWriter elf(List<Unit> units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units.toArray(Unit[]::new)).toElf();
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
