package dev.offsetd.server.builds.identity;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import java.util.Locale;
import java.util.Optional;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Which builds are versions of the same library or program, and the order of their versions. */
final class IdentityOrder {

    private static final int MAX_CHARS = 200;

    /** Distributions build in a folder of this one, whose name may be random. */
    private static final Pattern BUILD_FOLDER = Pattern.compile("^/build/[^/]+");

    private static final Pattern WITH_NUMBER = Pattern.compile("[^/]*[0-9][^/]*");
    private static final Pattern NUMBER = Pattern.compile("0*([0-9]+)");
    private static final Pattern LETTER_IN_FRONT = Pattern.compile("^v([0-9])");
    private static final Pattern SERIES = Pattern.compile("[0-9]+(\\.[0-9]+)?");

    /** A release candidate precedes the release; so does everything after a tilde in a package version. */
    private static final Pattern BEFORE_RELEASE = Pattern.compile("~|[-_.]?(alpha|beta|dev|pre|rc)");

    private static final Pattern SONAME_VERSION = Pattern.compile("\\.so(\\.[0-9.]*)?$");
    private static final Pattern NAME_VERSION = Pattern.compile("[-_.]?[0-9][0-9.]*$");

    private IdentityOrder() {}

    /** Prefix of a family that is named after a package: all files of the package have it, and a library of that name does not. */
    private static final String OF_PACKAGE = "package:";

    /**
     * Returns the name that all versions share; empty if no name is known. A package has many programs, so its name counts only
     * if there is no other one.
     */
    static Optional<String> family(Identity identity) {
        return name(identity)
                .or(() -> identity.first(Kind.PACKAGE)
                        .flatMap(IdentityOrder::withoutVersion)
                        .map(name -> cut(OF_PACKAGE + name)));
    }

    /** Returns whether its names tell which file of a package or project it is. */
    static boolean namesFile(Identity identity) {
        return Stream.of(Kind.SONAME, Kind.GO_MODULE, Kind.FILE_NAME)
                .anyMatch(kind -> identity.first(kind).isPresent());
    }

    private static Optional<String> name(Identity identity) {
        return identity.first(Kind.SONAME)
                .map(soname -> SONAME_VERSION.matcher(soname).replaceFirst(""))
                .or(() -> identity.first(Kind.GO_MODULE))
                .or(() -> identity.first(Kind.FILE_NAME)
                        .map(path -> path.substring(path.lastIndexOf('/') + 1))
                        .map(name ->
                                name.endsWith(".debug") ? name.substring(0, name.length() - ".debug".length()) : name))
                .or(() -> identity.first(Kind.PROJECT))
                .map(name -> name.startsWith("vmlinu") ? "vmlinux" : name)
                .flatMap(IdentityOrder::withoutVersion);
    }

    private static Optional<String> withoutVersion(String name) {
        return Optional.of(cut(NAME_VERSION.matcher(name).replaceFirst("").toLowerCase(Locale.ROOT)))
                .filter(rest -> !rest.isEmpty());
    }

    /** Returns a path in which versions are the same: of two files of a package, it differs by their place in the sources. */
    static String withoutNumbers(String path) {
        return WITH_NUMBER
                .matcher(BUILD_FOLDER.matcher(path).replaceFirst("/build"))
                .replaceAll("0");
    }

    /** Returns the version, other than that of the package; empty if none is known. */
    static Optional<String> version(Identity identity) {
        return Stream.of(Kind.KERNEL_RELEASE, Kind.GO_MODULE_VERSION, Kind.VERSION)
                .flatMap(kind -> identity.first(kind).stream())
                .findFirst();
    }

    /** Returns a text that sorts as the versions do; empty if no version is known. */
    static Optional<String> versionOrder(Identity identity) {
        String order = Stream.of(version(identity), identity.first(Kind.PACKAGE_VERSION))
                .flatMap(Optional::stream)
                .map(IdentityOrder::versionOrder)
                .collect(Collectors.joining(" "));
        return order.isEmpty() ? Optional.empty() : Optional.of(cut(order));
    }

    /** Returns a text whose order by code point is that of the versions: numbers follow their length. */
    static String versionOrder(String version) {
        String plain = LETTER_IN_FRONT.matcher(version.toLowerCase(Locale.ROOT)).replaceFirst("$1");
        String marked = BEFORE_RELEASE.matcher(plain).replaceAll("\u0001$1");
        StringBuilder order = new StringBuilder();
        Matcher number = NUMBER.matcher(marked);
        int end = 0;
        while (number.find()) {
            String digits = number.group(1);
            order.append(marked, end, number.start())
                    .append((char) ('a' + Math.min(digits.length(), 25)))
                    .append(digits);
            end = number.end();
        }
        return order.append(marked, end, marked.length()).append('\u0002').toString();
    }

    /** Returns with what the text of all versions begins whose first two numbers are those of a version. */
    static String series(String version) {
        return versionOrder(seriesNumbers(version)).replace("\u0002", "");
    }

    /** Returns the first two numbers of a version: 3.4 of 3.4.5; empty if it does not begin with a number. */
    static String seriesNumbers(String version) {
        Matcher numbers = SERIES.matcher(version);
        return numbers.lookingAt() ? numbers.group() : "";
    }

    private static String cut(String text) {
        return text.length() > MAX_CHARS ? text.substring(0, MAX_CHARS) : text;
    }
}
