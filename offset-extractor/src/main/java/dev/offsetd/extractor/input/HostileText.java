package dev.offsetd.extractor.input;

/** Text out of a file or a request on its way into a message: quoted, cut, control characters escaped. */
public final class HostileText {

    private static final int MAX_CHARS = 120;

    private HostileText() {}

    /** The text in double quotes, at most 120 characters of it, safe to log and to show. */
    public static String quote(String text) {
        StringBuilder out = new StringBuilder(Math.min(text.length(), MAX_CHARS) + 8).append('"');
        int chars = 0;
        for (int i = 0; i < text.length(); ) {
            int c = text.codePointAt(i);
            if (chars++ == MAX_CHARS) {
                return out.append("\"...").toString();
            }
            i += Character.charCount(c);
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE,
                        Character.UNASSIGNED -> out.append(String.format("\\u%04x", c));
                default -> {
                    if (c == '"' || c == '\\') {
                        out.append('\\');
                    }
                    out.appendCodePoint(c);
                }
            }
        }
        return out.append('"').toString();
    }
}
