package dev.offsetd.query.item;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.extractor.layout.TypeKind;
import dev.offsetd.query.symbol.SymbolPattern;
import java.util.ArrayList;
import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Parser of items:
 *
 * <pre>{@code
 * list  = item *( "," item )          split outside <>()[]{} and quotes
 * item  = alt *( "|" alt )
 * alt   = "@" set | "enumerator" SP name | "symbol" SP glob | "tls" | [ kind SP ] path
 * kind  = "struct" | "union" | "class" | "enum" | "typedef" | "variable"
 * path  = name *( "." member | "->" member | "[" n "]" )    each in quotes if a dot or bracket is in it
 * }</pre>
 *
 * A set has no alternatives. A name in double quotes is taken literally; {@code "tls"} in quotes is a type. Spaces around
 * the parts of an item are ignored. Any other text ends in an {@link ItemSyntaxException}, after time linear in its length.
 */
public final class ItemParser {

    /** Most items of one query. The largest known type set has about 60. */
    public static final int MAX_ITEMS = 500;

    /** Longest item, in UTF-16 units; room for a C++ name with template arguments. */
    public static final int MAX_ITEM_CHARS = 4096;

    /**
     * Most {@code .member} and {@code [n]} after the first part of a name, and most pointers that a path follows. Real paths
     * have up to 5.
     */
    public static final int MAX_STEPS = 64;

    private static final String POINTER = "->";

    private static final Map<String, TypeKind> KINDS = Map.of(
            "struct", TypeKind.STRUCT,
            "union", TypeKind.UNION,
            "class", TypeKind.CLASS,
            "enum", TypeKind.ENUM,
            "typedef", TypeKind.TYPEDEF);

    private final ItemText item;
    private final String text;
    private final BracketScanner scanner;

    private ItemParser(ItemText item) {
        this.item = item;
        this.text = item.text();
        this.scanner = new BracketScanner(item);
    }

    /**
     * Parses several lists of items, as of a repeated query parameter. An item sent twice counts once.
     *
     * @throws ItemSyntaxException if there is no item, an empty or unreadable one, or too many
     */
    public static List<Item> parseList(List<String> lists) {
        return parseEach(split(lists));
    }

    /**
     * Splits several lists into the texts of their items, without parsing these.
     *
     * @throws ItemSyntaxException if the end of an item cannot be found, or if there are too many
     */
    public static List<String> split(List<String> lists) {
        List<String> items = new ArrayList<>();
        for (String list : lists) {
            int start = 0;
            while (true) {
                int plainEnd = plainEnd(list, start);
                boolean plain = plainEnd == list.length() || list.charAt(plainEnd) == ',';
                int end = plain ? plainEnd : (int) Math.min(list.length(), start + MAX_ITEM_CHARS + 1L);
                ItemText rest = numbered(items.size() + 1, list.substring(start, end));
                int length = plain ? rest.text().length() : lengthOfFirst(rest);
                items.add(rest.text().substring(0, length));
                start += length;
                if (start == list.length()) {
                    break;
                }
                start++;
            }
        }
        return items;
    }

    /**
     * Parses a list that is already split. An item sent twice counts once.
     *
     * @throws ItemSyntaxException if there is no item, an empty or unreadable one, or too many
     */
    public static List<Item> parseEach(Collection<String> items) {
        if (items.isEmpty()) {
            throw new ItemSyntaxException(1, 1, "", "at least one item");
        }
        Map<String, Item> parsed = new LinkedHashMap<>();
        int number = 0;
        for (String text : items) {
            ItemText item = numbered(++number, text);
            if (!parsed.containsKey(text)) {
                parsed.put(text, parse(item));
            }
        }
        return List.copyOf(parsed.values());
    }

    /**
     * Parses one item.
     *
     * @throws ItemSyntaxException if it is empty or unreadable
     */
    public static Item parse(String text) {
        return parse(new ItemText(1, text));
    }

    private static ItemText numbered(int number, String text) {
        ItemText item = new ItemText(number, text);
        if (number > MAX_ITEMS) {
            throw new TooManyItemsException(number, text);
        }
        return item;
    }

    /** Returns the end of the names and dots at {@code start}. Most items have nothing else. */
    private static int plainEnd(String list, int start) {
        int i = start;
        while (i < list.length() && (isWordCharacter(list.charAt(i)) || list.charAt(i) == '.')) {
            i++;
        }
        return i;
    }

    /** Returns the length of the first item of {@code rest}. */
    private static int lengthOfFirst(ItemText rest) {
        int length = new BracketScanner(rest).find(0, rest.text().length(), ",");
        requireLength(rest, length);
        return length;
    }

    private static void requireLength(ItemText item, int length) {
        if (length > MAX_ITEM_CHARS) {
            throw item.error(MAX_ITEM_CHARS, "the end of the item: the limit is " + MAX_ITEM_CHARS + " characters");
        }
    }

