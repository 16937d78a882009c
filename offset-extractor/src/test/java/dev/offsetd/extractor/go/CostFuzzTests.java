package dev.offsetd.extractor.go;

import dev.offsetd.extractor.go.LineTableHeader.Format;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CostGrowth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BiFunction;
import java.util.function.IntFunction;
import java.util.function.IntUnaryOperator;
import java.util.function.ObjIntConsumer;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cost of reading a Go program grows with each structure of its module data, type descriptors and line table. */
@ChecklistRow(39)
class CostFuzzTests {

    private static final int FIRST = System.getenv("JAZZER_FUZZ") == null ? 200 : 2_000;

    private static final int NAMED = 4;
    private static final int INT = 2;
    private static final int FUNCTION = 19;
    private static final int POINTER = 22;
    private static final int SLICE = 23;
    private static final int STRUCT = 25;

    /** Bytes of the largest program: of 128 times the first size, with a struct of two fields for each. */
    private static final int CAPACITY = 128 * FIRST * 400;

    /** @param content adds the structure to a program, in some size */
    record Structure(String name, ObjIntConsumer<GoImage> content) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<Structure> structures() {
        return Stream.of(
                new Structure("types", CostFuzzTests::types),
                new Structure("fields", CostFuzzTests::fields),
                new Structure("structs with the same fields", CostFuzzTests::sameFields),
                new Structure("struct in structs", CostFuzzTests::holders),
                new Structure("long name of many fields", CostFuzzTests::longName),
                new Structure("pointers to pointers", (image, n) -> chain(image, n, POINTER)),
                new Structure("slices of slices", (image, n) -> chain(image, n, SLICE)),
                new Structure("functions that return functions", CostFuzzTests::functions));
    }

    @ParameterizedTest
    @MethodSource("structures")
    void costOfAProgramGrowsWithEachStructure(Structure structure) throws IOException {
        for (String version : List.of("1.19.8", "1.27.3")) {
            CostGrowth.requireLinear(structure.name() + " of Go " + version, FIRST, size -> {
                GoImage image = new GoImage(version.equals("1.27.3"), CAPACITY);
                structure.content().accept(image, size);
                byte[] program = image.toBytes();
                return new CostGrowth.Input(
                        program.length,
                        stages -> stages.measure("types", () -> GoImage.read(program, version, Limits.DEFAULT)));
            });
        }
    }

    /** @param content makes a line table of a format with the structure, in some size */
    record LineStructure(String name, BiFunction<Format, Integer, LineTableImage> content) {

        @Override
        public String toString() {
            return name;
        }
    }

    static Stream<LineStructure> lineStructures() {
        return Stream.of(
                new LineStructure("functions", (format, n) -> functions(format, n, i -> "main.f" + i)),
                new LineStructure("functions of one name", (format, n) -> functions(format, n, _ -> "main.f")),
                new LineStructure("long name of functions", (format, n) -> functions(format, n, _ -> "f".repeat(n))),
                new LineStructure("lines", CostFuzzTests::lines),
                new LineStructure("functions with the same lines", CostFuzzTests::sameLines),
                new LineStructure("inlined calls", (format, n) -> calls(format, n, 1, i -> 0)),
                new LineStructure("calls inlined into each other", (format, n) -> calls(format, 8 * n, 1, i -> i)),
                new LineStructure("functions with the same calls", (format, n) -> calls(format, n, n, i -> i)));
    }

    @ParameterizedTest
    @MethodSource("lineStructures")
    void costOfALineTableGrowsWithEachStructure(LineStructure structure) throws IOException {
        for (Format format : Format.values()) {
            CostGrowth.requireLinear(structure.name() + " of " + format, FIRST, size -> {
                byte[] program = structure.content().apply(format, size).toBytes();
                return new CostGrowth.Input(
                        program.length,
                        stages -> stages.measure("line table", () -> LineTableImage.read(program, format)));
            });
        }
    }

