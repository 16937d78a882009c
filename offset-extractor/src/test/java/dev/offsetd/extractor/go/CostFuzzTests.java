package dev.offsetd.extractor.go;

import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.CostGrowth;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.function.ObjIntConsumer;
import java.util.stream.Stream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The cost of reading a Go program grows with each structure of its module data and type descriptors. */
@ChecklistRow(39)
class CostFuzzTests {

    private static final int FIRST = System.getenv("JAZZER_FUZZ") == null ? 200 : 2_000;

    private static final int NAMED = 4;
    private static final int INT = 2;
    private static final int FUNCTION = 19;
    private static final int POINTER = 22;
    private static final int SLICE = 23;
    private static final int STRUCT = 25;

    /** Bytes of the largest program: of 8 times the first size, with a struct of two fields for each. */
    private static final int CAPACITY = 8 * FIRST * 400;

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
