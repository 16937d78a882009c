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
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * A PostgreSQL server of our own, with its data in a folder that outlives it. It listens on 127.0.0.1 only, on a free
 * port, wants a password from everybody, and writes through to the disk before it confirms a commit.
 *
 * <p>In the folder: {@code postgres/} the data, {@code postgres.password} the superuser's password,
 * {@code postgres-bin/} the unpacked programs, {@code postgres.log} what they say, and {@code postgres.initialized},
 * which appears once the data has been set up completely.
 */
public final class EmbeddedDatabase implements AutoCloseable {

    private static final String USER = "postgres";
    private static final String DATABASE = "postgres";
    private static final String PASSWORD_FILE = "postgres.password";
    private static final int PASSWORD_BYTES = 32;

    /** Major version of the PostgreSQL that comes with this program. */
    static final String MAJOR = "18";

    private final int port;
    private final String password;
    private final @Nullable Postmaster postmaster;
    private final @Nullable ProcessHandle process;
    private @Nullable PostmasterSupervisor supervisor;

    /** @param postmaster null if another process has started it */
    private EmbeddedDatabase(
            int port, String password, @Nullable Postmaster postmaster, @Nullable ProcessHandle process) {
        this.port = port;
        this.password = password;
        this.postmaster = postmaster;
        this.process = process;
    }

    /**
     * Starts the server, setting its data up first if there is none. The caller makes sure that nobody else uses the
     * folder.
     *
     * @param folder made if it is not there
     * @throws IOException if the folder cannot be used or PostgreSQL does not come up
     */
    public static EmbeddedDatabase start(Path folder) throws IOException {
        Path home = folder.toAbsolutePath().normalize();
        DataFolder.makePrivate(home);
        Path data = home.resolve("postgres");
        Path initialized = home.resolve("postgres.initialized");
        if (Files.exists(data) && Files.notExists(initialized)) {
            // The very first start was cut off. What there is cannot be started, and is not ours to throw away.
            Path aside = home.resolve("postgres.unfinished-" + System.currentTimeMillis());
            Files.move(data, aside, StandardCopyOption.ATOMIC_MOVE);
        }
        requireOurMajor(data);
        Path passwordFile = home.resolve(PASSWORD_FILE);
        boolean first = Files.notExists(data);
        String password = password(passwordFile, !first);
        Postmaster postmaster =
                new Postmaster(PostgresPrograms.in(home.resolve("postgres-bin")), data, home.resolve("postgres.log"));
        if (first) {
            postmaster.initialize(USER, passwordFile);
        }
        ProcessHandle process = postmaster.start();
        DataFolder.touch(initialized);
        return new EmbeddedDatabase(postmaster.port(), password, postmaster, process);
    }

    /**
     * Restarts PostgreSQL on the same port when it ends by itself, until this is closed.
     *
     * @param giveUp called when it does not stay up
     */
    void supervise(Runnable giveUp) {
        if (postmaster != null && process != null) {
            supervisor = new PostmasterSupervisor(postmaster, process, giveUp);
        }
    }

    /**
     * The server that another process has started on this folder, and goes on using. Closing it here leaves it running.
     *
     * @return empty if none is ready for connections
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

    /** Whether a folder has such a database, running or not, of whatever version. */
    public static boolean isIn(Path folder) {
        return Files.exists(versionFile(folder.toAbsolutePath().normalize().resolve("postgres")));
    }

    /** PostgreSQL reads only what its own major version has written. */
    private static void requireOurMajor(Path data) throws IOException {
        if (Files.notExists(versionFile(data))) {
            return;
        }
        String major = Files.readString(versionFile(data)).strip();
        if (!major.equals(MAJOR)) {
            throw new IOException(
                    "the data in " + data + " was written by PostgreSQL " + HostileText.quote(major)
                            + ", this offsetd brings " + MAJOR
                            + ", which cannot read it; nothing in it was changed. Take a backup with"
                            + " the release that wrote it (./offsetd backup FILE --catalogues), and restore it into another folder"
                            + " (./offsetd restore FILE --data DIR); docs/backup.md has this, and the way without that release");
        }
    }

    private static Path versionFile(Path data) {
        return data.resolve("PG_VERSION");
    }

    /** JDBC URL of the database that the server uses. */
    public String jdbcUrl() {
        return jdbcUrl(DATABASE);
    }

    /** JDBC URL of another database on the same PostgreSQL. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + port + "/" + database;
    }

    /** Name of the superuser. */
    public String user() {
        return USER;
    }

    /** The superuser's password. */
    public String password() {
        return password;
    }

    /** How Spring Boot connects to the database that the server uses. */
    public JdbcConnectionDetails connectionDetails() {
        return new JdbcConnectionDetails() {
            @Override
            public String getUsername() {
                return user();
            }

            @Override
            public String getPassword() {
                return password();
            }

            @Override
            public String getJdbcUrl() {
                return jdbcUrl();
            }
        };
    }

    /** Stops PostgreSQL, if it was started here; what was committed stays. */
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