    private static LineTableImage functions(Format format, int n, IntFunction<String> name) {
        LineTableImage image = new LineTableImage(format, n, CAPACITY);
        int unit = image.files(image.text("/a.go"));
        int[] tables = {image.table(new int[] {1}, 16), image.table(new int[] {10}, 16)};
        Map<String, Integer> names = new HashMap<>();
        for (int i = 0; i < n; i++) {
            image.function(names.computeIfAbsent(name.apply(i), image::text), unit, tables, 0, 0);
        }
        return image;
    }

    private static LineTableImage lines(Format format, int n) {
        return withLines(format, n, 1);
    }

    private static LineTableImage sameLines(Format format, int n) {
        return withLines(format, n, n);
    }

    private static LineTableImage withLines(Format format, int lines, int functions) {
        LineTableImage image = new LineTableImage(format, functions, CAPACITY);
        int unit = image.files(image.text("/a.go"), image.text("/b.go"));
        int[] numbers = IntStream.range(0, lines).map(i -> i % 2 + 1).toArray();
        int[] tables = {image.table(numbers, 1), image.table(numbers, 1)};
        int name = image.text("main.f");
        for (int i = 0; i < functions; i++) {
            image.function(name, unit, tables, 0, 0);
        }
        return image;
    }

    /** @param place where each call is made, by its number */
    private static LineTableImage calls(Format format, int n, int functions, IntUnaryOperator place) {
        LineTableImage image = new LineTableImage(format, functions, CAPACITY);
        int unit = image.files(image.text("/a.go"));
        int[] tables = {image.table(new int[] {1}, n + 1), image.table(new int[] {10}, n + 1)};
        int name = image.text("main.f");
        int[] numbers = IntStream.rangeClosed(-1, n - 1).toArray();
        int calls = image.table(numbers, 1);
        int tree = image.tree(
                IntStream.range(0, n).map(_ -> name).toArray(),
                IntStream.range(0, n).map(place).toArray());
        for (int i = 0; i < functions; i++) {
            image.function(name, unit, tables, calls, tree);
        }
        return image;
    }

    private static void types(GoImage image, int n) {
        for (int i = 0; i < n; i++) {
            image.type(INT, 8, "main.Type" + i, NAMED);
        }
    }

    private static void fields(GoImage image, int n) {
        image.type(STRUCT, 8L * n, "main.T", NAMED, 0, fieldsOf(image, n), n, n);
    }

    private static long fieldsOf(GoImage image, int n) {
        long number = image.type(INT, 8, "int", NAMED);
        List<Long> fields = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            fields.addAll(List.of(image.name("F" + i, 1), number, 8L * i));
        }
        return image.fields(fields.stream().mapToLong(Long::longValue).toArray());
    }

    private static void sameFields(GoImage image, int n) {
        long fields = fieldsOf(image, n);
        for (int i = 0; i < n; i++) {
            image.type(STRUCT, 8L * n, "main.T" + i, NAMED, 0, fields, n, n);
        }
    }

    private static void holders(GoImage image, int n) {
        long held = image.type(STRUCT, 8L * n, "main.T", NAMED, 0, fieldsOf(image, n), n, n);
        for (int i = 0; i < n; i++) {
            long fields = image.fields(image.name("F", 1), held, 0);
            image.type(STRUCT, 8L * n, "main.H" + i, NAMED, 0, fields, 1, 1);
        }
    }

    private static void longName(GoImage image, int n) {
        long number = image.type(INT, 8, "int", NAMED);
        long name = image.name("x".repeat(n), 1);
        List<Long> fields = new ArrayList<>();
        for (int i = 0; i < n; i++) {
            fields.addAll(List.of(name, number, 8L * i));
        }
        long start = image.fields(fields.stream().mapToLong(Long::longValue).toArray());
        image.type(STRUCT, 8L * n, "main.T", NAMED, 0, start, n, n);
    }

    private static void chain(GoImage image, int n, int kind) {
        long last = image.type(INT, 8, "int", NAMED);
        for (int i = 0; i < n; i++) {
            last = image.type(kind, 8, "c", 0, last);
        }
    }

    private static void functions(GoImage image, int n) {
        long last = image.type(INT, 8, "int", NAMED);
        for (int i = 0; i < n; i++) {
            last = image.type(FUNCTION, 8, "func", 0, 1 << 16, last);
        }
    }
}
