package dev.offsetd.extractor.identity;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** Names of Linux distributions with their releases, such as {@code Debian 12}. */
public final class Distribution {

    /** Longest text that is looked at. */
    private static final int MAX_CHARS = 300;

    /** A mark in the version of a package, and the release that its numbers spell. */
    private record Mark(Pattern pattern, String format) {

        Mark(String regex, String format) {
            this(Pattern.compile(regex), format);
        }
    }

    /** The first that matches counts. */
    private static final List<Mark> MARKS = List.of(
            new Mark("[+~.]deb(\\d{1,2})u\\d", "Debian %s"),
            new Mark("[~+]bpo(\\d{1,2})\\b", "Debian %s"),
            new Mark("ubuntu[\\d.]*?\\.?(\\d\\d\\.(?:04|10))(?:\\.\\d|$)", "Ubuntu %s"),
            new Mark("[~+](\\d\\d\\.(?:04|10))(?:\\.\\d+)?$", "Ubuntu %s"),
            new Mark("\\dubuntu\\d", "Ubuntu"),
            new Mark("\\.fc(\\d{1,3})\\b", "Fedora %s"),
            new Mark("\\.el(\\d{1,2})(?:[^0-9]|$)", "RHEL %s"),
            new Mark("\\.amzn(\\d{1,4})\\b", "Amazon Linux %s"),
            new Mark("\\.azl(\\d{1,2})\\b", "Azure Linux %s"),
            new Mark("\\.cm(\\d)\\b", "CBL-Mariner %s"),
            new Mark("\\.mga(\\d{1,2})\\b", "Mageia %s"),
            new Mark("\\.oe(\\d\\d)(\\d\\d)", "openEuler %s.%s"),
            new Mark("\\.?lp(\\d\\d)(\\d)\\.", "openSUSE Leap %s.%s"));

    /** Names of distributions by {@code ID} of os-release, where capitals alone do not make them. */
    private static final Map<String, String> NAMES = Map.ofEntries(
            Map.entry("almalinux", "AlmaLinux"),
            Map.entry("alpine", "Alpine Linux"),
            Map.entry("amzn", "Amazon Linux"),
            Map.entry("amazon_linux", "Amazon Linux"),
            Map.entry("arch", "Arch Linux"),
            Map.entry("azurelinux", "Azure Linux"),
            Map.entry("centos", "CentOS"),
            Map.entry("cbl-mariner", "CBL-Mariner"),
            Map.entry("enterprise_linux", "RHEL"),
            Map.entry("ol", "Oracle Linux"),
            Map.entry("openeuler", "openEuler"),
            Map.entry("opensuse-leap", "openSUSE Leap"),
            Map.entry("opensuse-tumbleweed", "openSUSE Tumbleweed"),
            Map.entry("rhel", "RHEL"),
            Map.entry("rocky", "Rocky Linux"),
            Map.entry("sles", "SLES"));

    private Distribution() {}

    /**
     * Returns the distribution that the version of a package spells.
     *
     * @param version version and release, such as {@code 3.1.2-7+deb12u1} or {@code 2.38-1.fc40}
     */
    public static Optional<String> ofPackageVersion(String version) {
        if (version.length() > MAX_CHARS) {
            return Optional.empty();
        }
        for (Mark mark : MARKS) {
            Matcher matcher = mark.pattern.matcher(version);
            if (matcher.find()) {
                return Optional.of(String.format(
                        Locale.ROOT,
                        mark.format,
                        matcher.groupCount() > 0 ? matcher.group(1) : "",
                        matcher.groupCount() > 1 ? matcher.group(2) : ""));
            }
        }
        return Optional.empty();
    }

    /**
     * Returns the name of a distribution.
     *
     * @param id {@code ID} of os-release, in any case
     * @param release {@code VERSION_ID} of os-release, or empty
     */
    public static String named(String id, String release) {
        String lower = id.toLowerCase(Locale.ROOT);
        String capital = id.isEmpty() ? "" : id.substring(0, 1).toUpperCase(Locale.ROOT) + id.substring(1);
        return (NAMES.getOrDefault(lower, capital) + " " + release).strip();
    }
}
