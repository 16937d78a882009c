package dev.offsetd.cli.prewarm;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.cli.prewarm.ProgressBars.NamedBuild;
import dev.offsetd.cli.terminal.TerminalSize;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.json.JsonMapper;

class ProgressBarsTests {

    private static final TerminalSize WIDE = new TerminalSize(10, 100);

    private static NamedBuild build(int number, String rest) {
        String item = "{\"buildId\":\"%016x\",\"attempts\":0,%s}".formatted(number, rest);
        return new NamedBuild(
                "lib" + number + ".so",
                BuildProgress.of(JsonMapper.shared().readTree(item)).orElseThrow(),
                rest.contains("totalBytes") ? ", 3 s left" : "");
    }

    @Test
    void everyBuildHasABarWithBytesOfTotal() {
        List<String> lines = ProgressBars.lines(
                List.of(
                        build(1, "\"state\":\"fetching\",\"bytes\":5242880,\"totalBytes\":20971520"),
                        build(2, "\"state\":\"fetching\",\"bytes\":5242880"),
                        build(3, "\"state\":\"waiting\""),
                        build(4, "\"state\":\"done\"")),
                WIDE);

        assertThat(lines)
                .containsExactly(
                        "lib1.so  00000000  [#####...............] 25%, 5.0 MiB of 20.0 MiB, 3 s left",
                        "lib2.so  00000000  [????????????????????] 5.0 MiB, fetching",
                        "lib3.so  00000000  [....................] waiting",
                        "lib4.so  00000000  [####################] done",
                        "1 of 4 builds done, 2 fetching, 1 waiting");
    }

    @Test
    void whatIsBeingWorkedOnComesFirstWhereNotAllFit() {
        List<NamedBuild> builds = IntStream.range(0, 100)
                .mapToObj(number -> build(number, number == 77 ? "\"state\":\"extracting\"" : "\"state\":\"waiting\""))
                .toList();

        List<String> lines = ProgressBars.lines(builds, WIDE);

        assertThat(lines).hasSizeLessThan(WIDE.rows());
        assertThat(lines.getFirst()).startsWith("lib77.so").endsWith("extracting");
        assertThat(lines.getLast()).isEqualTo("0 of 100 builds done, 1 extracting, 99 waiting, 92 not shown");
    }

    @Test
    void noLineIsLongerThanTheTerminal() {
        NamedBuild long1 = new NamedBuild(
                "n".repeat(200),
                build(
                                1,
                                "\"state\":\"waiting\",\"cause\":{\"code\":\"c\",\"detail\":\"%s\"}"
                                        .formatted("d".repeat(200)))
                        .progress(),
                "");

        assertThat(ProgressBars.lines(List.of(long1), new TerminalSize(24, 40)))
                .allSatisfy(line -> assertThat(line).hasSizeLessThanOrEqualTo(40));
    }

    @Test
    void cutOfABoundIsExact() {
        FailUnder bound = FailUnder.parse("@ruby=66.7%");

        assertThat(bound.allows(667, 1000)).isTrue();
        assertThat(bound.allows(2, 3)).isFalse();
        assertThat(FailUnder.parse("@ruby=100").allows(0, 0)).isTrue();
    }

    @ParameterizedTest
    @ValueSource(strings = {"ruby=1%", "@ruby", "@ruby=", "@ruby=101%", "@ruby=-1%", "@=5%", "@ruby=1%%"})
    void boundThatCannotBeUnderstoodIsRefused(String text) {
        assertThatThrownBy(() -> FailUnder.parse(text))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("expected @SET=N%");
    }

    @ParameterizedTest
    @CsvSource({"90,true,true", "95,false,true", "90,true,false"})
    void boundStandsInPlaceOfAllThatItsSetRequires(String percent, boolean enough, boolean others) {
        BuildProgress build = build(
                        1,
                        "\"state\":\"done\",\"complete\":false,\"coverage\":{\"@ruby\":{\"required\":{\"found\":9,\"of\":10}},"
                                + "\"@glibc\":{\"required\":{\"found\":3,\"of\":3}}}"
                                + (others ? "" : ",\"missing\":[\"thing\"]"))
                .progress();

        assertThat(build.satisfies(List.of(FailUnder.parse("@ruby=" + percent + "%"))))
                .isEqualTo(enough && others);
        assertThat(build.satisfies(List.of())).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"50 120,50,120", "0 0,24,80", "x,24,80", "'',24,80", "50,24,80"})
    void sizeOfATerminalIsWhatSttySays(String text, int rows, int columns) {
        assertThat(TerminalSize.parse(text)).isEqualTo(new TerminalSize(rows, columns));
    }
}
