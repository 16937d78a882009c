package dev.offsetd.server.database;

import java.io.BufferedInputStream;
import java.io.File;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.JarURLConnection;
import java.net.URL;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.security.DigestInputStream;
import java.security.MessageDigest;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.jar.JarEntry;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.apache.commons.compress.archivers.tar.TarArchiveEntry;
import org.apache.commons.compress.archivers.tar.TarArchiveInputStream;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.util.FileSystemUtils;
import org.tukaani.xz.XZInputStream;

/**
 * Programs of the embedded PostgreSQL. A release has them in {@value #SHIPPED} beside its jar: an attacker who can change
 * them there can change the jar. Otherwise they are unpacked from the archive on the class path, and compared with the archive:
 * each file by its hash, and no additional file may be present. Hashing them takes a tenth of the time of a start, so
 * {@code NAME.verified} beside their folder lists the files as they were when they were verified, with the time at which
 * the file system last changed each (ctime, which no program can set). If nothing differs, they are not hashed again.
 *
 * <p>Unpacking takes a second, so {@code postgres-programs.sha256} lists the hash of the content of each known archive.
 * Another archive is unpacked in memory to compute it.
 */
final class PostgresPrograms {

    private static final Logger log = LoggerFactory.getLogger(PostgresPrograms.class);

    private static final String SHIPPED = "postgresql";
    private static final String KNOWN = "postgres-programs.sha256";
    private static final Set<PosixFilePermission> PROGRAM = PosixFilePermissions.fromString("rwx------");
    private static final Set<PosixFilePermission> OTHER_FILE = PosixFilePermissions.fromString("rw-------");
    private static final int OWNER_EXECUTE = 0100;
    private static final String STATE = "unix:mode,uid,ino,size,ctime";

    private final Path folder;

    private PostgresPrograms(Path folder) {
        this.folder = folder;
    }

    /**
     * Returns the programs beside the jar. If there are none, unpacks them, unless they are present and unchanged. Deletes
     * everything else in the folder.
     *
     * @param parent folder for unpacked programs
     * @throws IOException if there are none for this platform, or they cannot be written
     */
    static PostgresPrograms in(Path parent) throws IOException {
        String classPath = System.getProperty("java.class.path", "");
        int end = classPath.indexOf(File.pathSeparatorChar);
        return in(parent, Path.of(end < 0 ? classPath : classPath.substring(0, end)));
    }

    /** @param jar the program of the server, with its libraries in a folder beside it */
    static PostgresPrograms in(Path parent, Path jar) throws IOException {
        Path shipped = jar.toAbsolutePath().resolveSibling(SHIPPED);
        if (Files.isDirectory(shipped.resolve("bin"))) {
            // An earlier release may have unpacked them.
            FileSystemUtils.deleteRecursively(parent);
            return new PostgresPrograms(shipped);
        }
        URL archive = archive();
        Path folder = parent.resolve(name(archive));
        Path verified = parent.resolve(folder.getFileName() + ".verified");
        Files.createDirectories(parent, DataFolder.PRIVATE_FOLDER);
        if (!isUnchanged(folder, verified)) {
            verifyOrUnpack(archive, folder);
            Files.writeString(verified, state(folder));
        }
        removeAllBut(Set.of(folder, verified), parent);
        return new PostgresPrograms(folder);
    }

    /** Unpacks the programs into a folder, which is created if necessary. */
    static void unpackTo(Path folder) throws IOException {
        URL archive = archive();
        Files.createDirectories(folder);
        unpackVerified(archive, folder, contentHash(archive, hash(archive)));
    }

    private static void verifyOrUnpack(URL archive, Path folder) throws IOException {
        String expected = contentHash(archive, hash(archive));
        if (Files.exists(folder, LinkOption.NOFOLLOW_LINKS)) {
            if (contentHash(folder).equals(expected)) {
                return;
            }
            log.warn("the programs in {} differ from those of this release; unpacking them again", folder);
            FileSystemUtils.deleteRecursively(folder);
        }
        Path fresh = Files.createTempDirectory(folder.getParent(), "unpacking", DataFolder.PRIVATE_FOLDER);
        unpackVerified(archive, fresh, expected);
        Files.move(fresh, folder, StandardCopyOption.ATOMIC_MOVE);
    }

    private static void unpackVerified(URL archive, Path folder, String expected) throws IOException {
        String found = contentHash(unpack(archive, folder));
        if (!found.equals(expected)) {
            throw new IOException(
                    "the archive of PostgreSQL's programs, " + archive + ", holds " + found + ", expected " + expected);
        }
    }

