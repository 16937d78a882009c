package dev.offsetd.cli.terminal;

import com.google.re2j.Pattern;

/** Size of a terminal in characters. */
public record TerminalSize(int rows, int columns) {

    /** Size of a terminal that does not report one. */
    public static final TerminalSize USUAL = new TerminalSize(24, 80);

    /** Parses the output of {@code stty size}: rows and columns. Returns {@link #USUAL} for anything else, and for a 0. */
    public static TerminalSize parse(String text) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 2
                || !Pattern.matches("[1-9]\\d{0,4}", words[0])
                || !Pattern.matches("[1-9]\\d{0,4}", words[1])) {
            return USUAL;
        }
        return new TerminalSize(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }
}
