package dev.offsetd.query;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;

import dev.offsetd.extractor.elf.SymbolFile;
import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.extractor.testkit.ElfWriter;
import java.nio.ByteOrder;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.function.Function;
import java.util.function.IntFunction;
import java.util.stream.IntStream;

/** Structures of debug files that may grow without bound. A structure is added by a line of the table. */
public final class FileStructures {

    private static final int DW_TAG_template_value_parameter = 0x30;

    /** Levels of types in types at first: 256 are read. */
    private static final int LEVELS = 6;

    private static final Map<String, Structure> ALL = new LinkedHashMap<>();

    /**
     * A structure.
     *
     * @param first its size in a short run
     * @param units the units of a file with the structure; labels are unique in them alone
     */
    record Structure(String name, int first, IntFunction<List<Unit>> units) {

        /** Returns whether types are in types: these end at a depth of 256. */
        boolean isOfLevels() {
            return first < 32;
        }

        int first(int times) {
            return isOfLevels() ? first : first * times;
        }

        @Override
        public String toString() {
            return name;
        }
    }

    static {
        types("names", 50, n -> each(n, i -> struct("name_number_" + i, 4, member("m", "int", 0))));
        types("long name", 400, n -> List.of(struct("x".repeat(n), 4, member("m", "int", 0))));
        types("name of many words", 400, n -> List.of(struct("unsigned ".repeat(n / 9) + "x", 4)));
        types("name of many scopes", 400, n -> List.of(struct("a::b const".repeat(n / 10) + "<c>", 4)));
        types("name of brackets", 400, n -> List.of(struct("a" + "<b".repeat(n / 4) + ">".repeat(n / 4), 4)));
        types("names with one hash", 128, n -> each(n, i -> struct(collision(i, 14), 4)));
        units("units", 50, n -> each(n, i -> unit("u" + i + ".c", DW_LANG_C99, struct("s" + i, 4))));
        units("units with one type", 50, n -> each(n, i -> unit("u" + i + ".c", DW_LANG_C99, unlabelled("s", 4))));
        units(
                "definitions that differ",
                50,
                n -> each(n, i -> unit("u" + i + ".c", DW_LANG_C99, unlabelled("s", 4 + i))));
        units("struct of another unit in units", 50, FileStructures::holdersInUnits);
        types("members", 50, n -> List.of(struct("s", 4, parts(each(n, i -> member("m" + i, "int", 4L * i))))));
        types(
                "members of a struct's type",
                50,
                n -> List.of(
                        struct("inner", 4, member("x", "int", 0)),
                        struct("s", 4L * n, parts(each(n, i -> member("m" + i, "inner", 4L * i))))));
        types("members of one name", 50, n -> List.of(struct("s", 4, parts(each(n, i -> member("m", "int", i))))));
        types(
                "members with one hash",
                128,
                n -> List.of(struct("s", 4, parts(each(n, i -> member(collision(i, 14), "int", 4L * i))))));
        types("bit-fields", 50, n -> List.of(struct("s", 4, parts(each(n, i -> bitField("b" + i, "int", 4, i, 1))))));
        types("enumerators", 50, n -> List.of(enumeration("e", n)));
        types("enumerations with one enumerator", 50, n -> each(n, i -> enumeration("e" + i, 1)));
        types("unnamed enumeration", 50, n -> holders(n, enumeration(null, n), "unnamed"));
        types("template arguments", 50, FileStructures::templateArguments);
        types("structs in structs", LEVELS, n -> levels(n, "s", 1, "m"));
        types("two of each struct in the next", LEVELS, n -> levels(n, "s", 2, "m"));
        types("unnamed structs in unnamed structs", LEVELS, n -> levels(n, null, 2, null));
        types("members of unnamed structs in unnamed structs", LEVELS, n -> levels(n, null, 2, "m"));
        types("base classes", LEVELS, FileStructures::bases);
        types("struct in structs", 50, n -> holders(n, wide("wide", n), "wide"));
        types("unnamed struct in structs", 50, n -> holders(n, wide(null, n), "unnamed"));
        types("unnamed structs in an unnamed struct of structs", 50, FileStructures::unnamedInStructs);
        types("pointers to an unnamed struct", 50, n -> pointerHolders(n, wide(null, n), "unnamed"));
        types("unnamed structs behind pointers", LEVELS, FileStructures::pointerLevels);
        types("pointers to typedefs of a struct", 50, FileStructures::typedefs);
        types("pointers", 8, n -> chain(n, DW_TAG_pointer_type));
        types("qualifiers", 8, n -> chain(n, DW_TAG_const_type));
        types("base types and enumerations", 50, FileStructures::basesAndEnumerations);
        types("typedefs", 50, n -> each(n, i -> typedef("t" + i, "int")));
        types("typedefs of an unnamed struct", 100, FileStructures::typedefsOfAStruct);
        types(
                "dimensions",
                50,
                n -> List.of(die(
                        DW_TAG_array_type,
                        label("array"),
                        type("int"),
                        parts(each(n, _ -> die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_data1, 1)))))));
        types(
                "parameters",
                100,
                n -> List.of(
                        die(
                                DW_TAG_subroutine_type,
                                label("function"),
                                parts(each(n, _ -> die(DW_TAG_formal_parameter, type("int"))))),
                        die(DW_TAG_pointer_type, label("pointer"), type("function"), byteSize(8)),
                        typedef("callback", "pointer")));
        types("variables", 50, n -> each(n, i -> die(DW_TAG_variable, name("v" + i), type("int"))));
        types("variables with one name", 50, n -> each(n, _ -> die(DW_TAG_variable, name("v"), type("int"))));
        types("variables with one name, of different structs", 50, FileStructures::variablesOfStructs);
        types("variables at one address", 400, n -> each(n, i -> placed("v" + i)));
        types("namespaces", 50, n -> each(n, i -> die(DW_TAG_namespace, name("n" + i), struct("s" + i, 4))));
        types("structs of one name", 50, n -> each(n, i -> die(DW_TAG_namespace, name("n" + i), unlabelled("s", 4))));
        types("scopes in scopes", 20, n -> List.of(scopes(n)));
        types("functions with types", 50, n -> each(n, i -> die(DW_TAG_subprogram, name("f" + i), struct("t" + i, 4))));
        types("declarations", 50, n -> each(n, i -> die(DW_TAG_structure_type, name("d" + i), declaration())));
        units("text of a producer", 50, n -> producers("GNU " + "x".repeat(n) + " 9".repeat(n) + " 1.2"));
        units("flags of a producer", 50, n -> producers("GNU C17 12.2.0 " + "-fflag -O2 ".repeat(n / 10)));
        units(
                "producers",
                50,
                n -> each(
                        n, i -> unitOf(die(DW_TAG_compile_unit, name("u"), producer("GNU C17 12." + i + " -O" + i)))));
        types("attributes", 50, n -> List.of(struct("s", 4, parts(each(n, FileStructures::unknown)))));
        types("block that is not read", 400, n -> List.of(struct("s", 4, attribute(0x2f00, DW_FORM_block, zeros(n)))));
        types("expressions of members", 50, n -> List.of(struct("s", 4, parts(each(n, i -> located("m" + i, 4))))));
        types("expression of a member", 400, n -> List.of(struct("s", 4, located("m", n))));
        types("expression of a variable", 400, n -> List.of(variable("v", n)));
        types("expressions of variables", 50, n -> each(n, i -> variable("v" + i, 4)));
        types("expression of a bound", 400, n -> List.of(bounded(n), struct("s", 4, member("m", "array", 0))));
        types("blocks of enumerators", 400, n -> List.of(blocks(n)));
        units("text of a unit's name", 400, n -> List.of(unit("dir/".repeat(n / 4) + "a.c", DW_LANG_C99)));
    }

    private FileStructures() {}

    static Collection<Structure> all() {
        return ALL.values();
    }

    static Structure named(String name) {
        return Objects.requireNonNull(ALL.get(name), name);
    }

    /** Returns the units of a structure with labels that no other structure has. */
    static List<Unit> renamed(Structure structure, int size) {
        return structure.units.apply(size).stream()
                .map(unit -> new Unit(unit.version(), unit.unitType(), unit.id(), unit.typeLabel(), (Die)
                        renamed(unit.root(), structure.name)))
                .toList();
    }

    private static Part renamed(Part part, String prefix) {
        return switch (part) {
            case Die(int tag, List<Part> parts) ->
                new Die(tag, parts.stream().map(each -> renamed(each, prefix)).toList());
            case Label(String name) -> label(prefix + name);
            case Attribute(int attribute, Integer form, Ref(String label)) ->
                new Attribute(attribute, form, new Ref(prefix + label));
            case Styled(Function<DwarfStyle, List<Part>> parts) ->
                new Styled(style -> parts.apply(style).stream()
                        .map(each -> renamed(each, prefix))
                        .toList());
            default -> part;
        };
    }

    /** Returns a file that has the units of several structures. */
    static byte[] file(List<Unit> units) {
        return DwarfWriter.write(DwarfStyle.DEFAULT, units.toArray(Unit[]::new))
                .toElf()
                .buildId(new byte[20])
                .toBytes();
    }

    /**
     * Returns a file of units, each with an abbreviation table that begins behind the first declaration of the one before.
     *
     * @param last the code that ends the tables: 0, or one that is declared twice
     */
    public static ElfWriter overlappingAbbreviations(int n, int last) {
        BinaryWriter abbreviations = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        BinaryWriter units = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        for (int i = 1; i <= n; i++) {
            byte[] content = new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                    .u16(4)
                    .u32(abbreviations.size())
                    .u8(8)
                    .uleb(i)
                    .string("u")
                    .toBytes();
            units.u32(content.length).bytes(content);
            abbreviations.uleb(i).uleb(DW_TAG_compile_unit).u8(0);
            abbreviations.uleb(DW_AT_name).uleb(DW_FORM_string).u8(0).u8(0);
        }
        return new ElfWriter(64, ByteOrder.LITTLE_ENDIAN)
                .section(".debug_info", units.toBytes())
                .section(".debug_abbrev", abbreviations.uleb(last).toBytes());
    }

    /** Returns files with symbols: of different and equal names and addresses. */
    static Map<String, IntFunction<byte[]>> symbols() {
        Map<String, IntFunction<byte[]>> files = new LinkedHashMap<>();
        files.put("symbols", n -> symbols(n, i -> "symbol_" + i, i -> 0x1000 + i));
        files.put("symbols with one name", n -> symbols(n, _ -> "symbol", i -> 0x1000 + i));
        files.put("symbols with one hash", n -> symbols(n, i -> collision(i, 16), i -> 0x1000 + i));
        files.put("symbols at one address", n -> symbols(n, i -> "symbol_" + i, _ -> 0x1000));
        files.put("clones", n -> symbols(n, i -> "f.part." + i + ".cold", i -> 0x1000 + i));
        files.put("name of a symbol", n -> symbols(1, _ -> "s.cold".repeat(n / 4), _ -> 0x1000));
        return files;
    }

    private static byte[] symbols(int n, IntFunction<String> name, IntFunction<Integer> address) {
        SymbolFile file = new SymbolFile();
        for (int i = 0; i < n; i++) {
            file.linked(name.apply(i), SymbolFile.GLOBAL_FUNC, 1, address.apply(i), 1 + i % 7);
        }
        return file.toBytes();
    }

    private static void types(String name, int first, IntFunction<List<? extends Part>> types) {
        units(name, first, n -> {
            List<Part> all = new ArrayList<>();
            all.add(baseType("int", 4, DW_ATE_signed));
            all.addAll(types.apply(n));
            return List.of(unit("types.cc", DW_LANG_C_plus_plus_14, all.toArray(Part[]::new)));
        });
    }

    private static void units(String name, int first, IntFunction<List<Unit>> units) {
        ALL.put(name, new Structure(name, first, units));
    }

    static <T> List<T> each(int n, IntFunction<T> part) {
        return IntStream.range(0, n).mapToObj(part).toList();
    }

    /** Returns one of the names that have the same {@link String#hashCode}. */
    static String collision(int number, int pairs) {
        StringBuilder name = new StringBuilder(2 * pairs);
        for (int bit = 0; bit < pairs; bit++) {
            name.append((number >> bit & 1) == 0 ? "Aa" : "BB");
        }
        return name.toString();
    }

    /** Returns parts as the content of one DIE. */
    static Part parts(List<? extends Part> parts) {
        return new Styled(_ -> List.copyOf(parts));
    }

    private static Die enumeration(String name, int n) {
        List<Part> all = new ArrayList<>(List.of(label(name == null ? "unnamed" : name), byteSize(4)));
        if (name != null) {
            all.add(name(name));
        }
        all.addAll(each(n, i -> die(DW_TAG_enumerator, name("E" + i), attribute(DW_AT_const_value, DW_FORM_udata, i))));
        return die(DW_TAG_enumeration_type, all.toArray(Part[]::new));
    }

    private static List<Part> basesAndEnumerations(int n) {
        List<Part> all = new ArrayList<>(each(n, i -> baseType("base" + i, 8 + i, DW_ATE_signed)));
        all.addAll(each(n, i -> enumeration("e" + i, 1)));
        return all;
    }

    private static List<Part> templateArguments(int n) {
        List<Part> all = new ArrayList<>(List.of(enumeration("e", n)));
        for (int i = 0; i < n; i++) {
            all.add(struct(
                    "t<(e)" + i + ">",
                    4,
                    die(DW_TAG_template_value_parameter, type("e"), attribute(DW_AT_const_value, DW_FORM_udata, i))));
        }
        return all;
    }

    /** Returns structs of which each holds several of the one before, and one with a name that holds the last. */
    private static List<Part> levels(int n, String name, int width, String member) {
        List<Part> all = new ArrayList<>(List.of(struct("level0", 4, member("x", "int", 0))));
        for (int level = 1; level <= n; level++) {
            List<Part> parts = new ArrayList<>(List.of(label("level" + level), byteSize(8)));
            if (name != null) {
                parts.add(name(name + level));
            }
            for (int i = 0; i < width; i++) {
                String type = "level" + (level - 1);
                parts.add(
                        member == null
                                ? die(DW_TAG_member, type(type), memberLocation(4L * i))
                                : member(member + i, type, 4L * i));
            }
            all.add(die(DW_TAG_structure_type, parts.toArray(Part[]::new)));
        }
        all.add(struct("outermost", 8, member("m", "level" + n, 0)));
        all.add(struct("with_unnamed", 8, die(DW_TAG_member, type("level" + n), memberLocation(0))));
        return all;
    }

    private static List<Part> bases(int n) {
        List<Part> all = new ArrayList<>(List.of(struct("base0", 4, member("x", "int", 0))));
        for (int level = 1; level <= n; level++) {
            String base = "base" + (level - 1);
            all.add(struct(
                    "base" + level,
                    8,
                    die(DW_TAG_inheritance, type(base), memberLocation(0)),
                    die(DW_TAG_inheritance, type(base), memberLocation(4))));
        }
        return all;
    }

    private static Part unknown(int number) {
        return attribute(0x2f00 + number, DW_FORM_data1, 0);
    }

    private static Blob zeros(int n) {
        return blob(new byte[n]);
    }

    /** Returns an expression that adds some numbers. */
    private static Blob sum(int n) {
        byte[] operations = new byte[2 * n];
        for (int i = 0; i < operations.length; i += 2) {
            operations[i] = DW_OP_plus_uconst;
            operations[i + 1] = 1;
        }
        return blob(operations);
    }

    private static Die located(String name, int additions) {
        return die(
                DW_TAG_member,
                name(name),
                type("int"),
                attribute(DW_AT_data_member_location, DW_FORM_exprloc, sum(additions)));
    }

    private static Die variable(String name, int additions) {
        return die(
                DW_TAG_variable, name(name), type("int"), attribute(DW_AT_location, DW_FORM_exprloc, sum(additions)));
    }

    private static List<Part> variablesOfStructs(int n) {
        List<Part> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(struct("s" + i, 4, member("m" + i, "int", 0)));
            all.add(die(DW_TAG_variable, name("v"), type("s" + i)));
        }
        return all;
    }

    private static Die placed(String name) {
        Blob address = blob(DW_OP_addr, 0, 0x10, 0, 0, 0, 0, 0, 0);
        return die(DW_TAG_variable, name(name), type("int"), attribute(DW_AT_location, DW_FORM_exprloc, address));
    }

    private static Die bounded(int additions) {
        return die(
                DW_TAG_array_type,
                label("array"),
                type("int"),
                die(DW_TAG_subrange_type, attribute(DW_AT_upper_bound, DW_FORM_exprloc, sum(additions))));
    }

    private static Die blocks(int n) {
        return die(
                DW_TAG_enumeration_type,
                name("e"),
                byteSize(4),
                parts(each(
                        n / 8,
                        i -> die(
                                DW_TAG_enumerator,
                                name("E" + i),
                                attribute(DW_AT_const_value, DW_FORM_block, zeros(n / 8))))));
    }

    private static Die wide(String name, int members) {
        List<Part> parts = new ArrayList<>(List.of(label(name == null ? "unnamed" : name), byteSize(4L * members)));
        if (name != null) {
            parts.add(name(name));
        }
        parts.addAll(each(members, i -> member("w" + i, "int", 4L * i)));
        return die(DW_TAG_structure_type, parts.toArray(Part[]::new));
    }

    /** Returns a type and structs that each hold it. */
    private static List<Part> holders(int n, Die held, String type) {
        List<Part> all = new ArrayList<>(List.of(held));
        all.addAll(each(n, i -> struct("holder" + i, 4, member("h", type, 0))));
        return all;
    }

    private static List<Part> pointerHolders(int n, Die target, String type) {
        List<Part> all = new ArrayList<>(List.of(target));
        for (int i = 0; i < n; i++) {
            all.add(die(DW_TAG_pointer_type, label("pointer" + i), type(type), byteSize(8)));
            all.add(struct("holder" + i, 8, member("h", "pointer" + i, 0)));
        }
        return all;
    }

    /** Returns unnamed structs, each with two pointers to the one before. */
    private static List<Part> pointerLevels(int n) {
        List<Part> all = new ArrayList<>(List.of(struct("level0", 4, member("x", "int", 0))));
        for (int level = 1; level <= n; level++) {
            List<Part> parts = new ArrayList<>(List.of(label("level" + level), byteSize(16)));
            for (int i = 0; i < 2; i++) {
                String pointer = "pointer" + level + "_" + i;
                all.add(die(DW_TAG_pointer_type, label(pointer), type("level" + (level - 1)), byteSize(8)));
                parts.add(member("m" + i, pointer, 8L * i));
            }
            all.add(die(DW_TAG_structure_type, parts.toArray(Part[]::new)));
        }
        all.add(struct("outermost", 16, member("m", "level" + n, 0)));
        return all;
    }

    private static List<Part> unnamedInStructs(int n) {
        List<Part> all = new ArrayList<>();
        List<Part> members = new ArrayList<>(List.of(label("unnamed"), byteSize(4L * n)));
        for (int i = 0; i < n; i++) {
            all.add(die(DW_TAG_structure_type, label("part" + i), byteSize(4), member("x" + i, "int", 0)));
            members.add(member("m" + i, "part" + i, 4L * i));
        }
        all.addAll(holders(n, die(DW_TAG_structure_type, members.toArray(Part[]::new)), "unnamed"));
        return all;
    }

    private static List<Part> typedefsOfAStruct(int n) {
        List<Part> all = new ArrayList<>(List.of(wide(null, n)));
        all.addAll(each(n, i -> typedef("t" + i, "unnamed")));
        return all;
    }

    private static List<Unit> holdersInUnits(int n) {
        List<Unit> all = new ArrayList<>();
        all.add(unit("types.c", DW_LANG_C99, baseType("int", 4, DW_ATE_signed), wide("wide", n)));
        for (int i = 0; i < n; i++) {
            all.add(unit("u" + i + ".c", DW_LANG_C99, struct("holder" + i, 4L * n, member("h", "wide", 0))));
        }
        return all;
    }

    private static List<Part> typedefs(int n) {
        List<Part> all = new ArrayList<>(List.of(wide("wide", n)));
        List<Part> pointers = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(die(
                    DW_TAG_array_type,
                    label("array" + i),
                    type("wide"),
                    die(DW_TAG_subrange_type, attribute(DW_AT_count, DW_FORM_udata, i + 1))));
            all.add(typedef("t" + i, "array" + i));
            all.add(die(DW_TAG_pointer_type, label("p" + i), type("t" + i), byteSize(8)));
            pointers.add(member("p" + i, "p" + i, 8L * i));
        }
        all.add(struct("pointers", 8L * n, parts(pointers)));
        return all;
    }

    private static List<Part> chain(int n, int tag) {
        List<Part> all = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            all.add(die(tag, label("link" + i), type(i == 0 ? "int" : "link" + (i - 1)), byteSize(8)));
        }
        all.add(struct("chained", 8, member("m", "link" + (n - 1), 0)));
        return all;
    }

    private static Die scopes(int n) {
        Die inner = struct("innermost", 4);
        for (int i = 0; i < n; i++) {
            inner = die(DW_TAG_namespace, name("scope" + i), inner);
        }
        return inner;
    }

    private static Die unlabelled(String name, long bytes) {
        return die(DW_TAG_structure_type, name(name), byteSize(bytes));
    }

    private static Part producer(String text) {
        return attribute(DW_AT_producer, DW_FORM_string, text);
    }

    private static List<Unit> producers(String text) {
        return List.of(unitOf(die(DW_TAG_compile_unit, name("u"), producer(text))));
    }
}