    private static Item parse(ItemText item) {
        requireLength(item, item.text().length());
        requirePlainText(item);
        return new ItemParser(item).item();
    }

    /** Rejects half surrogate pairs, which have no UTF-8, and control characters. */
    private static void requirePlainText(ItemText item) {
        int forbidden = HostileText.firstForbidden(item.text());
        if (forbidden >= 0) {
            throw item.error(
                    forbidden,
                    Character.isSurrogate(item.text().charAt(forbidden))
                            ? "a whole character, not half a surrogate pair"
                            : "no control character");
        }
    }

    private Item item() {
        List<Alternative> alternatives = new ArrayList<>(1);
        int start = 0;
        while (true) {
            int end = scanner.find(start, text.length(), "|");
            alternatives.add(alternative(start, end));
            if (end == text.length()) {
                return new Item(text, alternatives);
            }
            start = end + 1;
        }
    }

    private Alternative alternative(int from, int to) {
        int start = skipSpaces(from, to);
        if (start == to) {
            throw item.error(from, to - from == text.length() ? "an item" : "an alternative");
        }
        int end = to;
        while (Character.isWhitespace(text.charAt(end - 1))) {
            end--;
        }
        String whole = text.substring(start, end);
        if (whole.equals("tls")) {
            return new Alternative.ThreadLocalStorage(whole);
        }
        if (whole.charAt(0) == '@') {
            if (from > 0 || to < text.length()) {
                throw item.error(start, "a type or member path: a type set cannot be an alternative");
            }
            return new Alternative.TypeSetName(whole, setName(start + 1, end));
        }
        int wordEnd = start;
        while (wordEnd < to && isLowerCaseLetter(text.charAt(wordEnd))) {
            wordEnd++;
        }
        String word = text.substring(start, wordEnd);
        TypeKind kind = KINDS.get(word);
        boolean wordAlone = wordEnd == to || Character.isWhitespace(text.charAt(wordEnd));
        if (!wordAlone) {
            return path(whole, null, false, start, end);
        }
        int next = skipSpaces(wordEnd, end);
        if (kind != null) {
            requireMore(next, end, "a name after \"" + word + "\"");
            return path(whole, kind, false, next, end);
        }
        if (word.equals("variable") && next < end) {
            return path(whole, null, true, next, end);
        }
        if (wordEnd < to && word.equals("enumerator")) {
            requireMore(next, end, "the name of an enumerator");
            return new Alternative.EnumeratorName(whole, wholeName(next, end));
        }
        if (wordEnd < to && word.equals("symbol")) {
            requireMore(next, end, "the name of a symbol");
            return new Alternative.SymbolGlob(whole, symbolGlob(next, end));
        }
        return path(whole, null, false, start, end);
    }

    private Alternative.TypePath path(String whole, @Nullable TypeKind kind, boolean variable, int start, int end) {
        List<String> parts = new ArrayList<>();
        List<Alternative.PathStep> steps = new ArrayList<>();
        boolean quoted = text.charAt(start) == '"';
        int i;
        if (quoted) {
            int closing = scanner.closingQuote(start, end);
            parts.add(text.substring(start + 1, closing));
            requireName(parts.getFirst(), start + 1);
            i = skipSpaces(closing + 1, end);
        } else {
            i = partEnd(start, end, true);
            parts.add(text.substring(start, i).strip());
            requireName(parts.getFirst(), start);
        }
        boolean inName = !quoted;
        int plainSteps = 0;
        while (i < end) {
            boolean pointer = text.startsWith(POINTER, i);
            if (!pointer && plainSteps++ == MAX_STEPS) {
                throw item.error(i, "the end of the path: the limit is " + MAX_STEPS + " steps");
            }
            char c = text.charAt(i);
            if (pointer) {
                steps.add(new Alternative.PathStep.PointerStep());
                inName = false;
                i++;
            }
            int next = skipSpaces(i + 1, end);
            if ((c == '.' || pointer) && next < end && text.charAt(next) == '"') {
                int closing = scanner.closingQuote(next, end);
                String member = text.substring(next + 1, closing);
                if (member.isBlank()) {
                    throw item.error(next + 1, "the name of a member");
                }
                steps.add(new Alternative.PathStep.MemberStep(member));
                inName = false;
                i = skipSpaces(closing + 1, end);
            } else if (c == '.' || pointer) {
                int partEnd = partEnd(i + 1, end, inName);
                String member = text.substring(i + 1, partEnd).strip();
                if (member.isEmpty()) {
                    // Go names what its compiler makes so: runtime..stmp_41.
                    boolean twoDots = text.startsWith("..", i);
                    throw item.error(
                            i + 1, "the name of a member" + (twoDots ? ", or quotes around a name with \"..\"" : ""));
                }
                requireName(member, i + 1);
                if (inName) {
                    parts.add(member);
                } else {
                    steps.add(new Alternative.PathStep.MemberStep(member));
                }
                i = partEnd;
            } else if (c == '[') {
                int closing = indexEnd(i + 1, end);
                steps.add(new Alternative.PathStep.IndexStep(index(i + 1, closing)));
                inName = false;
                i = skipSpaces(closing + 1, end);
            } else {
                throw item.error(i, "\".\", \"->\", \"[\" or the end of the path");
            }
        }
        return new Alternative.TypePath(whole, kind, variable, quoted, parts, steps);
    }

