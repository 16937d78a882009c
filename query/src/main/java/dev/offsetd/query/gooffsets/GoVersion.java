package dev.offsetd.query.gooffsets;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.Comparator;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Version of a module or of Go, ordered by Semantic Versioning 2.0.0.
 *
 * @param prerelease without the hyphen; empty for a release. Pseudo-versions have one
 * @param metadata without the plus sign, such as {@code incompatible}; it does not count for the order unless all else is equal
 */
public record GoVersion(long major, long minor, long patch, String prerelease, String metadata)
        implements Comparable<GoVersion> {

    /** The version of code that has none. */
    public static final GoVersion NONE = new GoVersion(0, 0, 0, "", "");

    private static final Pattern SYNTAX = Pattern.compile(
            "v?(\\d{1,9})(?:\\.(\\d{1,9}))?(?:\\.(\\d{1,9}))?(?:-([0-9A-Za-z.-]+))?(?:\\+([0-9A-Za-z.-]+))?");

    private static final Pattern NUMBER = Pattern.compile("[0-9]{1,18}");

    private static final Comparator<GoVersion> ORDER = Comparator.comparingLong(GoVersion::major)
            .thenComparingLong(GoVersion::minor)
            .thenComparingLong(GoVersion::patch)
            .thenComparing(GoVersion::prerelease, GoVersion::comparePrereleases)
            .thenComparing(GoVersion::metadata);

    /** Parses a version, with or without the letter in front. Numbers that are left out are 0. */
    public static Optional<GoVersion> parse(String text) {
        Matcher parts = SYNTAX.matcher(text);
        return parts.matches()
                ? Optional.of(new GoVersion(
                        number(parts.group(1)),
                        number(parts.group(2)),
                        number(parts.group(3)),
                        Optional.ofNullable(parts.group(4)).orElse(""),
                        Optional.ofNullable(parts.group(5)).orElse("")))
                : Optional.empty();
    }

    private static long number(@Nullable String digits) {
        return digits == null ? 0 : Long.parseLong(digits);
    }

    public boolean isRelease() {
        return prerelease.isEmpty();
    }

    /** Returns whether the code is that of the version in the module's repository: {@code dirty} marks changed code. */
    public boolean isUnchanged() {
        return !metadata.contains("dirty");
    }

    @Override
    public int compareTo(GoVersion other) {
        return ORDER.compare(this, other);
    }

    /** Compares as Semantic Versioning says: a release is the latest, numbers count as such and are before words. */
    private static int comparePrereleases(String one, String other) {
        if (one.isEmpty() || other.isEmpty()) {
            return Boolean.compare(one.isEmpty(), other.isEmpty());
        }
        String[] left = one.split("\\.", -1);
        String[] right = other.split("\\.", -1);
        for (int i = 0; i < Math.min(left.length, right.length); i++) {
            int order = compareIdentifiers(left[i], right[i]);
            if (order != 0) {
                return order;
            }
        }
        return Integer.compare(left.length, right.length);
    }

    private static int compareIdentifiers(String one, String other) {
        boolean isNumber = NUMBER.matcher(one).matches();
        boolean isOtherNumber = NUMBER.matcher(other).matches();
        if (isNumber && isOtherNumber) {
            int order = Long.compare(Long.parseLong(one), Long.parseLong(other));
            return order != 0 ? order : one.compareTo(other);
        }
        return isNumber != isOtherNumber ? Boolean.compare(isOtherNumber, isNumber) : one.compareTo(other);
    }

    /** Returns the version without the letter in front. */
    @Override
    public String toString() {
        return major + "." + minor + "." + patch
                + (prerelease.isEmpty() ? "" : "-" + prerelease)
                + (metadata.isEmpty() ? "" : "+" + metadata);
    }
}
