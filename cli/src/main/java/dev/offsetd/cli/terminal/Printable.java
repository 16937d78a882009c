package dev.offsetd.cli.terminal;

import dev.offsetd.extractor.input.HostileText;
import java.util.StringJoiner;

/** Escaping of names from files and servers, which may contain control sequences for the terminal. */
public final class Printable {

    private Printable() {}

    /** Returns the text with unprintable characters as {@code \}{@code uXXXX}. */
    public static String of(String text) {
        if (isPrintableAscii(text)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (HostileText.isPrintable(c)) {
                out.appendCodePoint(c);
            } else {
                out.append(String.format("\\u%04x", c));
            }
        });
        return out.toString();
    }

    /** Returns the same of a line of text, in which tabs stay as they are. */
    public static String withTabs(String line) {
        StringJoiner parts = new StringJoiner("\t");
        int start = 0;
        for (int tab = line.indexOf('\t'); tab >= 0; tab = line.indexOf('\t', start)) {
            parts.add(of(line.substring(start, tab)));
            start = tab + 1;
        }
        return parts.add(of(line.substring(start))).toString();
    }

    /** The names of a large C++ program have a hundred million characters, almost all of them printable ASCII. */
    private static boolean isPrintableAscii(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < ' ' || c > '~') {
                return false;
            }
        }
        return true;
    }
}
