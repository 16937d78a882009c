package dev.offsetd.server.builds.identity;

import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.stream.Collectors;

/**
 * A word that an identity must have.
 *
 * @param text lower case
 * @param in fields that may have it
 * @param whole whether the word must be equal; otherwise it may be longer
 */
record SearchWord(String text, In in, boolean whole) {

    /** Longest word, in the table and in queries. */
    static final int MAX_CHARS = 64;

    /** Neither punctuation of prose nor of a compiler's banner is part of a word, nor are spaces and control characters. */
    private static final String BETWEEN_WORDS = ",;:()[]{}<>\"'`|&!*?=%#$^\\\u007f";

    /** Groups of fields, as weights of words. */
    enum In {
        NAME("A", "1A"),
        VERSION("B", "2B"),
        DISTRIBUTION("C", "3C"),
        OTHER("D", "4D"),
        ANY("", "");

        private final String weight;
        private final String position;

        In(String weight, String position) {
            this.weight = weight;
            this.position = position;
        }

        /** Returns the position of all words of these fields: PostgreSQL keeps a weight only with a position. */
        String position() {
            return position;
        }

        String weight() {
            return weight;
        }
    }

    /** Returns the words of a text, in order: of a path the last component, without the dashes before an option. */
    static List<String> words(String text) {
        String lower = text.toLowerCase(Locale.ROOT);
        Set<String> words = new LinkedHashSet<>();
        int start = 0;
        // A regular expression takes 100 ms for the megabyte of a hostile identity.
        for (int i = 0; i <= lower.length(); i++) {
            if (i == lower.length() || isBetweenWords(lower.charAt(i))) {
                String word = word(lower, start, i);
                if (!word.isEmpty()) {
                    words.add(word);
                }
                start = i + 1;
            }
        }
        return List.copyOf(words);
    }

    private static boolean isBetweenWords(char character) {
        return character <= ' ' || BETWEEN_WORDS.indexOf(character) >= 0;
    }

    private static String word(String text, int from, int to) {
        int end = to;
        while (end > from && text.charAt(end - 1) == '/') {
            end--;
        }
        int start = end;
        while (start > from && text.charAt(start - 1) != '/') {
            start--;
        }
        while (start < end && text.charAt(start) == '-') {
            start++;
        }
        return text.substring(start, Math.min(end, start + MAX_CHARS));
    }

    /** Returns the query that this word matches, in PostgreSQL's syntax of {@code tsquery}. */
    String tsquery() {
        String options = (whole ? "" : "*") + in.weight();
        return quoted(text) + (options.isEmpty() ? "" : ":" + options);
    }

    /** Returns the query that all of these words match. */
    static String allOf(Collection<SearchWord> words) {
        return words.stream().map(SearchWord::tsquery).collect(Collectors.joining(" & "));
    }

    /** Returns the query that one of these words matches. */
    static String oneOf(Collection<SearchWord> words) {
        return words.stream().map(SearchWord::tsquery).collect(Collectors.joining(" | "));
    }

    /** Returns a word in quotes, as {@code tsvector} and {@code tsquery} read it. */
    static String quoted(String word) {
        return "'" + word.replace("\\", "\\\\").replace("'", "''") + "'";
    }
}
