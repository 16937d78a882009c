package dev.offsetd.query.symbol;

import java.util.Arrays;

/**
 * A shell pattern for names (POSIX, "Pattern Matching Notation"): {@code *} matches any characters, {@code ?} one,
 * {@code [a-z]} and {@code [!a-z]} one in a set or outside it; {@code \} makes a character literal. A {@code [} that is
 * never closed is literal. Case-sensitive.
 *
 * <p>A {@code *} takes as few characters as possible, and only the last one is ever extended. In the worst case every
 * character of the name is compared with every one of the pattern, so the search's budget pays for comparisons.
 */
final class NamePattern {

    /** Longest pattern that is not a literal name. */
    static final int MAX_CHARACTERS = 1_024;

    private static final String SPECIAL = "*?[\\";

    /** Elements of {@link #program}. A number of 0 or more is a literal character. */
    private static final int ANY_NUMBER = -1;

    private static final int ANY_ONE = -2;

    /** Followed by the number of ranges, and the first and last character of each. */
    private static final int ONE_OF = -3;

    /** Followed by the same as {@link #ONE_OF}. */
    private static final int NONE_OF = -4;

    /** The literal name, or the part before the first special character. */
    private final String literal;

    private final boolean isLiteral;

    /** The compiled pattern. Compact, as a query may have thousands of patterns. */
    private int[] program = {};

    private int length;

    private NamePattern(String text) {
        StringBuilder start = new StringBuilder();
        int at = 0;
        while (at < text.length() && (SPECIAL.indexOf(text.charAt(at)) < 0 || isEscape(text, at))) {
            at += isEscape(text, at) ? 1 : 0;
            start.append(text.charAt(at++));
        }
        literal = start.toString();
        isLiteral = at == text.length();
        if (isLiteral) {
            return;
        }
        if (text.length() > MAX_CHARACTERS) {
            throw new IllegalArgumentException(
                    "pattern of " + text.length() + " characters; expected " + MAX_CHARACTERS + " or fewer");
        }
        program = new int[text.length()];
        int lastClosing = text.lastIndexOf(']');
        for (int next = 0; next < text.length(); ) {
            next = add(text, next, lastClosing);
        }
        program = Arrays.copyOf(program, length);
    }

    /**
     * Parses a pattern.
     *
     * @throws IllegalArgumentException if it is too long; a literal name may have any length
     */
    static NamePattern of(String text) {
        return new NamePattern(text);
    }

    private static boolean isEscape(String text, int at) {
        return text.charAt(at) == '\\' && at + 1 < text.length();
    }

    /** Compiles the element at this index, and returns the index of the next one. */
    private int add(String text, int at, int lastClosing) {
        int c = text.codePointAt(at);
        int next = at + Character.charCount(c);
        if (c == '*') {
            append(ANY_NUMBER);
        } else if (c == '?') {
            append(ANY_ONE);
        } else if (isEscape(text, at)) {
            int escaped = text.codePointAt(next);
            append(escaped);
            next += Character.charCount(escaped);
        } else {
            int end = c == '[' ? bracketEnd(text, at, lastClosing) : -1;
            if (end >= 0) {
                addBracket(text.substring(next, end));
                return end + 1;
            }
            append(c);
        }
        return next;
    }

    private void append(int element) {
        if (length == program.length) {
            program = Arrays.copyOf(program, 2 * length);
        }
        program[length++] = element;
    }

    /**
     * Returns the index of the {@code ]} that closes the bracket at {@code start}, or -1. A bracket that is
     * the first character within is literal.
     *
     * @param lastClosing the last one in the pattern, so that a thousand open brackets do not each search to the end
     */
    private static int bracketEnd(String text, int start, int lastClosing) {
        int first = start + 1;
        if (first < text.length() && text.charAt(first) == '!') {
            first++;
        }
        return first + 1 > lastClosing ? -1 : text.indexOf(']', first + 1);
    }

    private void addBracket(String members) {
        boolean negated = members.startsWith("!");
        append(negated ? NONE_OF : ONE_OF);
        int count = length;
        append(0);
        int[] set = members.codePoints().skip(negated ? 1 : 0).toArray();
        for (int i = 0; i < set.length; i++) {
            boolean range = i + 2 < set.length && set[i + 1] == '-';
            int last = range ? set[i + 2] : set[i];
            if (last >= set[i]) {
                append(set[i]);
                append(last);
                program[count]++;
            }
            i += range ? 2 : 0;
        }
    }

    /** Returns whether this is a literal name. */
    boolean isLiteral() {
        return isLiteral;
    }

    /** Returns the prefix of every matching name; for a literal name, all of it. */
    String literal() {
        return literal;
    }

    /**
     * Returns whether the whole name matches.
     *
     * @param budget has paid for as many comparisons as the name cost steps and pays for more; if it is exceeded, the
     *     result is false
     */
    boolean matches(String name, SearchBudget budget) {
        if (isLiteral) {
            return literal.equals(name);
        }
        long paid = SearchBudget.comparisonsPaid(name);
        long compared = 0;
        int at = 0;
        int element = 0;
        int afterStar = -1;
        int starEnd = 0;
        while (true) {
            if (element < length && program[element] == ANY_NUMBER) {
                afterStar = ++element;
                starEnd = at;
                continue;
            }
            if (element == length && (at == name.length() || afterStar == length)) {
                return true;
            }
            if (at == name.length()) {
                return false;
            }
            int c = name.codePointAt(at);
            compared += element < length ? comparisons(element) : 1;
            while (compared > paid) {
                if (!budget.takeComparisons()) {
                    return false;
                }
                paid += SearchBudget.CHARACTERS_PER_STEP;
            }
            if (element < length && suits(element, c)) {
                at += Character.charCount(c);
                element += elementLength(element);
            } else if (afterStar < 0) {
                return false;
            } else {
                starEnd += Character.charCount(name.codePointAt(starEnd));
                at = starEnd;
                element = afterStar;
            }
        }
    }

    private boolean isBracket(int element) {
        return program[element] == ONE_OF || program[element] == NONE_OF;
    }

    private int elementLength(int element) {
        return isBracket(element) ? 2 + 2 * program[element + 1] : 1;
    }

    private int comparisons(int element) {
        return isBracket(element) ? 1 + program[element + 1] : 1;
    }

    private boolean suits(int element, int c) {
        return switch (program[element]) {
            case ANY_ONE -> true;
            case ONE_OF -> isInRange(element, c);
            case NONE_OF -> !isInRange(element, c);
            default -> program[element] == c;
        };
    }

    private boolean isInRange(int bracket, int c) {
        int end = bracket + elementLength(bracket);
        for (int i = bracket + 2; i < end; i += 2) {
            if (program[i] <= c && c <= program[i + 1]) {
                return true;
            }
        }
        return false;
    }
}
