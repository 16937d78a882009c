package dev.offsetd.cli.terminal;

/**
 * How much a terminal shows.
 *
 * @param rows lines
 * @param columns characters of a line
 */
public record TerminalSize(int rows, int columns) {

    /** Of a terminal that does not say. */
    public static final TerminalSize USUAL = new TerminalSize(24, 80);

    /** As {@code stty size} prints it: rows and columns; {@link #USUAL} for anything else, and where one is 0. */
    public static TerminalSize parse(String text) {
        String[] words = text.strip().split(" ", -1);
        if (words.length != 2 || !words[0].matches("[1-9]\\d{0,4}") || !words[1].matches("[1-9]\\d{0,4}")) {
            return USUAL;
        }
        return new TerminalSize(Integer.parseInt(words[0]), Integer.parseInt(words[1]));
    }
}
