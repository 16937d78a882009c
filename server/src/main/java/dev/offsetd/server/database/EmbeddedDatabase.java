package dev.offsetd.server.database;

import dev.offsetd.extractor.input.HostileText;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.security.SecureRandom;
import java.util.HexFormat;
import java.util.Optional;
import java.util.OptionalInt;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * PostgreSQL server managed by this program, with its data in a folder. It listens on a free port of 127.0.0.1,
 * requires a password, and syncs each commit to disk.
 *
 * <p>In the folder: {@code postgres/} has the data, {@code postgres.password} the superuser's password, {@code
 * postgres-bin/} the unpacked programs unless they lie beside the server's jar, {@code postgres.log} their output. {@code postgres.initialized} appears once
 * the data is set up completely.
 */
public final class EmbeddedDatabase implements JdbcConnectionDetails, AutoCloseable {

    private static final Logger log = LoggerFactory.getLogger(EmbeddedDatabase.class);

    private static final String USER = "postgres";
    private static final String DATABASE = "postgres";
    private static final String PASSWORD_FILE = "postgres.password";
    private static final int PASSWORD_BYTES = 32;

    /** Major version of the bundled PostgreSQL. */
    static final String MAJOR = "18";

    private final int port;
    private final String password;
    private final @Nullable Postmaster postmaster;
    private final @Nullable ProcessHandle process;
    private @Nullable PostmasterSupervisor supervisor;

    /** @param postmaster null if another process started it */
    private EmbeddedDatabase(
            int port, String password, @Nullable Postmaster postmaster, @Nullable ProcessHandle process) {
        this.port = port;
        this.password = password;
        this.postmaster = postmaster;
        this.process = process;
    }

    /**
     * Starts the server, after setting up its data if there is none. The caller holds the lock on the folder.
     *
     * @param folder created if necessary
     * @throws IOException if the folder cannot be used or PostgreSQL does not start
     */
    public static EmbeddedDatabase start(Path folder) throws IOException {
        Path home = folder.toAbsolutePath().normalize();
        DataFolder.makePrivate(home);
        Path data = home.resolve("postgres");
        Path initialized = home.resolve("postgres.initialized");
        if (Files.exists(data) && Files.notExists(initialized)) {
            // The first start was interrupted. The data is incomplete, but is moved aside instead of deleted.
            Path aside = home.resolve("postgres.unfinished-" + System.currentTimeMillis());
            Files.move(data, aside, StandardCopyOption.ATOMIC_MOVE);
        }
        requireOurMajor(data);
        Path passwordFile = home.resolve(PASSWORD_FILE);
        boolean first = Files.notExists(data);
        String password = password(passwordFile, !first);
        Postmaster postmaster = new Postmaster(
                PostgresPrograms.in(home.resolve("postgres-bin")),
                PostgresUser.of(data),
                data,
                home.resolve("postgres.log"));
        if (first) {
            log.info(
                    "creating the database in {}, which takes 2 to 10 seconds; log: {}",
                    data,
                    home.resolve("postgres.log"));
            postmaster.initialize(USER, passwordFile);
        }
        ProcessHandle process = postmaster.start();
        if (first) {
            log.info("creating its tables and starting the server, which takes 4 to 30 seconds");
        }
        DataFolder.touch(initialized);
        return new EmbeddedDatabase(postmaster.port(), password, postmaster, process);
    }

    /**
     * Restarts PostgreSQL on the same port whenever it ends, until this is closed.
     *
     * @param giveUp called when it ends repeatedly
     */
    void supervise(Runnable giveUp) {
        if (postmaster != null && process != null) {
            supervisor = new PostmasterSupervisor(postmaster, process, giveUp);
        }
    }

    /**
     * Returns the server that another process runs on this folder. Closing it here leaves it running.
     *
     * @return empty if none accepts connections
     * @throws IOException if the folder cannot be read
     */
    public static Optional<EmbeddedDatabase> running(Path folder) throws IOException {
        Path home = folder.toAbsolutePath().normalize();
        OptionalInt port = PostmasterFile.port(home.resolve("postgres"));
        if (port.isEmpty()) {
            return Optional.empty();
        }
        String password = Files.readString(home.resolve(PASSWORD_FILE)).strip();
        return Optional.of(new EmbeddedDatabase(port.getAsInt(), password, null, null));
    }

    /** Unpacks the programs for a release, so that its servers need not. */
    public static void unpackPrograms(Path folder) throws IOException {
        PostgresPrograms.unpackTo(folder);
    }

    /** Returns whether a folder has an embedded database, running or not, of any version. */
    public static boolean isIn(Path folder) {
        return Files.exists(versionFile(folder.toAbsolutePath().normalize().resolve("postgres")));
    }

    /** Requires data of the bundled major version, because PostgreSQL reads no other. */
    private static void requireOurMajor(Path data) throws IOException {
        if (Files.notExists(versionFile(data))) {
            return;
        }
        String major = Files.readString(versionFile(data)).strip();
        if (!major.equals(MAJOR)) {
            throw new IOException(
                    "the data in " + data + " was written by PostgreSQL " + HostileText.quote(major)
                            + ", this release includes " + MAJOR
                            + ", which cannot read it; nothing in it was changed. Take a backup with"
                            + " the release that wrote it (./offsetd backup FILE --catalogues), and restore it into another folder"
                            + " (./offsetd restore FILE --data DIR); docs/backup.md has the details, also without that release");
        }
    }

    private static Path versionFile(Path data) {
        return data.resolve("PG_VERSION");
    }

    @Override
    public String getJdbcUrl() {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + DATABASE;
    }

    @Override
    public String getUsername() {
        return USER;
    }

    @Override
    public String getPassword() {
        return password;
    }

    /** Stops PostgreSQL, if it was started here. */
    @Override
    public void close() throws IOException {
        if (supervisor != null) {
            supervisor.close();
        }
        if (postmaster != null) {
            postmaster.stop();
        }
    }

    private static String password(Path file, boolean dataExists) throws IOException {
        if (Files.exists(file)) {
            return Files.readString(file).strip();
        }
        if (dataExists) {
            throw new IOException("no password at " + file + " for the database beside it; put the file back, or move "
                    + file.resolveSibling("postgres") + " away to start with an empty one");
        }
        byte[] random = new byte[PASSWORD_BYTES];
        new SecureRandom().nextBytes(random);
        String password = HexFormat.of().formatHex(random);
        Path written = Files.createTempFile(
                file.toAbsolutePath().getParent(), "postgres.password", ".new", DataFolder.PRIVATE_FILE);
        Files.writeString(written, password);
        Files.move(written, file, StandardCopyOption.ATOMIC_MOVE);
        return password;
    }
}
