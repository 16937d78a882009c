package dev.offsetd.extractor.input;

/** Text out of a file or a request on its way into a message: quoted, cut, control characters escaped. */
public final class HostileText {

    private static final int MAX_CHARS = 120;

    private HostileText() {}

    /**
     * Returns the index of the first character that no text from outside may have; -1 if there is none. Control characters
     * other than a tab and line ends are forbidden, because neither a database nor a log can be trusted with them, and halves
     * of surrogate pairs, because they have no UTF-8.
     */
    public static int firstForbidden(String text) {
        for (int i = 0; i < text.length(); i++) {
            char c = text.charAt(i);
            if (c < 0x20 ? c != '\t' && c != '\n' && c != '\r' : c >= 0x7f && c <= 0x9f) {
                return i;
            }
            if (Character.isSurrogate(c)) {
                if (!Character.isHighSurrogate(c)
                        || i + 1 == text.length()
                        || !Character.isLowSurrogate(text.charAt(i + 1))) {
                    return i;
                }
                i++;
            }
        }
        return -1;
    }

    /** Returns whether a character cannot break a line, a terminal or the order of the text around it. */
    public static boolean isPrintable(int codePoint) {
        return switch (Character.getType(codePoint)) {
            case Character.CONTROL,
                    Character.FORMAT,
                    Character.LINE_SEPARATOR,
                    Character.PARAGRAPH_SEPARATOR,
                    Character.SURROGATE,
                    Character.UNASSIGNED -> false;
            default -> true;
        };
    }

    /** Returns whether {@link #quote(String)} adds the quotes and changes nothing. */
    public static boolean needsNoEscape(String text) {
        return quote(text).equals('"' + text + '"');
    }

    /** Returns the text in double quotes, at most 120 characters of it, safe to log and to show. */
    public static String quote(String text) {
        return quote(text, MAX_CHARS);
    }

    /** Returns the same with at most so many characters. */
    public static String quote(String text, int maxChars) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), maxChars) + 8).append('"');
        int chars = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (chars++ == maxChars) {
                return out.append("\"...").toString();
            }
            i += Character.charCount(c);
            if (!isPrintable(c)) {
                out.append(String.format("\\u%04x", c));
                continue;
            }
            if (c == '"' || c == '\\') {
                out.append('\\');
            }
            out.appendCodePoint(c);
        }
        return out.append('"').toString();
    }
}
