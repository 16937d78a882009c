package dev.offsetd.query.answer;

/** Escapes names from files and queries for C code and comments. */
public final class Comments {

    private Comments() {}

    /** Returns the text on one line, without control characters or the end of a comment. */
    static String safe(String text) {
        StringBuilder out = new StringBuilder(text.length());
        text.codePoints().forEach(c -> {
            switch (Character.getType(c)) {
                case Character.CONTROL,
                        Character.FORMAT,
                        Character.LINE_SEPARATOR,
                        Character.PARAGRAPH_SEPARATOR,
                        Character.SURROGATE,
                        Character.UNASSIGNED -> out.append('?');
                default -> out.appendCodePoint(c);
            }
        });
        // A backslash at the end of a line would continue it, and "?" twice may begin a trigraph.
        return out.toString()
                .replace("*/", "* /")
                .replace("/*", "/ *")
                .replace('\\', '/')
                .replace("??", "?");
    }

    /** Returns the text as a comment of one line. */
    public static String comment(String text) {
        return "/* " + safe(text) + " */";
    }

    /** Returns the text as a YAML comment of one line. */
    public static String yaml(String text) {
        return "# " + safe(text);
    }
}
