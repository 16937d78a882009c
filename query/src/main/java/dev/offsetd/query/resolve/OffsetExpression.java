package dev.offsetd.query.resolve;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.extractor.layout.TypeNames;
import dev.offsetd.query.item.ItemParser;
import dev.offsetd.query.item.VariableChoice;
import dev.offsetd.query.symbol.CodeAddress;
import java.util.LinkedHashSet;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Expression for a byte of a variable or type:
 *
 * <pre>{@code
 * expression = ( [ kind SP ] name | address ) [ ( "+" | SP ) number ]
 * kind       = "struct" | "union" | "class" | "enum" | "typedef"
 * address    = [ "file:" ] "0x" hexadecimal digits
 * number     = decimal digits | "0x" hexadecimal digits
 * }</pre>
 *
 * An address is that of a variable; with {@code file:} it is an offset in the program's file. The name may be in double quotes. A space before the number counts as a plus, because query strings decode one so.
 *
 * @param text the expression as sent
 * @param kind the kind that the type must have, or null for a variable or any type
 * @param name of the variable or type, scopes included
 * @param offset bytes from its start
 */
public record OffsetExpression(String text, @Nullable TypeKind kind, String name, long offset) {

    public OffsetExpression withName(String otherName) {
        return new OffsetExpression(text, kind, otherName, offset);
    }

    /** Returns the address of the byte; empty if the expression has a name. */
    Optional<CodeAddress> address() {
        return kind == null && CodeAddress.matches(name)
                ? Optional.of(CodeAddress.parse(name)).map(at -> new CodeAddress(at.value() + offset, at.inFile()))
                : Optional.empty();
    }

    /** Largest offset whose bit offset does not overflow. */
    public static final long MAX_OFFSET = Long.MAX_VALUE / Byte.SIZE;

    private static final Pattern KIND = Pattern.compile("(struct|union|class|enum|typedef)(\\s+)\\S");
    private static final Pattern NEGATIVE = Pattern.compile("-\\s*(0[xX][0-9a-fA-F]*|[0-9]+)\\s*$");
    private static final Pattern NUMBER_BEHIND_SPACE = Pattern.compile("\\s(0[xX][0-9a-fA-F]*|[0-9]+)\\s*$");

    /**
     * Parses an expression.
     *
     * @throws ExpressionSyntaxException if it cannot be parsed, or is longer than {@link ItemParser#MAX_ITEM_CHARS}
     */
    public static OffsetExpression parse(String text) {
        if (text.length() > ItemParser.MAX_ITEM_CHARS) {
            throw error(
                    text,
                    ItemParser.MAX_ITEM_CHARS,
                    "the end of the expression: the limit is " + ItemParser.MAX_ITEM_CHARS + " characters");
        }
        int plus = text.lastIndexOf('+');
        Matcher negative = NEGATIVE.matcher(text);
        if (negative.find()) {
            throw error(text, negative.start(), "an offset of 0 or more: nothing of a variable or type lies before it");
        }
        Matcher space = NUMBER_BEHIND_SPACE.matcher(text);
        long offset = 0;
        int nameEnd = text.length();
        if (plus > text.lastIndexOf('"')) {
            offset = number(text, plus + 1);
            nameEnd = plus;
        } else if (space.find()) {
            offset = number(text, space.start(1));
            nameEnd = space.start();
        }
        int start = skipSpaces(text, 0, nameEnd);
        TypeKind kind = null;
        Matcher word = KIND.matcher(text.substring(start, nameEnd));
        if (word.lookingAt()) {
            kind = TypeKind.valueOf(word.group(1).toUpperCase(Locale.ROOT));
            start += word.end(2);
        }
        return new OffsetExpression(text, kind, name(text, start, nameEnd), offset);
    }

    /** Returns the names to extract for this expression: without scopes, and whole because some names contain scopes. */
    public Set<String> names() {
        Set<String> names = new LinkedHashSet<>();
        String whole = TypeNames.normalize(name);
        names.add(TypeNames.unqualified(whole));
        names.add(whole);
        names.add(whole.substring(whole.lastIndexOf('.') + 1));
        VariableChoice.stem(name).ifPresent(names::add);
        return names;
    }

    private static String name(String text, int from, int to) {
        int start = from;
        int end = to;
        while (end > start && Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        boolean quoted = start < end && text.charAt(start) == '"';
        if (quoted) {
            int closing = text.indexOf('"', start + 1);
            if (closing < 0 || closing >= end) {
                throw error(text, start, "a closing quote for the one that opens here");
            }
            if (closing + 1 < end) {
                throw error(text, closing + 1, "\"+\" and a number, or the end of the expression");
            }
            start++;
            end = closing;
        }
        int stray = text.indexOf('"', start);
        if (stray >= 0 && stray < end) {
            throw error(text, stray, "a quote only around a whole name");
        }
        String name = text.substring(start, end);
        if (!quoted && name.startsWith(CodeAddress.FILE) && !name.startsWith("file::") && !CodeAddress.matches(name)) {
            throw error(text, start, CodeAddress.EXPECTED);
        }
        if (TypeNames.unqualified(TypeNames.normalize(name)).isBlank()) {
            throw error(text, end, "the name of a variable or type");
        }
        return name;
    }

    private static long number(String text, int from) {
        int start = skipSpaces(text, from, text.length());
        boolean hex = text.startsWith("0x", start) || text.startsWith("0X", start);
        int digits = hex ? start + 2 : start;
        int end = digits;
        long value = 0;
        while (end < text.length() && Character.digit(text.charAt(end), hex ? 16 : 10) >= 0 && text.charAt(end) < 128) {
            value = value * (hex ? 16 : 10) + Character.digit(text.charAt(end), hex ? 16 : 10);
            if (value > MAX_OFFSET) {
                throw error(text, start, "an offset in bytes: the limit is " + MAX_OFFSET);
            }
            end++;
        }
        if (end == digits) {
            throw error(text, end, "an offset in bytes, in decimal digits or 0x and hexadecimal ones");
        }
        int behind = skipSpaces(text, end, text.length());
        if (behind < text.length()) {
            throw error(text, behind, "the end of the expression");
        }
        return value;
    }

    private static int skipSpaces(String text, int from, int to) {
        int at = from;
        while (at < to && Character.isWhitespace(text.charAt(at))) {
            at++;
        }
        return at;
    }

    private static ExpressionSyntaxException error(String text, int index, String expected) {
        return new ExpressionSyntaxException(
                text, text.codePointCount(0, Math.min(index, text.length())) + 1, expected);
    }
}