    /**
     * Returns the end of a part of a path: a dot, a pointer, an index, or the end of the path.
     *
     * @param inName whether the part may belong to the name of a type, which in Go has its type arguments in brackets
     */
    private int partEnd(int start, int end, boolean inName) {
        int i = scanner.find(start, end, ".[-\"");
        while (i < end) {
            if (inName && areTypeArguments(start, i, end)) {
                int closing = scanner.find(i + 1, end, "]");
                if (closing == end) {
                    throw item.error(i, "a partner for \"[\"");
                }
                i = closing;
            } else if (text.charAt(i) != '-' || text.startsWith(POINTER, i)) {
                break;
            } else if (i + 1 == end && !text.substring(start, i).contains("operator")) {
                throw item.error(
                        i, "\"->\" and a member; a shell takes \">\" for a redirection, so quote the whole item");
            }
            i = scanner.find(i + 1, end, ".[-\"");
        }
        if (i < end && text.charAt(i) == '"') {
            throw item.error(i, "a quote only where a name starts");
        }
        return i;
    }

    /** Returns whether a bracket behind a name opens type arguments, which begin with the name of a type; an index has digits. */
    private boolean areTypeArguments(int start, int bracket, int end) {
        if (text.charAt(bracket) != '[' || bracket == start || bracket + 1 == end) {
            return false;
        }
        char first = text.charAt(bracket + 1);
        return isWordCharacter(text.charAt(bracket - 1))
                && (first == '*' || first == '[' || (isWordCharacter(first) && !isDigit(first)));
    }

    /** Returns the bracket that closes the index whose digits start at {@code start}. */
    private int indexEnd(int start, int end) {
        int first = start < end && text.charAt(start) == '-' ? start + 1 : start;
        int i = first;
        while (i < end && isDigit(text.charAt(i))) {
            i++;
        }
        if (i == first || i == end || text.charAt(i) != ']') {
            throw item.error(i, "an array index in decimal digits and \"]\"; quote a name that contains brackets");
        }
        return i;
    }

    private long index(int start, int end) {
        try {
            return Long.parseLong(text, start, end, 10);
        } catch (NumberFormatException e) {
            throw item.error(start, "an array index: the limits are " + Long.MIN_VALUE + " and " + Long.MAX_VALUE);
        }
    }

    /** Returns the name that fills the range, in quotes or not. */
    private String wholeName(int start, int end) {
        String name;
        if (text.charAt(start) == '"') {
            int closing = scanner.closingQuote(start, end);
            if (closing + 1 != end) {
                throw item.error(closing + 1, "the end of the item");
            }
            name = text.substring(start + 1, closing);
            requireName(name, start + 1);
        } else {
            name = text.substring(start, end);
            requireName(name, start);
        }
        return name;
    }

    private String symbolGlob(int start, int end) {
        String glob = wholeName(start, end);
        try {
            SymbolPattern.of(glob);
        } catch (IllegalArgumentException e) {
            throw item.error(start, "the name of a symbol, or a pattern for it: " + e.getMessage());
        }
        return glob;
    }

    private String setName(int start, int end) {
        for (int i = start; i < end; i++) {
            char c = text.charAt(i);
            if (!isDigit(c) && !isLowerCaseLetter(c) && !(c >= 'A' && c <= 'Z') && "_-.".indexOf(c) < 0) {
                throw item.error(i, "letters, digits, \"_\", \"-\" and \".\" in the name of a type set");
            }
        }
        requireMore(start, end, "the name of a type set");
        return text.substring(start, end);
    }

    private void requireName(String name, int start) {
        if (Item.simpleName(name).isBlank()) {
            throw item.error(start + (name.isBlank() ? 0 : name.length()), "a name");
        }
    }

    private void requireMore(int index, int end, String expected) {
        if (index >= end) {
            throw item.error(Math.min(index, text.length()), expected);
        }
    }

    private int skipSpaces(int from, int to) {
        int i = from;
        while (i < to && Character.isWhitespace(text.charAt(i))) {
            i++;
        }
        return i;
    }

    private static boolean isLowerCaseLetter(char c) {
        return c >= 'a' && c <= 'z';
    }

    private static boolean isWordCharacter(char c) {
        return isLowerCaseLetter(c) || (c >= 'A' && c <= 'Z') || isDigit(c) || c == '_';
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
