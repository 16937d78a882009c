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
 * maps no user. In a chroot and in most containers the kernel allows none; there they run as nobody, who keeps root's
 * right to pass through folders.
 *
 * @param prefix comes before each command
 */
record PostgresUser(List<String> prefix) {

    private static final int ROOT = 0;
    private static final int NOBODY = 65534;
    private static final String USER = "unix:uid";
    private static final List<String> NAMESPACE = List.of("unshare", "-U");
    private static final List<String> AS_NOBODY = List.of(
            "setpriv",
            "--reuid=" + NOBODY,
            "--regid=" + NOBODY,
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
    static PostgresUser of(Path data) throws IOException {
        if (!isRoot()) {
            return new PostgresUser(List.of());
        }
        // A namespace would not give root access to nobody's files.
        return isOwnedByNobody(data) || !hasNamespaces() ? nobody(data) : new PostgresUser(NAMESPACE);
    }

    /** Returns nobody, after giving the data to that user. */
    static PostgresUser nobody(Path data) throws IOException {
        if (Files.exists(data) && !isOwnedByNobody(data)) {
            try (Stream<Path> walk = Files.walk(data)) {
                // The folder itself comes last: its owner says that everything in it was handed over.
                for (Path path : walk.toList().reversed()) {
                    Files.setAttribute(path, USER, NOBODY, LinkOption.NOFOLLOW_LINKS);
                }
            }
        }
        return new PostgresUser(AS_NOBODY);
    }

    /** Returns whether a folder is the data of a PostgreSQL that root ran as nobody. */
    static boolean hasDataOfNobody(Path folder) throws IOException {
        return isRoot() && Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS) && isOwnedByNobody(folder);
    }

    private static boolean isRoot() {
        return new UnixSystem().getUid() == ROOT;
    }

    private static boolean isOwnedByNobody(Path data) throws IOException {
        return Files.exists(data) && Files.getAttribute(data, USER).equals(NOBODY);
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
            throw new IOException("interrupted while the kernel was asked for a user namespace", e);
        }
    }
}
