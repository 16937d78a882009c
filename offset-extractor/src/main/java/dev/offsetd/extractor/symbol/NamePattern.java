package dev.offsetd.extractor.symbol;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.BitSet;
import java.util.List;
import java.util.TreeSet;

/**
 * A shell pattern for names (POSIX, "Pattern Matching Notation"): {@code *} any characters, {@code ?} one,
 * {@code [a-z]} and {@code [!a-z]} one of these or not, {@code \} before a character that stands for itself. A {@code [}
 * that does not end stands for itself too. Upper and lower case differ.
 *
 * <p>All ways of matching are followed side by side, as bits: the time is the length of the name times one step for each
 * 64 characters of the pattern, whatever stands in either.
 */
final class NamePattern {

    /** Longest pattern that is not a mere name; keeps the tables of bits small. */
    static final int MAX_CHARACTERS = 1_024;

    private static final String SPECIAL = "*?[\\";

    /** The name that it stands for, or if it has several the part before the first special character. */
    private final String literal;

    private final boolean isLiteral;

    /** What a character must be, by position in the pattern: pairs of first and last character. */
    private final List<int[]> positions = new ArrayList<>();

    /** Positions before which any characters may stand. */
    private final BitSet stars = new BitSet();

    /** Where a class of characters that no position tells apart begins; ascending, from 0. */
    private int[] classStarts = {};

    /** For each class, the positions that it suits. */
    private long[][] suited = {};

    private long[] starBits = {};

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
        for (int next = 0; next < text.length(); ) {
            next = add(text, next);
        }
        compile();
    }

    /**
     * Understands a pattern.
     *
     * @throws IllegalArgumentException if it is too long; a mere name may have any length
     */
    static NamePattern of(String text) {
        return new NamePattern(text);
    }

    private static boolean isEscape(String text, int at) {
        return text.charAt(at) == '\\' && at + 1 < text.length();
    }

    /** Takes the element that starts here, and says where the next one does. */
    private int add(String text, int at) {
        int c = text.codePointAt(at);
        int next = at + Character.charCount(c);
        if (c == '*') {
            stars.set(positions.size());
        } else if (c == '?') {
            positions.add(new int[] {0, Character.MAX_CODE_POINT});
        } else if (isEscape(text, at)) {
            int escaped = text.codePointAt(next);
            positions.add(new int[] {escaped, escaped});
            next += Character.charCount(escaped);
        } else {
            int end = c == '[' ? bracketEnd(text, at) : -1;
            if (end >= 0) {
                positions.add(ranges(text.substring(next, end)));
                return end + 1;
            }
            positions.add(new int[] {c, c});
        }
        return next;
    }

    /** Index of the {@code ]} that ends the bracket at {@code start}, -1 if none does; as the first one it is a member. */
    private static int bracketEnd(String text, int start) {
        int first = start + 1;
        if (first < text.length() && text.charAt(first) == '!') {
            first++;
        }
        return text.indexOf(']', first + 1);
    }

    private static int[] ranges(String members) {
        boolean negated = members.startsWith("!");
        int[] set = members.codePoints().skip(negated ? 1 : 0).toArray();
        BitSet in = new BitSet();
        for (int i = 0; i < set.length; i++) {
            boolean range = i + 2 < set.length && set[i + 1] == '-';
            int last = range ? set[i + 2] : set[i];
            if (last >= set[i]) {
                in.set(set[i], last + 1);
            }
            i += range ? 2 : 0;
        }
        if (negated) {
            in.flip(0, Character.MAX_CODE_POINT + 1);
        }
        List<Integer> pairs = new ArrayList<>();
        for (int first = in.nextSetBit(0); first >= 0; first = in.nextSetBit(pairs.getLast() + 1)) {
            pairs.add(first);
            pairs.add(in.nextClearBit(first) - 1);
        }
        return pairs.stream().mapToInt(Integer::intValue).toArray();
    }

    private void compile() {
        TreeSet<Integer> starts = new TreeSet<>(List.of(0));
        for (int[] pairs : positions) {
            for (int i = 0; i < pairs.length; i += 2) {
                starts.add(pairs[i]);
                starts.add(pairs[i + 1] + 1);
            }
        }
        classStarts = starts.stream().mapToInt(Integer::intValue).toArray();
        int words = positions.size() / Long.SIZE + 1;
        suited = new long[classStarts.length][words];
        for (int position = 0; position < positions.size(); position++) {
            int[] pairs = positions.get(position);
            for (int i = 0; i < pairs.length; i += 2) {
                int from = Arrays.binarySearch(classStarts, pairs[i]);
                for (int c = from; c < classStarts.length && classStarts[c] <= pairs[i + 1]; c++) {
                    suited[c][position / Long.SIZE] |= 1L << position;
                }
            }
        }
        starBits = Arrays.copyOf(stars.toLongArray(), words);
    }

    /** Whether it is a mere name. */
    boolean isLiteral() {
        return isLiteral;
    }

    /** What every name that matches begins with; of a mere name, all of it. */
    String literal() {
        return literal;
    }

    /** Whether the whole name is as the pattern says. */
    boolean matches(String name) {
        if (isLiteral) {
            return literal.equals(name);
        }
        // Bit i: so far the name is as the first i positions say.
        long[] reached = new long[starBits.length];
        reached[0] = 1;
        for (int at = 0; at < name.length(); ) {
            int c = name.codePointAt(at);
            if (!step(reached, suited[classOf(c)])) {
                return false;
            }
            at += Character.charCount(c);
        }
        return (reached[positions.size() / Long.SIZE] & 1L << positions.size()) != 0;
    }

    private boolean step(long[] reached, long[] suits) {
        long carry = 0;
        long any = 0;
        for (int word = 0; word < reached.length; word++) {
            long moved = reached[word] & suits[word];
            reached[word] = (reached[word] & starBits[word]) | (moved << 1) | carry;
            carry = moved >>> 63;
            any |= reached[word];
        }
        return any != 0;
    }

    private int classOf(int c) {
        int found = Arrays.binarySearch(classStarts, c);
        return found >= 0 ? found : -found - 2;
    }
}
