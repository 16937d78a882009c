package dev.offsetd.query.symbol;

import java.util.Set;

/**
 * Suffixes that compilers append to function names when they split, specialize, move or rename a function, possibly several
 * times: {@code .cold}, {@code .part.0}, {@code .constprop.0.isra.0}, {@code .lto_priv.3}, {@code .localalias},
 * {@code .llvm.12}.
 */
final class CloneSuffixes {

    /** Suffixes of GCC, and the last two of clang (ThinLTO, {@code -funique-internal-linkage-names}). */
    private static final Set<String> WORDS =
            Set.of("cold", "part", "constprop", "isra", "localalias", "lto_priv", "llvm", "__uniq");

    private static final int LONGEST_WORD = 10;

    private CloneSuffixes() {}

    /** Returns the name without such suffixes. */
    static String functionOf(String name) {
        int end = name.length();
        for (int start = lastSuffix(name, end); start > 0; start = lastSuffix(name, end)) {
            end = start;
        }
        return name.substring(0, end);
    }

    /** Returns whether the name is the function's with such suffixes. */
    static boolean isCloneOf(String function, String name) {
        if (!name.startsWith(function)) {
            return false;
        }
        int end = name.length();
        while (end > function.length()) {
            end = lastSuffix(name, end);
        }
        return end == function.length() && end < name.length();
    }

    /**
     * Returns the start of the last suffix of {@code name[0, end)}: a dot, a word, dots with numbers; -1 if there is none.
     */
    private static int lastSuffix(String name, int end) {
        int wordEnd = end;
        int digits = end;
        while (digits > 0 && isDigit(name.charAt(digits - 1))) {
            digits--;
            if (digits > 0 && name.charAt(digits - 1) == '.') {
                digits--;
                wordEnd = digits;
            }
        }
        int point = name.lastIndexOf('.', wordEnd - 1);
        return point > 0 && wordEnd - point - 1 <= LONGEST_WORD && WORDS.contains(name.substring(point + 1, wordEnd))
                ? point
                : -1;
    }

    private static boolean isDigit(char c) {
        return c >= '0' && c <= '9';
    }
}
