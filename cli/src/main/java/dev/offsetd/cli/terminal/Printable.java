package dev.offsetd.cli.terminal;

/** Escaping of names from files and servers, which may contain control sequences for the terminal. */
public final class Printable {

    private Printable() {}

    /** Returns the text with unprintable characters as {@code \}{@code uXXXX}. */
    public static String of(String text) {
        if (text.codePoints().allMatch(Printable::prints)) {
            return text;
        }
        StringBuilder out = new StringBuilder(text.length() + 16);
        text.codePoints().forEach(c -> {
            if (prints(c)) {
                out.appendCodePoint(c);
            } else {
                out.append(String.format("\\u%04x", c));
            }
        });
        return out.toString();
    }

    private static boolean prints(int c) {
        return switch (Character.getType(c)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }
}
