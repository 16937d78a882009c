package dev.offsetd.query.consensus;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * A version of a runtime: numbers separated by dots, and the text after them. After the numbers of a release, a patch level
 * ({@code p20}) does not count. The revision of a distribution ({@code -9+deb12u14}) counts if there are fewer than three
 * numbers: such projects have no patch releases, so distributions add changes of a stable branch instead. Any other text,
 * such as {@code -beta3} or {@code rc1}, marks a pre-release.
 *
 * @param numbers at least one
 * @param revision empty if it does not count
 * @param preRelease the text after the numbers of a pre-release; empty for a release
 */
record ReleaseVersion(List<Long> numbers, String revision, String preRelease) implements Comparable<ReleaseVersion> {

    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18}){0,9})(.{0,200})", Pattern.DOTALL);

    private static final Pattern REVISION = Pattern.compile("(?:p\\d{1,9})?(-\\d[0-9A-Za-z.+~_-]*)?");

    private static final Pattern NO_LETTERS = Pattern.compile("[^A-Za-z]+");

    private static final Pattern RUNS = Pattern.compile("\\d{1,18}|\\D+");

    ReleaseVersion {
        numbers = List.copyOf(numbers);
    }

    /** Parses a version; empty if it does not begin with a number. */
    static Optional<ReleaseVersion> parse(String text) {
        Matcher version = SYNTAX.matcher(text.strip());
        if (!version.matches()) {
            return Optional.empty();
        }
        List<Long> numbers = new ArrayList<>();
        for (String number : version.group(1).split("\\.", -1)) {
            numbers.add(Long.parseLong(number));
        }
        Matcher release = REVISION.matcher(version.group(2));
        if (!release.matches()) {
            return Optional.of(new ReleaseVersion(numbers, "", version.group(2)));
        }
        boolean counts = numbers.size() < 3 && release.group(1) != null;
        return Optional.of(new ReleaseVersion(numbers, counts ? release.group(1) : "", ""));
    }

    private boolean hasPatchNumber() {
        return numbers.size() >= 3;
    }

    /**
     * Returns whether both are releases of one series, such as 3.4, or revisions of one release by one distribution. Between
     * them, members move seldom, but they do.
     */
    boolean isOfSameSeries(ReleaseVersion other) {
        if (!preRelease.isEmpty() || !other.preRelease.isEmpty()) {
            return false;
        }
        if (hasPatchNumber() && other.hasPatchNumber()) {
            return numbers.subList(0, 2).equals(other.numbers.subList(0, 2));
        }
        return numbers.equals(other.numbers)
                && !revision.isEmpty()
                && words(revision).equals(words(other.revision));
    }

    /** Returns the letters of a revision, which name the distribution: {@code debu}, {@code ubuntu}. */
    private static String words(String revision) {
        return NO_LETTERS.matcher(revision).replaceAll("");
    }

    /** Compares the numbers, then the text after them. */
    @Override
    public int compareTo(ReleaseVersion other) {
        for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
            int difference = Long.compare(numbers.get(i), other.numbers.get(i));
            if (difference != 0) {
                return difference;
            }
        }
        int difference = Integer.compare(numbers.size(), other.numbers.size());
        if (difference == 0) {
            difference = preRelease.compareTo(other.preRelease);
        }
        return difference == 0 ? compareRuns(revision, other.revision) : difference;
    }

    /** Compares runs of digits by their values, and what is between them as text. */
    private static int compareRuns(String one, String other) {
        Matcher ours = RUNS.matcher(one);
        Matcher theirs = RUNS.matcher(other);
        while (ours.find()) {
            if (!theirs.find()) {
                return 1;
            }
            String run = ours.group();
            String otherRun = theirs.group();
            boolean numeric = Character.isDigit(run.charAt(0)) && Character.isDigit(otherRun.charAt(0));
            int difference =
                    numeric ? Long.compare(Long.parseLong(run), Long.parseLong(otherRun)) : run.compareTo(otherRun);
            if (difference != 0) {
                return difference;
            }
        }
        return theirs.find() ? -1 : one.compareTo(other);
    }
}
