package dev.offsetd.extractor.spelling;

/**
 * A C declarator without a name: what stands before the place of the name, and what behind it. {@code void (*)(int)} is
 * {@code void (*} and {@code )(int)}.
 */
public record Spelling(String before, String after) {

    /** A type that is spelled by a name alone. */
    public static Spelling of(String name) {
        return new Spelling(name, "");
    }

    /** This type behind a pointer or reference sign. */
    public Spelling pointer(String sign, boolean parenthesised) {
        return parenthesised
                ? new Spelling(join(before, "(" + sign), ")" + after)
                : new Spelling(join(before, sign), after);
    }

    /** This type with a qualifier: in front of a plain name, behind a pointer. */
    public Spelling qualified(String qualifier, boolean pointer) {
        return pointer ? new Spelling(before + " " + qualifier, after) : new Spelling(qualifier + " " + before, after);
    }

    /** An array of this type. */
    public Spelling array(String dimensions) {
        return new Spelling(before, dimensions + after);
    }

    /** A function that returns this type. */
    public Spelling function(String parameters) {
        return new Spelling(before, parameters + after);
    }

    /** The whole. */
    public String text() {
        return after.isEmpty() || after.startsWith(")") ? before + after : join(before, after);
    }

    /** Characters of both parts. */
    public int length() {
        return before.length() + after.length();
    }

    private static String join(String left, String right) {
        return left.endsWith("*") || left.endsWith("(") || left.endsWith("&") ? left + right : left + " " + right;
    }
}
