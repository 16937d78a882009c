package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.packages.ArchiveLimitException;
import dev.offsetd.packages.PackageUnpacker;
import dev.offsetd.packages.repositories.RepositoryException.Reason;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URISyntaxException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;

/** Packages that an index lists. Indexes are files with a hash in a signed file, and name packages by their hash. */
final class Index {

    /** A whole Debian suite has 60,000 packages of debug information for one architecture. */
    private static final int MAX_ENTRIES = 500_000;

    /** Debian's largest has 15 MB. */
    private static final long MAX_BYTES = 256L << 20;

    private static final long MAX_DECOMPRESSED_BYTES = 1L << 30;

    /** A browser's debug package has 2 GB. */
    private static final long MAX_DOWNLOAD_BYTES = 8L << 30;

    /** Debug files are named after their build-id (GDB, "Separate Debug Files"). */
    private static final String BUILD_ID_FOLDER = ".build-id/";

    private final URI base;
    private final Http http;
    private final Path scratch;
    private final Patterns names;
    private final Map<String, RepositoryEntry> entries = new LinkedHashMap<>();

    /** @param base URL of the repository, with a slash at its end */
    Index(URI base, Http http, Path scratch, Patterns names) {
        this.base = base;
        this.http = http;
        this.scratch = scratch;
        this.names = names;
    }

    /** Reads a decompressed index. */
    interface Reader {

        void read(InputStream in) throws IOException;
    }

    /**
     * Downloads an index, verifies it and reads it.
     *
     * @param location where it is
     * @param hash SHA-256 in hex
     * @param size of the download
     */
    void read(URI location, String hash, long size, Reader reader) throws IOException {
        if (size > MAX_BYTES) {
            throw new RepositoryException(
                    Reason.LIMIT, Web.shown(location) + " has " + size + " bytes; the limit is " + MAX_BYTES);
        }
        Path file = Files.createTempFile(scratch, "index-", "");
        try {
            http.download(location, hash, size, file);
            try (InputStream compressed = Files.newInputStream(file);
                    InputStream in = PackageUnpacker.decompressed(compressed, MAX_DECOMPRESSED_BYTES)) {
                reader.read(in);
            }
        } catch (ArchiveLimitException e) {
            throw new RepositoryException(Reason.LIMIT, Web.shown(location) + ": " + e.getMessage());
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** Adds a package, if its name is selected, or if it has builds and all names are. */
    void add(RepositoryEntry entry) throws RepositoryException {
        if (!names.match(entry.name()) || (names.isEmpty() && entry.buildIds().isEmpty())) {
            return;
        }
        requireVerifiable(entry);
        location(entry.name(), entry.location());
        if (entries.size() >= MAX_ENTRIES) {
            throw new RepositoryException(
                    Reason.LIMIT, Web.shown(base) + " has more than the limit of " + MAX_ENTRIES + " packages");
        }
        entries.putIfAbsent(entry.key(), entry);
    }

    /** Checks that the download of an entry can be verified, and is not too large. */
    static void requireVerifiable(RepositoryEntry entry) throws RepositoryException {
        if (!Hash.isKey(entry.key())) {
            throw malformed(entry.name(), "the hash " + HostileText.quote(entry.key()), "sha256:, and 64 hex digits");
        }
        if (entry.size() <= 0) {
            throw malformed(entry.name(), "the size " + entry.size(), "a positive number");
        }
        if (entry.size() > MAX_DOWNLOAD_BYTES) {
            throw new RepositoryException(
                    Reason.LIMIT,
                    HostileText.quote(entry.name()) + " has " + entry.size() + " bytes; the limit is "
                            + MAX_DOWNLOAD_BYTES);
        }
    }

    private static RepositoryException malformed(String name, String value, String expected) {
        return new RepositoryException(
                Reason.MALFORMED, HostileText.quote(name) + " has " + value + "; expected " + expected);
    }

    List<RepositoryEntry> entries() {
        return List.copyOf(entries.values());
    }

    /**
     * Returns the URL of a package.
     *
     * @throws RepositoryException if its path is not one below the repository
     */
    URI location(String name, String path) throws RepositoryException {
        try {
            URI location = base.resolve(new URI(null, null, path, null)).normalize();
            if (location.toString().startsWith(base.toString()) && !location.equals(base)) {
                return location;
            }
        } catch (URISyntaxException notAPath) {
            // Refused below.
        }
        throw malformed(name, "the path " + HostileText.quote(path), "a path below " + Web.shown(base));
    }

    /** Downloads a package, and copies its selected files. */
    List<PackageFile> open(RepositoryEntry entry, Path folder, Patterns paths) throws IOException {
        Path file = Files.createTempFile(scratch, "package-", "");
        try {
            URI location = location(entry.name(), entry.location());
            String hash = entry.key().substring(Hash.PREFIX.length());
            http.download(location, hash, entry.size(), file);
            String name = entry.location().substring(entry.location().lastIndexOf('/') + 1);
            List<PackageFile> files = EntryFiles.copy(name, file, folder, paths);
            requireListed(entry, files, paths);
            return files;
        } finally {
            Files.deleteIfExists(file);
        }
    }

    /** The index lists the debug files that were split off; a package may have other programs besides. */
    private static void requireListed(RepositoryEntry entry, List<PackageFile> files, Patterns paths)
            throws RepositoryException {
        if (entry.buildIds().isEmpty()) {
            return;
        }
        Set<BuildId> listed = new TreeSet<>(entry.buildIds());
        boolean found = false;
        for (PackageFile file : files) {
            BuildId buildId = file.buildId();
            if (file.place().contains(BUILD_ID_FOLDER) && !listed.contains(buildId)) {
                throw new RepositoryException(
                        Reason.BUILD_ID,
                        HostileText.quote(file.place()) + " has the build-id " + buildId
                                + ", which the index does not list");
            }
            found |= listed.contains(buildId);
        }
        if (!found && paths.isEmpty()) {
            throw new RepositoryException(
                    Reason.BUILD_ID,
                    "package " + HostileText.quote(entry.name())
                            + " has none of the builds that the index lists, such as "
                            + entry.buildIds().getFirst());
        }
    }

    /** Adds a build-id to those of a package; a text that is none, such as {@code none}, adds nothing. */
    static void addBuildId(String text, Set<BuildId> buildIds) {
        try {
            buildIds.add(BuildId.parse(text));
        } catch (IllegalArgumentException notABuildId) {
            // Other builds of the package are read all the same.
        }
    }
}
