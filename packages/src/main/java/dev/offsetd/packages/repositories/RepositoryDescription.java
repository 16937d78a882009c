package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.input.HostileText;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Path;
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
        components = List.copyOf(components);
        architectures = List.copyOf(architectures);
        names = List.copyOf(names);
        files = List.copyOf(files);
    }

    /**
     * Returns the repository, without reading it.
     *
     * @param folder for indexes while they are read
     */
    public Repository repository(Web web, Path folder) {
        return switch (kind) {
            case FOLDER -> new FolderRepository(Path.of(uri()), new Patterns(names), new Patterns(files));
            default -> throw new IllegalArgumentException("kind " + kind + "; expected folder");
        };
    }

    private URI uri() {
        try {
            return new URI(url);
        } catch (URISyntaxException e) {
            throw new IllegalArgumentException("url " + HostileText.quote(url) + " is not a URL", e);
        }
    }
}
