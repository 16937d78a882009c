package dev.offsetd.server.database;

import com.sun.security.auth.module.UnixSystem;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;

/**
 * User as which the programs of PostgreSQL run. They refuse to run as root, so root runs them in a user namespace that
 * maps no user. In a chroot and in most containers the kernel allows none; there they run as an unprivileged user,
 * which keeps root's right to pass through folders.
 *
 * @param prefix comes before each command
 */
public record PostgresUser(List<String> prefix) {

    private static final int ROOT = 0;
    private static final int UNPRIVILEGED_ID = 65534;
    private static final String USER = "unix:uid";
    private static final List<String> NAMESPACE = List.of("unshare", "-U");
    private static final List<String> UNPRIVILEGED = List.of(
            "setpriv",
            "--reuid=" + UNPRIVILEGED_ID,
            "--regid=" + UNPRIVILEGED_ID,
            "--clear-groups",
            "--inh-caps=-all,+dac_override",
            "--ambient-caps=-all,+dac_override",
            // Without it, access(2) ignores the capability, and PostgreSQL does not find its programs.
            "--securebits=+no_setuid_fixup");

    /**
     * Returns the user for data, whether present or not.
     *
     * @throws IOException if the data cannot be read or handed over to the user
     */
    public static PostgresUser of(Path data) throws IOException {
        if (!isRoot()) {
            return new PostgresUser(List.of());
        }
        // A namespace would not give root access to files of another user.
        return isHandedOver(data) || !hasNamespaces() ? unprivileged(data) : new PostgresUser(NAMESPACE);
    }

    /** Returns the unprivileged user, after giving it the data. */
    static PostgresUser unprivileged(Path data) throws IOException {
        if (Files.exists(data) && !isHandedOver(data)) {
            try (Stream<Path> walk = Files.walk(data)) {
                // The folder itself comes last: its owner says that everything in it was handed over.
                for (Path path : walk.toList().reversed()) {
                    Files.setAttribute(path, USER, UNPRIVILEGED_ID, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
        return new PostgresUser(UNPRIVILEGED);
    }

    /** Returns whether a folder is the data of a PostgreSQL that root ran as the unprivileged user. */
    static boolean isUnprivileged(Path folder) throws IOException {
        return isRoot() && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && isHandedOver(folder);
    }

    private static boolean isRoot() {
        return new UnixSystem().getUid() == ROOT;
    }

    private static boolean isHandedOver(Path data) throws IOException {
        return Files.exists(data) && Files.getAttribute(data, USER).equals(UNPRIVILEGED_ID);
    }

    private static boolean hasNamespaces() throws IOException {
        Process process = new ProcessBuilder("unshare", "-U", "true")
                .redirectErrorStream(true)
                .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                .start();
        try {
            return process.waitFor() == 0;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IOException("interrupted while making a user namespace", e);
        }
    }
}
