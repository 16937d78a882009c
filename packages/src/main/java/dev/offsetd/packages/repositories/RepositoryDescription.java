package dev.offsetd.packages.repositories;

import com.google.re2j.Pattern;
import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
import java.time.InstantSource;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * Description of a repository and of what to select in it. In patterns, {@code *} stands for any text and {@code ?} for a
 * character.
 *
 * @param url of the archive ({@code http://deb.debian.org/debian}), image ({@code
 *     https://registry-1.docker.io/library/ruby}), folder of {@code repodata}, or folder ({@code file:///srv/builds})
 * @param suite of an apt archive, such as {@code bookworm}
 * @param components of an apt archive; empty for {@code main}
 * @param architectures as Debian names them; empty for {@code amd64} and {@code arm64}. Folders ignore it
 * @param names patterns for names of packages, tags of images, or names of files; one must match, or there are none
 * @param files patterns for paths inside of packages and images; one must match, or there are none
 * @param keyring OpenPGP certificates in ASCII armour; null for those of Debian's archive. Images and folders have no
 *     signature
 */
public record RepositoryDescription(
        Kind kind,
        String url,
        @Nullable String suite,
        List<String> components,
        List<String> architectures,
        List<String> names,
        List<String> files,
        @Nullable String keyring) {

    private static final Pattern WORD = Pattern.compile("[A-Za-z0-9][A-Za-z0-9._/+-]*");

    private static final int MAX_PORT = 65_535;

    /** Kinds of repositories. */
    public enum Kind {
        APT,
        OCI,
        RPM,
        FOLDER;

        /** Lower-case name, as in descriptions. */
        @Override
        public String toString() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    /** @throws IllegalArgumentException if a part is invalid; the message names the part, its value, and the expectation */
    public RepositoryDescription {
        components = components.isEmpty() ? List.of("main") : List.copyOf(components);
        architectures = architectures.isEmpty() ? List.of("amd64", "arm64") : List.copyOf(architectures);
        names = List.copyOf(names);
        files = List.copyOf(files);
        URI uri = parsed(url);
        boolean file = kind == Kind.FOLDER;
        String scheme = String.valueOf(uri.getScheme()).toLowerCase(Locale.ROOT);
        if (file ? !scheme.equals("file") : !scheme.equals("http") && !scheme.equals("https")) {
            throw invalid("url", url, file ? "a file:// URL" : "an http or https URL");
        }
        if (file ? uri.getAuthority() != null : uri.getHost() == null) {
            throw invalid("url", url, file ? "file:///, and a path" : "a host");
        }
        if (uri.getPath() == null || uri.getQuery() != null || uri.getFragment() != null || uri.getUserInfo() != null) {
            throw invalid("url", url, "a URL without user, query and fragment");
        }
        if (file) {
            requirePath(uri, url);
        } else if (uri.getPort() == 0 || uri.getPort() > MAX_PORT) {
            throw invalid("url", url, "a port from 1 to " + MAX_PORT);
        }
        if (kind == Kind.APT) {
            require("suite", suite == null ? "" : suite);
        } else if (kind == Kind.RPM && keyring == null) {
            throw new IllegalArgumentException("keyring is missing; expected the certificates that sign repomd.xml");
        }
        if (keyring != null) {
            new Keyring(keyring, InstantSource.system());
        }
        components.forEach(component -> require("components", component));
        architectures.forEach(architecture -> require("architectures", architecture));
    }

    private static URI parsed(String url) {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw invalid("url", url, "a URL");
        }
    }

    private static void requirePath(URI uri, String url) {
        try {
            var _ = Path.of(uri);
        } catch (IllegalArgumentException notAPath) {
            throw invalid("url", url, "the path of a folder");
        }
    }

    /** These are parts of paths in the archive. */
    private static void require(String part, String value) {
        if (!WORD.matches(value) || value.contains("..")) {
            throw invalid(part, value, "letters, digits and . _ - /");
        }
    }

    private static IllegalArgumentException invalid(String part, String value, String expected) {
        String shown = part.equals("url") ? masked(value) : value;
        return new IllegalArgumentException(part + " has " + HostileText.quote(shown) + "; expected " + expected);
    }

    /** Returns a URL without its user and query, which may have passwords, for messages. It may be malformed. */
    private static String masked(String url) {
        int query = url.indexOf('?');
        String place = query < 0 ? url : url.substring(0, query) + "?...";
        int user = place.indexOf("://") + 1;
        int host = place.lastIndexOf('@');
        return host < 0 ? place : place.substring(0, user == 0 ? 0 : user + 2) + "..." + place.substring(host);
    }

    /** Returns the URL with a slash at its end. */
    URI base() {
        return parsed(url.endsWith("/") ? url : url + "/");
    }

    /**
     * Returns the repository, without reading it.
     *
     * @param folder for indexes and packages while they are read
     */
    public Repository repository(Web web, Path folder) {
        return repository(web, folder, InstantSource.system());
    }

    Repository repository(Web web, Path folder, InstantSource clock) {
        return switch (kind) {
            case APT -> new AptRepository(this, web, folder, clock);
            case OCI -> new OciRepository(this, web, folder);
            case RPM -> new RpmRepository(this, web, folder, clock);
            case FOLDER -> new FolderRepository(Path.of(base()), new Patterns(names), new Patterns(files));
        };
    }
}
