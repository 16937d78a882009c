package dev.offsetd.extractor.dwarf;

/**
 * A C declarator without a name: what stands before the place of the name, and what behind it. {@code void (*)(int)} is
 * {@code void (*} and {@code )(int)}.
 */
record Spelling(String before, String after) {

    static Spelling of(String name) {
        return new Spelling(name, "");
    }

    /** This type behind a pointer or reference sign. */
    Spelling pointer(String sign, boolean parenthesised) {
        return parenthesised
                ? new Spelling(join(before, "(" + sign), ")" + after)
                : new Spelling(join(before, sign), after);
    }

    /** This type with a qualifier: in front of a plain name, behind a pointer. */
    Spelling qualified(String qualifier, boolean pointer) {
        return pointer ? new Spelling(before + " " + qualifier, after) : new Spelling(qualifier + " " + before, after);
    }

    /** An array of this type. */
    Spelling array(String dimensions) {
        return new Spelling(before, dimensions + after);
    }

    /** A function that returns this type. */
    Spelling function(String parameters) {
        return new Spelling(before, parameters + after);
    }

    /** The whole. */
    String text() {
        return after.isEmpty() || after.startsWith(")") ? before + after : join(before, after);
    }

    int length() {
        return before.length() + after.length();
    }

    private static String join(String left, String right) {
        return left.endsWith("*") || left.endsWith("(") || left.endsWith("&") ? left + right : left + " " + right;
    }
}
