package dev.offsetd.query.consensus;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/**
 * A version of a runtime: numbers separated by dots, and the text after them. After the numbers of a release, a patch level
 * ({@code p20}) and the revision of a distribution ({@code -1ubuntu2}) do not count. Any other text, such as {@code -beta3}
 * or {@code rc1}, marks a pre-release.
 *
 * @param numbers at least one
 * @param rest the text after the numbers of a pre-release; empty for a release
 */
record ReleaseVersion(List<Long> numbers, String rest) implements Comparable<ReleaseVersion> {

    private static final Pattern SYNTAX = Pattern.compile("(\\d{1,18}(?:\\.\\d{1,18}){0,9})(.{0,200})", Pattern.DOTALL);

    private static final Pattern REVISION = Pattern.compile("(?:p\\d{1,9})?(?:-\\d[0-9A-Za-z.+~_-]*)?");

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
        String rest = version.group(2);
        return Optional.of(new ReleaseVersion(numbers, REVISION.matcher(rest).matches() ? "" : rest));
    }

    boolean isRelease() {
        return rest.isEmpty();
    }

    /** Returns whether both are releases of one series, such as 3.4: their layouts change seldom, but they do. */
    boolean isOfSameSeries(ReleaseVersion other) {
        return isRelease()
                && other.isRelease()
                && numbers.size() >= 3
                && other.numbers.size() >= 3
                && numbers.subList(0, 2).equals(other.numbers.subList(0, 2));
    }

    /** Compares the numbers, then what follows them. */
    @Override
    public int compareTo(ReleaseVersion other) {
        for (int i = 0; i < Math.min(numbers.size(), other.numbers.size()); i++) {
            int difference = Long.compare(numbers.get(i), other.numbers.get(i));
            if (difference != 0) {
                return difference;
            }
        }
        int difference = Integer.compare(numbers.size(), other.numbers.size());
        return difference == 0 ? rest.compareTo(other.rest) : difference;
    }
}
