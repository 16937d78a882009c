package dev.offsetd.server.answers.types;

import java.util.Comparator;
import java.util.Locale;
import java.util.Optional;
import java.util.TreeSet;

/**
 * Search for the names that match a text best: equal ones first, then those that start with it, those with a word that
 * does, and those that contain it.
 */
final class BestMatches {

    /** A name is a step, and so are {@link #COMPARISONS_PER_STEP} comparisons of characters. */
    static final int MAX_STEPS = 1_000_000;

    private static final int COMPARISONS_PER_STEP = 1_024;

    private static final Comparator<Match> ORDER = Comparator.comparing(Match::rank)
            .thenComparingInt(match -> match.name().length())
            .thenComparing(match -> !match.sameCase())
            .thenComparing(Match::name);

    private final String typed;
    private final String part;
    private final int limit;
    private final TreeSet<Match> best = new TreeSet<>(ORDER);
    private int characters;
    private long steps;
    private boolean more;

    private BestMatches(String typed, int limit, long steps) {
        this.typed = typed;
        this.part = typed.toLowerCase(Locale.ROOT);
        this.limit = limit;
        this.steps = steps;
    }

    /** How a name matches, best first. Case is ignored. */
    enum Rank {
        EXACT,
        PREFIX,
        WORD,
        SUBSTRING
    }

    /** @param sameCase whether it has the text as typed */
    private record Match(Rank rank, boolean sameCase, String name) {}

    /**
     * Searches all names, up to {@link #MAX_STEPS}. The names have together at most {@link TypeNamePage#MAX_CHARACTERS}, unless
     * there is only one.
     *
     * @param limit of names
     */
    static TypeNamePage read(TypeNamePage.NameSource names, String typed, int limit) {
        return read(names, typed, limit, MAX_STEPS);
    }

    static TypeNamePage read(TypeNamePage.NameSource names, String typed, int limit, long maxSteps) {
        BestMatches matches = new BestMatches(typed, limit, maxSteps);
        names.forEachTypeName("", matches::take);
        return new TypeNamePage(matches.best.stream().map(Match::name).toList(), null, matches.more);
    }

    private boolean take(String name) {
        steps -= 1 + (long) name.length() * part.length() / COMPARISONS_PER_STEP;
        if (steps < 0) {
            more = true;
            return false;
        }
        rank(name, part).ifPresent(rank -> {
            best.add(new Match(rank, name.contains(typed), name));
            characters += name.length();
            while (best.size() > limit || (characters > TypeNamePage.MAX_CHARACTERS && best.size() > 1)) {
                characters -= best.removeLast().name().length();
                more = true;
            }
        });
        return true;
    }

    /** @param part in lower case */
    static Optional<Rank> rank(String name, String part) {
        String lower = name.toLowerCase(Locale.ROOT);
        int at = lower.indexOf(part);
        if (at < 0) {
            return Optional.empty();
        }
        if (at == 0) {
            return Optional.of(lower.length() == part.length() ? Rank.EXACT : Rank.PREFIX);
        }
        // Lower case can be longer, such as that of U+0130.
        String spelled = lower.length() == name.length() ? name : lower;
        while (at >= 0) {
            if (startsWord(spelled, at)) {
                return Optional.of(Rank.WORD);
            }
            at = lower.indexOf(part, at + 1);
        }
        return Optional.of(Rank.SUBSTRING);
    }

    private static boolean startsWord(String name, int at) {
        char before = name.charAt(at - 1);
        char first = name.charAt(at);
        return !Character.isLetterOrDigit(before)
                || !Character.isLetterOrDigit(first)
                || (Character.isUpperCase(first) && !Character.isUpperCase(before));
    }
}
