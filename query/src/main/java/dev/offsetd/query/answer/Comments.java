package dev.offsetd.query.answer;

/** Names out of files and questions, made safe to stand in C: in code, and in comments. */
public final class Comments {

    private Comments() {}

    /** The text on one line, without control characters and without the end of a comment. */
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

    /** A comment of one line that says the text. */
    public static String comment(String text) {
        return "/* " + safe(text) + " */";
    }
}
