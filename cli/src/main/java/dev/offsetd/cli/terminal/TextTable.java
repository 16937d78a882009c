package dev.offsetd.cli.terminal;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import picocli.CommandLine.Help.Ansi.Style;

/** A text table on standard output with columns as wide as their contents. */
public final class TextTable {

    private static final int SHORT_ID_CHARS = 8;

    private final List<List<String>> rows = new ArrayList<>();

    public TextTable(String... heads) {
        rows.add(List.of(heads));
    }

    /** Adds a row; {@link Printable} escapes the cells. */
    public void add(String... cells) {
        List<String> row = new ArrayList<>();
        for (String cell : cells) {
            row.add(cell.isEmpty() ? "-" : Printable.of(cell));
        }
        rows.add(row);
    }

    public void print(Console console) throws IOException {
        int[] widths = new int[rows.getFirst().size()];
        for (List<String> row : rows) {
            for (int i = 0; i < widths.length; i++) {
                widths[i] = Math.max(widths[i], row.get(i).length());
            }
        }
        boolean head = true;
        for (List<String> row : rows) {
            StringBuilder line = new StringBuilder();
            for (int i = 0; i < widths.length; i++) {
                line.append(row.get(i)).repeat(' ', widths[i] - row.get(i).length() + 2);
            }
            String text = line.toString().stripTrailing();
            console.println(head ? console.styled(Style.bold, text) : text);
            head = false;
        }
    }

    /** Returns the start of a build-id or alias key, for people. */
    public static String shortId(String buildId) {
        int prefix = buildId.indexOf(':') + 1;
        return buildId.substring(0, Math.min(buildId.length(), prefix + SHORT_ID_CHARS));
    }

    /** Returns a progress bar of this width with percent and bytes. */
    public static String bar(long bytes, long total, int width) {
        int filled = (int) (Math.clamp((double) bytes / total, 0, 1) * width);
        return "[" + "#".repeat(filled) + ".".repeat(width - filled) + "] " + ByteProgress.describe(bytes, total);
    }
}