    private static boolean isUnchanged(Path folder, Path verified) throws IOException {
        return Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS)
                && Files.isRegularFile(verified, LinkOption.NOFOLLOW_LINKS)
                && Files.readString(verified).equals(state(folder));
    }

    /** Returns the state of each file of a folder: one that differs later has been touched. */
    private static String state(Path folder) throws IOException {
        StringBuilder state = new StringBuilder();
        try (Stream<Path> walk = Files.walk(folder)) {
            for (Path path : (Iterable<Path>) walk.sorted()::iterator) {
                state.append(folder.relativize(path))
                        .append(' ')
                        .append(new TreeMap<>(Files.readAttributes(path, STATE, LinkOption.NOFOLLOW_LINKS)))
                        .append('\n');
            }
        }
        return state.toString();
    }

    Path program(String name) {
        return folder.resolve("bin").resolve(name);
    }

    private static URL archive() throws IOException {
        String machine = System.getProperty("os.arch");
        String name = switch (machine) {
            case "amd64" -> "/postgres-linux-x86_64.txz";
            case "aarch64" -> "/postgres-linux-arm_64.txz";
            default -> "";
        };
        URL archive = name.isEmpty() ? null : PostgresPrograms.class.getResource(name);
        if (archive == null || !System.getProperty("os.name").equals("Linux")) {
            throw new IOException("no embedded PostgreSQL is available for " + System.getProperty("os.name") + " on "
                    + machine + "; name a PostgreSQL with SPRING_DATASOURCE_URL");
        }
        return archive;
    }

    /** Returns a name that differs between archives, without reading them. */
    private static String name(URL archive) throws IOException {
        if (archive.openConnection() instanceof JarURLConnection jar) {
            JarEntry entry = jar.getJarEntry();
            return String.format(Locale.ROOT, "%x-%08x", entry.getSize(), entry.getCrc());
        }
        return hash(archive).substring(0, 16);
    }

    private static String contentHash(URL archive, String archiveHash) throws IOException {
        try (InputStream in = PostgresPrograms.class.getResourceAsStream(KNOWN)) {
            if (in != null) {
                for (String line : new String(in.readAllBytes(), StandardCharsets.US_ASCII).split("\n", -1)) {
                    if (line.startsWith(archiveHash + " ")) {
                        return line.substring(archiveHash.length() + 1);
                    }
                }
            }
        }
        return contentHash(unpack(archive, null));
    }

    /** Returns the line of {@code postgres-programs.sha256} for an archive. */
    static String line(URL archive) throws IOException {
        return hash(archive) + " " + contentHash(unpack(archive, null));
    }

    /**
     * Reads an archive.
     *
     * @param folder destination; null to write nothing
     * @return its files as in {@link #contentHash(Map)}
     */
    private static Map<String, String> unpack(URL archive, @Nullable Path folder) throws IOException {
        Map<String, String> files = new TreeMap<>();
        try (TarArchiveInputStream tar =
                new TarArchiveInputStream(new XZInputStream(new BufferedInputStream(archive.openStream(), 1 << 16)))) {
            for (TarArchiveEntry entry = tar.getNextEntry(); entry != null; entry = tar.getNextEntry()) {
                String name = Path.of(entry.getName()).normalize().toString();
                if (entry.isDirectory()) {
                    continue;
                }
                Path file = folder == null ? null : folder.resolve(name);
                if (file != null) {
                    Files.createDirectories(file.getParent(), DataFolder.PRIVATE_FOLDER);
                }
                if (entry.isSymbolicLink()) {
                    files.put(name, "link " + entry.getLinkName());
                    if (file != null) {
                        Files.createSymbolicLink(file, Path.of(entry.getLinkName()));
                    }
                    continue;
                }
                boolean program = (entry.getMode() & OWNER_EXECUTE) != 0;
                files.put(name, (program ? "program " : "file ") + copy(tar, file));
                if (file != null) {
                    Files.setPosixFilePermissions(file, program ? PROGRAM : OTHER_FILE);
                }
            }
        }
        return files;
    }

    /**
     * Writes the content of a file, unless {@code file} is null, and returns its SHA-256. Piece by piece: the heap would
     * keep the room for the largest file.
     */
    private static String copy(InputStream content, @Nullable Path file) throws IOException {
        DigestInputStream read = new DigestInputStream(content, DigestUtils.getSha256Digest());
        if (file == null) {
            read.transferTo(OutputStream.nullOutputStream());
        } else {
            Files.copy(read, file);
        }
        return HexFormat.of().formatHex(read.getMessageDigest().digest());
    }

    /** Returns the hash of the content of a folder. Files that other accounts own or can access change it. */
    private static String contentHash(Path folder) throws IOException {
        List<Path> paths;
        try (Stream<Path> walk = Files.walk(folder)) {
            paths = walk.toList();
        }
        Map<String, String> files = new ConcurrentSkipListMap<>();
        var owner = Files.getOwner(folder.getParent());
        try {
            paths.parallelStream().forEach(path -> {
                String found = describe(path, owner);
                if (!found.isEmpty()) {
                    files.put(folder.relativize(path).toString(), found);
                }
            });
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return contentHash(files);
    }

    private static String describe(Path path, Object owner) {
        try {
            PosixFileAttributes attributes =
                    Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (!attributes.owner().equals(owner)) {
                return "of " + attributes.owner();
            }
            if (attributes.isSymbolicLink()) {
                return "link " + Files.readSymbolicLink(path);
            }
            if (attributes.isDirectory()) {
                return attributes.permissions().equals(PROGRAM) ? "" : "open";
            }
            String kind = attributes.permissions().equals(PROGRAM)
                    ? "program "
                    : attributes.permissions().equals(OTHER_FILE) ? "file " : "open ";
            return kind + new DigestUtils(DigestUtils.getSha256Digest()).digestAsHex(path);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static String contentHash(Map<String, String> files) {
        MessageDigest hash = DigestUtils.getSha256Digest();
        files.forEach((name, what) -> hash.update((name + '\0' + what + '\n').getBytes(StandardCharsets.UTF_8)));
        return HexFormat.of().formatHex(hash.digest());
    }

    private static String hash(URL archive) throws IOException {
        try (InputStream in = archive.openStream()) {
            return DigestUtils.sha256Hex(in);
        }
    }

    /** Deletes programs of other releases, and leftovers of a killed process. */
    private static void removeAllBut(Set<Path> kept, Path parent) throws IOException {
        List<Path> children;
        try (Stream<Path> list = Files.list(parent)) {
            children = list.toList();
        }
        for (Path child : children) {
            if (!kept.contains(child)) {
                FileSystemUtils.deleteRecursively(child);
            }
        }
    }
}
