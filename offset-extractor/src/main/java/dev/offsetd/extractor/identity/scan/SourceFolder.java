package dev.offsetd.extractor.identity.scan;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.identity.Distribution;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Project and version in the path of a folder that sources were compiled in, such as
 * {@code /build/ruby3.4-3.4.5/debian/build} or {@code /usr/src/debug/glibc-2.38-1.fc40.x86_64}.
 *
 * @param project its name in lower case, without a version that a package has in its name
 * @param version its version, which has a dot; other numbers in paths are those of jobs and users
 * @param distribution null if the name of the folder does not have it
 */
record SourceFolder(
        String project, String version, @Nullable String distribution) {

    /** Longest path that is looked at. */
    private static final int MAX_CHARS = 1_000;

    private static final Pattern NAME_AND_VERSION =
            Pattern.compile("([A-Za-z][A-Za-z0-9+._-]{0,80}?)[-_]v?(\\d{1,9}(?:\\.[0-9A-Za-z+~_]{1,40})+)(-.*)?");

    /** The version of its source package that a project's name ends with: {@code ruby3.4}, {@code gcc-12}. */
    private static final Pattern VERSION_IN_NAME = Pattern.compile("-?(\\d+(?:\\.\\d+)*)$");

    /** Returns what the last folder says that has a version. */
    static Optional<SourceFolder> parse(String path) {
        if (path.length() > MAX_CHARS || isDependency(path)) {
            return Optional.empty();
        }
        Optional<SourceFolder> found = Optional.empty();
        for (String folder : path.replace('\\', '/').split("/", -1)) {
            Matcher matcher = NAME_AND_VERSION.matcher(folder);
            if (matcher.matches()) {
                String version = matcher.group(2);
                found = Optional.of(new SourceFolder(
                        withoutVersion(matcher.group(1).toLowerCase(Locale.ROOT), version),
                        version,
                        Distribution.ofPackageVersion(folder).orElse(null)));
            }
        }
        return found;
    }

    /**
     * Returns whether a program's dependencies are compiled there: where Cargo unpacks them, or where Rust's standard library
     * and its dependencies are compiled. In C, dependencies are programs of their own.
     */
    static boolean isDependency(String path) {
        return path.contains("/registry/src/") || path.startsWith("/rustc/") || path.startsWith("/rust/deps/");
    }

    private static String withoutVersion(String name, String version) {
        Matcher inName = VERSION_IN_NAME.matcher(name);
        boolean repeated =
                inName.find() && inName.start() > 0 && (version + ".").startsWith(withoutZero(inName.group(1)) + ".");
        return repeated ? name.substring(0, inName.start()) : name;
    }

    private static String withoutZero(String version) {
        return version.endsWith(".0") ? version.substring(0, version.length() - 2) : version;
    }
}
