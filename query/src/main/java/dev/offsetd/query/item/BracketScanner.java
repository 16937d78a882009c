package dev.offsetd.query.item;

import java.util.Arrays;
import java.util.List;

/**
 * Finds separators in an item outside brackets and quotes. C++ makes that inexact: {@code <} opens template arguments or
 * compares. Inside parentheses, a {@code <} that is never closed compares. Names of operators are skipped where only a C++
 * name can stand: inside brackets and after {@code ::}.
 */
final class BracketScanner {

    /** Operators spelled with a bracket, quote or bar; longer ones before their prefixes. */
    private static final List<String> OPERATORS = List.of(
            "<=>", "<<=", ">>=", "->*", "<<", ">>", "<=", ">=", "->", "()", "[]", "||", "|=", "\"\"", "<", ">", "|");

    private static final String OPERATOR = "operator";

    /** Longest escape in a character literal ({@code '\x00000041'}), in characters. */
    private static final int MAX_ESCAPE_CHARS = 10;

    private final ItemText item;
    private final String text;
    private int[] open = new int[16];
    private int depth;

    BracketScanner(ItemText item) {
        this.item = item;
        this.text = item.text();
    }

    /**
     * Returns the index of the first of {@code marks} outside brackets and quotes, searching from {@code from}; {@code end}
     * if there is none.
     *
     * @throws ItemSyntaxException if a bracket or quote before it is not closed
     */
    int find(int from, int end, String marks) {
        depth = 0;
        int i = from;
        while (i < end) {
            char c = text.charAt(i);
            if (depth == 0 && marks.indexOf(c) >= 0) {
                return i;
            }
            i = switch (c) {
                case '"' -> closingQuote(i, end) + 1;
                case '\'' -> afterCharacterLiteral(i, end);
                case '<', '(', '[', '{' -> {
                    push(i);
                    yield i + 1;
                }
                case '>' -> {
                    closeAngle(i);
                    yield i + 1;
                }
                case ')' -> {
                    close(i, '(');
                    yield i + 1;
                }
                case ']' -> {
                    close(i, '[');
                    yield i + 1;
                }
                case '}' -> {
                    close(i, '{');
                    yield i + 1;
                }
                case 'o' -> afterOperator(i, end);
                default -> i + 1;
            };
        }
        if (depth > 0) {
            int opened = open[depth - 1];
            throw item.error(opened, "a partner for \"" + text.charAt(opened) + "\"");
        }
        return end;
    }

    /** Returns the index of the quote that closes the one at {@code opening}. */
    int closingQuote(int opening, int end) {
        int closing = text.indexOf('"', opening + 1, end);
        if (closing < 0) {
            throw item.error(opening, "a closing quote for the one that opens here");
        }
        return closing;
    }

    private void push(int index) {
        if (depth == open.length) {
            open = Arrays.copyOf(open, 2 * depth);
        }
        open[depth++] = index;
    }

    private void closeAngle(int index) {
        if (index > 0 && text.charAt(index - 1) == '-') {
            return;
        }
        if (depth == 0) {
            throw noPartner(index);
        }
        if (text.charAt(open[depth - 1]) == '<') {
            depth--;
        }
    }

    private void close(int index, char partner) {
        int top = depth - 1;
        while (top >= 0 && text.charAt(open[top]) == '<') {
            top--;
        }
        if (top < 0 || text.charAt(open[top]) != partner) {
            throw noPartner(index);
        }
        depth = top;
    }

    private ItemSyntaxException noPartner(int index) {
        return item.error(index, "an opening bracket before \"" + text.charAt(index) + "\"");
    }

    private int afterCharacterLiteral(int index, int end) {
        if (depth == 0) {
            return index + 1;
        }
        if (index + 1 < end && text.charAt(index + 1) == '\\') {
            int from = Math.min(index + 3, end);
            int closing = text.indexOf('\'', from, Math.min(from + MAX_ESCAPE_CHARS, end));
            return closing < 0 ? index + 1 : closing + 1;
        }
        return index + 2 < end && text.charAt(index + 2) == '\'' ? index + 3 : index + 1;
    }

    private int afterOperator(int index, int end) {
        boolean cpp = depth > 0 || (index >= 2 && text.startsWith("::", index - 2));
        if (!cpp
                || !text.startsWith(OPERATOR, index)
                || (index > 0 && Character.isJavaIdentifierPart(text.charAt(index - 1)))) {
            return index + 1;
        }
        int symbol = index + OPERATOR.length();
        for (String operator : OPERATORS) {
            if (text.startsWith(operator, symbol) && symbol + operator.length() <= end) {
                return symbol + operator.length();
            }
        }
        return Math.min(symbol, end);
    }
}
