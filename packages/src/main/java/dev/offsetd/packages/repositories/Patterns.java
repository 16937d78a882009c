package dev.offsetd.packages.repositories;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Patterns of which one must match a text: {@code *} stands for any text, {@code ?} for a character. */
public final class Patterns {

    private final List<String> patterns;

    /** Null if everything matches. */
    private final @Nullable Pattern pattern;

    /** @param patterns empty if everything matches */
    public Patterns(List<String> patterns) {
        this.patterns = List.copyOf(patterns);
        this.pattern = patterns.isEmpty()
                ? null
                : Pattern.compile(
                        patterns.stream().map(Patterns::expression).collect(Collectors.joining("|")), Pattern.DOTALL);
    }

    private static String expression(String pattern) {
        return pattern.codePoints()
                .mapToObj(c -> switch (c) {
                    case '*' -> ".*";
                    case '?' -> ".";
                    default -> Pattern.quote(Character.toString(c));
                })
                .collect(Collectors.joining());
    }

    /** Returns whether there is no pattern, so that everything matches. */
    boolean isEmpty() {
        return pattern == null;
    }

    /**
     * Returns the warning of a place in which the patterns select nothing, usually because they are misspelt.
     *
     * @param kind of what they select, such as "tag"
     */
    String selectNothing(String place, String kind) {
        return place + " has no " + kind
                + (isEmpty()
                        ? " that could be read"
                        : " that names selects: " + HostileText.quote(String.join(", ", patterns)))
                + "; expected at least one";
    }

    public boolean match(String text) {
        return pattern == null || pattern.matches(text);
    }
}
