package dev.offsetd.server.database;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileAttribute;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.nio.file.attribute.PosixFilePermissions;
import java.nio.file.attribute.UserPrincipal;
import java.util.EnumSet;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * Data folder, private to the account of the server. It contains passwords and programs that the server runs, so an
 * account that can write to it can act as the server.
 */
public final class DataFolder {

    /** Mode 0700. */
    public static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FOLDER =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------"));

    /** Mode 0600. */
    public static final FileAttribute<Set<PosixFilePermission>> PRIVATE_FILE =
            PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rw-------"));

    /** Files of the server in the folder. Others are not checked or changed. */
    private static final List<String> CONTENTS = List.of(
            "cache",
            "exports",
            "objects",
            "uploads",
            "postgres",
            "postgres-bin",
            "postgres.password",
            "postgres.initialized",
            "postgres.log",
            "server.lock");

    private static final int STICKY = 01000;

    private DataFolder() {}

    /**
     * Creates the folder if necessary, and revokes permissions of other accounts on it and its contents.
     *
     * @return the change, for the operator; empty if there was none
     * @throws IOException if another account owns or can replace the folder or a file in it, or permissions cannot be
     *     changed; the message has the remedy
     */
    public static Optional<String> makePrivate(Path folder) throws IOException {
        Files.createDirectories(folder, PRIVATE_FOLDER);
        Path real = folder.toRealPath();
        UserPrincipal self = accountOfThisProcess(real);
        requireOwner(real, self);
        requireSafeParents(real);
        PosixFileAttributes before = attributes(real);
        boolean tightened = tighten(real);
        for (String name : CONTENTS) {
            Path content = real.resolve(name);
            if (Files.exists(content, LinkOption.NOFOLLOW_LINKS)) {
                // The user of root's PostgreSQL reaches these files only through root's folder, which is closed to that
                // user.
                if (!PostgresUser.isUnprivileged(content)) {
                    requireOwner(content, self);
                }
                if (Files.isSymbolicLink(content) && Files.exists(content)) {
                    // An administrator may have moved a part elsewhere. The same rules apply there.
                    requireOwner(content.toRealPath(), self);
                    requireSafeParents(content.toRealPath());
                }
                if (Files.exists(content)) {
                    tighten(content);
                }
            }
        }
        return tightened
                ? Optional.of("data folder " + folder + " was open to other accounts ("
                        + PosixFilePermissions.toString(before.permissions()) + "); its mode is 0700 now")
                : Optional.empty();
    }

    /** Returns the name of the account of this process, or its number: an account of a container may have no name. */
    public static String account() {
        try {
            return Files.getOwner(Path.of("/proc/self")).getName();
        } catch (IOException e) {
            return String.valueOf(System.getProperty("user.name"));
        }
    }

    /** Creates a private file if necessary, whatever the umask. */
    static void touch(Path file) throws IOException {
        if (Files.notExists(file)) {
            Files.createFile(file, PRIVATE_FILE);
        }
    }

    /** Returns the owner of new files. */
    private static UserPrincipal accountOfThisProcess(Path folder) throws IOException {
        Path probe;
        try {
            probe = Files.createTempFile(folder, ".owner", "", PRIVATE_FILE);
        } catch (IOException e) {
            throw new IOException(
                    "data folder " + folder + " cannot be written by this account (it belongs to "
                            + Files.getOwner(folder) + "); run: chown -R " + account() + " " + folder,
                    e);
        }
        try {
            return Files.getOwner(probe);
        } finally {
            Files.delete(probe);
        }
    }

    private static void requireOwner(Path path, UserPrincipal self) throws IOException {
        UserPrincipal owner = attributes(path).owner();
        if (!owner.equals(self)) {
            throw new IOException(path + " belongs to " + owner.getName() + ", expected " + self.getName()
                    + ", the account of this process; if its contents can be trusted, run: chown -hR " + self.getName()
                    + " " + path);
        }
    }

    /** Requires that no other account can replace the path: write access to a parent permits that, unless it has the sticky bit. */
    private static void requireSafeParents(Path real) throws IOException {
        for (Path parent = real.getParent(); parent != null; parent = parent.getParent()) {
            if (Files.getAttribute(parent, "unix:mode") instanceof Integer mode
                    && attributes(parent).permissions().contains(PosixFilePermission.OTHERS_WRITE)
                    && (mode & STICKY) == 0) {
                throw new IOException("every account can replace " + real + ", because " + parent
                        + " is writable for all; run: chmod o-w " + parent + ", or chmod +t " + parent);
            }
        }
    }

    /** Revokes all permissions of group and others; returns whether there were any. */
    private static boolean tighten(Path path) throws IOException {
        Set<PosixFilePermission> permissions = EnumSet.copyOf(Files.getPosixFilePermissions(path));
        boolean open = permissions.removeIf(DataFolder::isOfOthers);
        if (!open) {
            return false;
        }
        String command = "run: chmod go-rwx " + path;
        try {
            Files.setPosixFilePermissions(path, permissions);
        } catch (IOException e) {
            throw new IOException(path + " is open to other accounts, and cannot be changed; " + command, e);
        }
        // Some file systems accept the change and ignore it.
        if (Files.getPosixFilePermissions(path).stream().anyMatch(DataFolder::isOfOthers)) {
            throw new IOException(path + " stays open to other accounts: its file system has no permissions; choose"
                    + " another data folder, or " + command);
        }
        return true;
    }

    private static boolean isOfOthers(PosixFilePermission permission) {
        return switch (permission) {
            case OWNER_READ, OWNER_WRITE, OWNER_EXECUTE -> false;
            case GROUP_READ, GROUP_WRITE, GROUP_EXECUTE, OTHERS_READ, OTHERS_WRITE, OTHERS_EXECUTE -> true;
        };
    }

    private static PosixFileAttributes attributes(Path path) throws IOException {
        return Files.readAttributes(path, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
    }
}
