package dev.offsetd.server.builds.identity;

import com.google.re2j.Pattern;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Locale;
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

    /** Neither punctuation of prose nor of a compiler's banner is part of a word. */
    private static final Pattern BETWEEN_WORDS = Pattern.compile("[\\s,;:()\\[\\]{}<>\"'`|&!*?=%#$^\\\\[:cntrl:]]+");

    private static final Pattern SLASHES_AT_THE_END = Pattern.compile("/+$");
    private static final Pattern DASHES_IN_FRONT = Pattern.compile("^-+");

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
        return Arrays.stream(BETWEEN_WORDS.split(text.toLowerCase(Locale.ROOT)))
                .map(SearchWord::word)
                .filter(word -> !word.isEmpty())
                .distinct()
                .toList();
    }

    private static String word(String text) {
        String path = SLASHES_AT_THE_END.matcher(text).replaceFirst("");
        String name = DASHES_IN_FRONT
                .matcher(path.substring(path.lastIndexOf('/') + 1))
                .replaceFirst("");
        return name.length() > MAX_CHARS ? name.substring(0, MAX_CHARS) : name;
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
