package dev.offsetd.extractor.go;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.go.LineTableHeader.Format;
import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.MalformedInputException;
import dev.offsetd.extractor.input.UnsupportedInputException;
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
}
