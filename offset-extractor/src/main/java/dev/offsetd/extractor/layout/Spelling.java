package dev.offsetd.extractor.layout;

import java.util.List;
import java.util.Set;

/**
 * A C declarator without the name it declares: {@code void (*)(int)} is {@code void (*} and {@code )(int)}. A declarator is
 * read from the name outwards, so a type built from another one is inserted between the two parts.
 *
 * @param before the text before the name, without a space at its end
 * @param after the text behind the name: brackets and parentheses, or nothing
 */
public record Spelling(String before, String after) {

    private static final Set<String> QUALIFIERS = Set.of("const", "volatile", "restrict", "_Atomic");

    /** Returns a type that is spelled by a name alone. */
    public static Spelling of(String name) {
        return new Spelling(name, "");
    }

    /**
     * Returns the declarator with this {@link #text()}.
     *
     * @param afterLength length of {@link #after()}
     * @throws IllegalArgumentException if the text is shorter than that
     */
    public static Spelling ofText(String text, int afterLength) {
        if (afterLength > text.length()) {
            throw new IllegalArgumentException(
                    "length of the part behind the name is " + afterLength + "; expected at most " + text.length());
        }
        int place = text.length() - afterLength;
        String after = text.substring(place);
        // A name may end with spaces itself, so only the one that text() puts between the parts is dropped.
        boolean joined = afterLength > 0 && !after.startsWith(")") && place > 0 && text.charAt(place - 1) == ' ';
        return new Spelling(text.substring(0, joined ? place - 1 : place), after);
    }

    /** Parses a C declarator; any other text is taken as a name. */
    public static Spelling parse(String text) {
        int place = text.length();
        while (place > 0) {
            int open = switch (text.charAt(place - 1)) {
                case ']' -> text.lastIndexOf('[', place - 1);
                case ')' -> openOf(text, place - 1);
                default -> 0;
            };
            if (open <= 0) {
                break;
            }
            boolean grouped = text.charAt(open) == '(' && "*&".indexOf(text.charAt(open + 1)) >= 0;
            place = grouped ? place - 1 : open;
            while (text.charAt(place - 1) == ' ') {
                place--;
            }
        }
        return place == 0
                ? of(text)
                : new Spelling(text.substring(0, place), text.substring(place).stripLeading());
    }

    /** Returns the index of the parenthesis that is closed at {@code close}, or -1. */
    private static int openOf(String text, int close) {
        int depth = 0;
        for (int i = close; i >= 0; i--) {
            depth += text.charAt(i) == ')' ? 1 : text.charAt(i) == '(' ? -1 : 0;
            if (depth == 0) {
                return i;
            }
        }
        return -1;
    }

    /**
     * Returns a pointer or reference to this type. An array or function needs parentheses: its suffix binds tighter
     * than the sign.
     */
    public Spelling pointer(String sign) {
        return after.isEmpty() || after.startsWith(")")
                ? new Spelling(join(before, sign), after)
                : new Spelling(join(before, "(" + sign), ")" + after);
    }

    /**
     * This type with a qualifier: in front of a name, behind the sign of a pointer. A qualifier of an array is one of its elements
     * (C11 6.7.3p9), and the same one twice counts once (p5). Functions and references have none (p9, C++ [dcl.ref]p1); GCC
     * marks the {@code const} and {@code noreturn} attributes of functions that way.
     */
    public Spelling qualified(String qualifier) {
        if (after.startsWith("[")) {
            int dimensions = dimensions();
            return new Spelling(before, after.substring(dimensions))
                    .qualified(qualifier)
                    .array(after.substring(0, dimensions));
        }
        if (after.startsWith("(")) {
            return this;
        }
        if (before.endsWith("&")) {
            return this;
        }
        String bare = withoutQualifiersBehind();
        if (bare.endsWith("*")) {
            return hasWord(before.substring(bare.length()), qualifier)
                    ? this
                    : new Spelling(before + " " + qualifier, after);
        }
        return hasWord(qualifiersInFront(), qualifier) ? this : new Spelling(qualifier + " " + before, after);
    }

    /** {@code before} up to the sign of a pointer, if it ends with one and its qualifiers. */
    private String withoutQualifiersBehind() {
        String left = before;
        while (QUALIFIERS.contains(left.substring(left.lastIndexOf(' ') + 1))) {
            left = left.substring(0, Math.max(left.lastIndexOf(' '), 0));
        }
        return left;
    }

    private String qualifiersInFront() {
        int end = 0;
        for (int space = before.indexOf(' ');
                space > 0 && QUALIFIERS.contains(before.substring(end, space));
                space = before.indexOf(' ', end)) {
            end = space + 1;
        }
        return before.substring(0, end);
    }

    private static boolean hasWord(String text, String word) {
        return List.of(text.split(" ")).contains(word);
    }

    /** Returns the end of the dimensions that {@code after} begins with. */
    private int dimensions() {
        int end = 0;
        while (after.startsWith("[", end)) {
            end = after.indexOf(']', end) + 1;
        }
        return end;
    }

    /** Returns an array of this type. */
    public Spelling array(String dimensions) {
        return new Spelling(before, dimensions + after);
    }

    /** Returns a function that returns this type. */
    public Spelling function(String parameters) {
        return new Spelling(before, parameters + after);
    }

    /** Both parts with nothing between them, as an abstract declarator. */
    public String text() {
        return after.isEmpty() || after.startsWith(")") ? before.concat(after) : join(before, after);
    }

    /** Characters of both parts. */
    public int length() {
        return before.length() + after.length();
    }

    private static String join(String left, String right) {
        return left.endsWith("*") || left.endsWith("(") || left.endsWith("&") ? left + right : left + " " + right;
    }
}
