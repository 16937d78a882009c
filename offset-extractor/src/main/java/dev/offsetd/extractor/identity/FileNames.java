package dev.offsetd.extractor.identity;

import com.google.re2j.Matcher;
import com.google.re2j.Pattern;
import dev.offsetd.extractor.identity.IdentityField.Kind;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * Identity that the name of a file, or of the package that it is in, states. A name without meaning, such as that of a
 * file in {@code .build-id}, gives {@link Identity#UNKNOWN}.
 */
public final class FileNames {

    /** Longest name that is looked at. */
    private static final int MAX_CHARS = 300;

    /** Build-ids, whole or without their first byte, and the names of debuginfod's cache. */
    private static final Pattern WITHOUT_MEANING =
            Pattern.compile("(?i)[0-9a-f]{14,128}|debuginfo|executable|vdso|memfd:.*|core|elf");

    private static final Pattern DEB = Pattern.compile("([^_]+)_(?:\\d+%3a)?([^_]+)_[a-z0-9-]+\\.(d?deb)");
    private static final Pattern RPM = Pattern.compile("(.+)-([^-]+-[^-]+)\\.[a-z0-9_]+\\.rpm");
    private static final Pattern ARCH = Pattern.compile("(.+)-([^-]+-[^-]+)-[a-z0-9_]+\\.pkg\\.tar(?:\\.[a-z0-9]+)?");
    private static final Pattern APK = Pattern.compile("(.+)-(\\d[^-]*-r\\d+)\\.apk");

    /** Packages of debug files are named after the package of the programs. */
    private static final Pattern DEBUG_PACKAGE =
            Pattern.compile("-(?:dbgsym|dbg|debuginfo|debugsource|debug)(?:-common-[a-z0-9_]+)?$");

    /** Fedora puts version, release and architecture between the name of a file and {@code .debug}. */
    private static final Pattern VERSION_OF_DEBUG_FILE = Pattern.compile("-[^-]+-[^-]+\\.[a-z0-9_]+$");

    private FileNames() {}

    /**
     * Returns what the name of a file says.
     *
     * @param path its path, or its name only; on any system
     * @param source where the path comes from, such as {@code file name} or {@code X-DEBUGINFOD-FILE}
     */
    public static Identity ofFile(String path, String source) {
        String name = last(path);
        if (name.endsWith(".debug")) {
            name = VERSION_OF_DEBUG_FILE
                    .matcher(name.substring(0, name.length() - ".debug".length()))
                    .replaceFirst("");
        }
        return name.length() > MAX_CHARS || WITHOUT_MEANING.matcher(name).matches()
                ? Identity.UNKNOWN
                : new Identity(List.of(new IdentityField(Kind.FILE_NAME, name, source, false)));
    }

    /**
     * Returns what the names of a file and of the archives around it say.
     *
     * @param path its path, with the names inside of archives after each {@code !}
     * @param source where the path comes from
     */
    public static Identity ofPath(String path, String source) {
        String[] names = path.split("!", -1);
        Identity said = Identity.UNKNOWN;
        for (int i = names.length - 1; i >= 0; i--) {
            said = said.merge(i == names.length - 1 ? ofFile(names[i], source) : ofArchive(names[i], source));
        }
        return said;
    }

    /**
     * Returns what the name of a package says: {@code .deb}, {@code .ddeb}, {@code .rpm}, {@code .apk} and
     * {@code .pkg.tar.*}.
     *
     * @param path path of the package, or its name only; on any system
     * @param source where the path comes from, such as {@code archive name} or {@code X-DEBUGINFOD-ARCHIVE}
     */
    public static Identity ofArchive(String path, String source) {
        String name = last(path);
        if (name.length() > MAX_CHARS) {
            return Identity.UNKNOWN;
        }
        Matcher deb = DEB.matcher(name);
        if (deb.matches()) {
            return archive(deb, deb.group(3).equals("ddeb") ? "Ubuntu" : null, source);
        }
        Matcher rpm = RPM.matcher(name);
        if (rpm.matches()) {
            return archive(rpm, null, source);
        }
        Matcher arch = ARCH.matcher(name);
        if (arch.matches()) {
            return archive(arch, "Arch Linux", source);
        }
        Matcher apk = APK.matcher(name);
        return apk.matches() ? archive(apk, "Alpine Linux", source) : Identity.UNKNOWN;
    }

    /** @param distribution of all packages of this format, or null if several use it */
    private static Identity archive(Matcher matcher, @Nullable String distribution, String source) {
        String name = DEBUG_PACKAGE.matcher(matcher.group(1)).replaceFirst("");
        List<IdentityField> fields = new ArrayList<>();
        fields.add(new IdentityField(Kind.PACKAGE, name, source, false));
        fields.addAll(versionFields(matcher.group(2), source));
        if (distribution != null && fields.stream().noneMatch(field -> field.kind() == Kind.DISTRIBUTION)) {
            fields.add(new IdentityField(Kind.DISTRIBUTION, distribution, source, true));
        }
        return new Identity(fields);
    }

    /** Returns the version of a package, and the version of the project and the distribution that are derived from it. */
    public static List<IdentityField> versionFields(String packageVersion, String source) {
        List<IdentityField> fields = new ArrayList<>();
        fields.add(new IdentityField(Kind.PACKAGE_VERSION, packageVersion, source, false));
        fields.add(new IdentityField(Kind.VERSION, upstreamVersion(packageVersion), source, true));
        Optional<String> distribution = Distribution.ofPackageVersion(packageVersion);
        distribution.ifPresent(found -> fields.add(new IdentityField(Kind.DISTRIBUTION, found, source, true)));
        return fields;
    }

    /** Returns a package version without epoch, release, and the mark of sources that a distribution changed. */
    private static String upstreamVersion(String packageVersion) {
        String version = packageVersion.substring(packageVersion.indexOf(':') + 1);
        int release = version.lastIndexOf('-');
        String upstream = release > 0 ? version.substring(0, release) : version;
        int changed = upstream.indexOf("dfsg");
        return changed > 1 ? upstream.substring(0, changed - 1) : upstream;
    }

    private static String last(String path) {
        return path.substring(Math.max(path.lastIndexOf('/'), path.lastIndexOf('\\')) + 1);
    }
}
