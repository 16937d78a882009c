package dev.offsetd.extractor.go;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.go.LineTableHeader.Format;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
import java.util.stream.IntStream;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Line tables of every format. */
class LineTableTests {

    private static final int HALF = LineTableImage.FUNCTION_BYTES / 2;

    /** Two functions; a third one is inlined into the second half of the second one. */
    static byte[] image(Format format) {
        LineTableImage image = new LineTableImage(format, 2, 1 << 12);
        int unit = image.files(image.text("/src/a.go"), image.text("/src/b.s"));
        int[] inA = {image.table(new int[] {1}, 2 * HALF), image.table(new int[] {10, 12}, HALF)};
        int[] inB = {image.table(new int[] {2}, HALF), image.table(new int[] {20}, HALF)};
        int calls = image.table(new int[] {-1, 0}, HALF);
        int tree = image.tree(new int[] {image.text("main.inner")}, new int[] {1});
        image.function(image.text("main.first"), unit, inB, 0, 0);
        image.function(image.text("main.second"), unit, inA, calls, tree);
        return image.toBytes();
    }

    @ParameterizedTest
    @EnumSource
    void everyFormatHasFunctionsLinesAndInlinedCalls(Format format) throws ExtractionException {
        LineTableImage.Read read = LineTableImage.read(image(format), format);

        long second = LineTableImage.CODE + LineTableImage.FUNCTION_BYTES;
        assertThat(read.functions())
                .containsExactly(
                        new LineTable.Function(
                                "main.first", LineTableImage.CODE, LineTableImage.CODE + HALF, "/src/b.s", true),
                        new LineTable.Function(
                                "main.second", second, second + LineTableImage.FUNCTION_BYTES, "/src/a.go", false));
        assertThat(read.frames().omissions()).isEmpty();
        assertThat(read.frames().at(second))
                .extracting(frame -> frame.function() + " " + frame.file() + ":" + frame.line())
                .containsExactly("main.second /src/a.go:10");
        assertThat(read.frames().at(second + HALF))
                .extracting(frame -> frame.function() + " " + frame.file() + ":" + frame.line())
                .containsExactly("main.inner /src/a.go:12", "main.second /src/a.go:10");
    }

    /** Without its version, only a program of Go 1.15 or earlier does not tell whether it has inlined calls. */
    @ParameterizedTest
    @EnumSource
    void programThatDoesNotStateItsVersionHasTheSame(Format format) throws ExtractionException {
        LineTableImage.Read read = LineTableImage.read(image(format), "");

        LineTableImage.Read stated = LineTableImage.read(image(format), format);
        assertThat(read.functions()).hasSize(2).isEqualTo(stated.functions());
        long second = LineTableImage.CODE + LineTableImage.FUNCTION_BYTES;
        assertThat(read.frames().at(second)).isEqualTo(stated.frames().at(second));
        if (format.hasUnits()) {
            assertThat(read.frames().at(second + HALF))
                    .hasSize(2)
                    .isEqualTo(stated.frames().at(second + HALF));
        }
    }

    @ParameterizedTest
    @EnumSource
    void unknownMagicNumberIsNamedWithTheVersion(Format format) {
        byte[] image = image(format);
        image[0] = 0x11;

        assertThatThrownBy(() -> LineTableImage.read(image, format))
                .isInstanceOf(UnsupportedInputException.class)
                .hasMessageContaining(
                        "the line table of Go \"" + LineTableImage.VERSIONS.get(format) + "\" starts with 0xffffff11");
    }

    @ParameterizedTest
    @EnumSource
    void moreFunctionsThanFitAreMalformed(Format format) {
        byte[] image = image(format);
        image[11] = 1;

        assertThatThrownBy(() -> LineTableImage.read(image, format))
                .isInstanceOf(MalformedInputException.class)
                .hasMessageContaining("a line table of 16777218 functions");
    }

    private static void requireLimitOfHeap(LineTableImage image, Format format) {
        byte[] bytes = image.toBytes();
        assertThatThrownBy(() -> LineTableImage.frames(bytes, format, 1 << 20))
                .isInstanceOfSatisfying(
                        LimitExceededException.class, e -> assertThat(e.limit()).isEqualTo(Limits.MAX_KEPT_BYTES));
    }

    @ParameterizedTest
    @EnumSource
    void functionsCountTowardsTheHeap(Format format) {
        LineTableImage image = new LineTableImage(format, 4_000, 1 << 20);
        int unit = image.files(image.text("/a.go"));
        int[] tables = {image.table(new int[] {1}, 16), image.table(new int[] {10}, 16)};
        int name = image.text("main.f");
        for (int i = 0; i < 4_000; i++) {
            image.function(name, unit, tables, 0, 0);
        }
        requireLimitOfHeap(image, format);
    }

    /** Two bytes state a value, also one for no code. */
    @ParameterizedTest
    @EnumSource
    void valuesOfAFunctionCountTowardsTheHeap(Format format) {
        LineTableImage image = new LineTableImage(format, 1, 1 << 20);
        int unit = image.files(image.text("/a.go"));
        int[] lines = IntStream.range(0, 100_000).map(i -> i % 2).toArray();
        int[] tables = {image.table(new int[] {1}, 16), image.table(lines, 0)};
        image.function(image.text("main.f"), unit, tables, 0, 0);
        requireLimitOfHeap(image, format);
    }

    /** Functions of eight bytes in a larger one, which is left in the gaps between them. */
    @ParameterizedTest
    @EnumSource
    void partsOfAFunctionCountTowardsTheHeap(Format format) {
        int count = 2_000;
        LineTableImage image = new LineTableImage(format, count + 2, 1 << 20);
        int unit = image.files(image.text("/a.go"));
        int name = image.text("main.f");
        int file = image.table(new int[] {1}, LineTableImage.FUNCTION_BYTES);
        int[] large = {file, image.table(new int[] {10}, LineTableImage.FUNCTION_BYTES)};
        int[] small = {file, image.table(new int[] {10}, 8)};
        for (int i = 0; i < count + 2; i++) {
            image.function(name, unit, i < 2 ? large : small, 0, 0);
        }
        for (int i = 0; i < count; i++) {
            image.move(i + 2, 16L * i);
        }
        requireLimitOfHeap(image, format);
    }
}
