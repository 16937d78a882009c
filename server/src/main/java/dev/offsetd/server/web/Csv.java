package dev.offsetd.server.web;

import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Lines of comma-separated values (RFC 4180) that are safe to open with a spreadsheet: text that one would take for a formula
 * has an apostrophe put before it, which spreadsheets take for "this is text".
 */
public final class Csv {

    /** With what spreadsheets begin a formula, or skip to one. */
    private static final String FORMULA = "=+-@\t\r\n";

    private Csv() {}

    /** One line with its end. A cell that is null is empty. */
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
