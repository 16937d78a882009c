package dev.offsetd.server.web;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Comma-separated values (RFC 4180) that are safe to open in a spreadsheet: cells that look like formulas get an
 * apostrophe in front, which marks text.
 */
public final class Csv {

    /** Characters that start a formula, or that spreadsheets skip before one. */
    private static final String FORMULA = "=+-@\t\r\n";

    private Csv() {}

    /** Returns one line with its line end. A null cell is empty. */
    public static String line(List<? extends @Nullable String> cells) {
        return cells.stream().map(Csv::cell).collect(Collectors.joining(",", "", "\r\n"));
    }

    private static String cell(@Nullable String text) {
        if (text == null || text.isEmpty()) {
            return "";
        }
        String safe = FORMULA.indexOf(text.charAt(0)) >= 0 ? "'" + text : text;
        return safe.chars().anyMatch(Csv::needsQuotes) ? '"' + safe.replace("\"", "\"\"") + '"' : safe;
    }

    private static boolean needsQuotes(int character) {
        return character == ',' || character == '"' || character == '\r' || character == '\n';
    }
}
