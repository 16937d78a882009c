package dev.offsetd.server.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Cells as RFC 4180 quotes them, and as no spreadsheet runs them. */
class CsvTests {

    @Test
    void plainCellsAreJoinedByCommasAndEndInCrLf() {
        assertThat(Csv.line(List.of("a", "b c", "3"))).isEqualTo("a,b c,3\r\n");
    }

    @Test
    void absentCellIsEmpty() {
        assertThat(Csv.line(Arrays.asList("a", null, "")))
                .as("RFC 4180 knows no other absence")
                .isEqualTo("a,,\r\n");
    }

    @Test
    void commasQuotesAndLineEndsAreQuoted() {
        assertThat(Csv.line(List.of("a,b", "say \"hi\"", "two\nlines", "two\r\nlines")))
                .isEqualTo("\"a,b\",\"say \"\"hi\"\"\",\"two\nlines\",\"two\r\nlines\"\r\n");
    }

    @ParameterizedTest
    @ValueSource(strings = {"=1+1", "+1", "-1", "@SUM(A1)", "\tx"})
    void formulasAreText(String formula) {
        assertThat(Csv.line(List.of(formula))).isEqualTo("'" + formula + "\r\n");
    }

    @Test
    void formulaBehindALineEndIsTextInQuotes() {
        assertThat(Csv.line(List.of("\r=1", "\n=1"))).isEqualTo("\"'\r=1\",\"'\n=1\"\r\n");
    }

    @Test
    void formulaInQuotesIsStillText() {
        assertThat(Csv.line(List.of("=HYPERLINK(\"http://example.test\",\"x\")")))
                .isEqualTo("\"'=HYPERLINK(\"\"http://example.test\"\",\"\"x\"\")\"\r\n");
    }

    @Test
    void whatOnlyContainsSuchCharactersStaysAsItIs() {
        assertThat(Csv.line(List.of("a=1", "2026-11-20T12:00:00Z", "x@y")))
                .isEqualTo("a=1,2026-11-20T12:00:00Z,x@y\r\n");
    }
}
