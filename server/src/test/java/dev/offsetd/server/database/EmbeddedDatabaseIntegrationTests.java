package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.offsetd.extractor.testkit.ChecklistRow;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFilePermissions;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.util.FileSystemUtils;

/** The embedded PostgreSQL keeps its data across restarts and requires the password. */
@Timeout(180)
class EmbeddedDatabaseIntegrationTests {

    /** Data folder of a database that is set up and stopped. */
    @TempDir
    private static Path prepared;

    @TempDir
    private Path folder;

    @BeforeAll
    static void prepare() throws IOException {
        EmbeddedDatabase.start(prepared).close();
    }

    private void linkPrograms() throws IOException {
        Files.createSymbolicLink(folder.resolve("postgres-bin"), prepared.resolve("postgres-bin"));
    }

    private void copyPrepared() throws IOException {
        for (String part : List.of("postgres", "postgres.password", "postgres.initialized")) {
            FileSystemUtils.copyRecursively(prepared.resolve(part), folder.resolve(part));
        }
        linkPrograms();
    }

    @Test
    @ExtendWith(OutputCaptureExtension.class)
    void whatWasCommittedIsThereAfterARestart(CapturedOutput output) throws Exception {
        linkPrograms();
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            query(database, "create table kept as select 42 as answer");
        }
        assertThat(output.getOut())
                .as("each step that takes long is named")
                .contains("creating the database in " + folder.resolve("postgres"))
                .contains("log: " + folder.resolve("postgres.log"))
                .contains("creating its tables");
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(query(database, "select answer from kept")).isEqualTo("42");
        }
    }

    /** Happens when a folder of data moves from a machine into a container, where root may make no user namespaces. */
    @Test
    void rootHandsOverTheDataWhereTheKernelAllowsNoNamespaces() throws Exception {
        assumeTrue(System.getProperty("user.name").equals("root"), "only root runs PostgreSQL as another user");
        copyPrepared();
        Path data = folder.resolve("postgres");
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            query(database, "create table kept as select 42 as answer");
        }
        assertThat(Files.getAttribute(data, "unix:uid")).isEqualTo(0);
        PostgresUser unprivileged = PostgresUser.unprivileged(data);
        assertThat(PostgresUser.of(data)).as("chosen by the owner of the data").isEqualTo(unprivileged);
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(query(database, "select answer from kept")).isEqualTo("42");
            assertThat(Files.getAttribute(data.resolve("postmaster.pid"), "unix:uid"))
                    .isEqualTo(65534);
        }
    }

    @Test
    void commitsReachTheDiskAndOnlyThisMachineIsListenedTo() throws Exception {
        copyPrepared();
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(query(database, "show fsync")).isEqualTo("on");
            assertThat(query(database, "show synchronous_commit")).isEqualTo("on");
            assertThat(query(database, "show listen_addresses")).isEqualTo("127.0.0.1");
            assertThat(query(database, "show unix_socket_directories")).isEmpty();
            assertThat(query(database, "select current_setting('server_version_num')::int / 10000"))
                    .as("the version by which data of others is told apart")
                    .isEqualTo(EmbeddedDatabase.MAJOR);
        }
    }

    @Test
    void connectionRequiresThePassword() throws Exception {
        copyPrepared();
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThatThrownBy(
                            () -> DriverManager.getConnection(database.getJdbcUrl(), database.getUsername(), "guess"))
                    .isInstanceOf(SQLException.class)
                    .hasMessageContaining("password authentication failed");
            assertThat(PosixFilePermissions.toString(
                            Files.getPosixFilePermissions(prepared.resolve("postgres.password"))))
                    .isEqualTo("rw-------");
        }
    }

    @Test
    void setUpThatWasCutOffIsPutAsideAndDoneAgain() throws Exception {
        linkPrograms();
        Path half = Files.createDirectories(folder.resolve("postgres").resolve("base"));
        Files.writeString(folder.resolve("postgres/PG_VERSION"), "18");
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(query(database, "select 1")).isEqualTo("1");
        }
        assertThat(half).exists();
        try (Stream<Path> files = Files.list(folder)) {
            assertThat(files.map(file -> file.getFileName().toString()))
                    .anyMatch(name -> name.startsWith("postgres.unfinished-"));
        }
    }

    @Test
    void dataOfAnotherMajorVersionIsNamedAndLeftAlone() throws Exception {
        Path data = Files.createDirectories(folder.resolve("postgres"));
        Files.writeString(data.resolve("PG_VERSION"), "14\n");
        Files.createFile(folder.resolve("postgres.initialized"));
        assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("written by PostgreSQL \"14\", this release includes " + EmbeddedDatabase.MAJOR)
                .hasMessageContaining("./offsetd backup");
        try (Stream<Path> files = Files.list(data)) {
            assertThat(files).containsExactly(data.resolve("PG_VERSION"));
        }
    }

    @Test
    void dataWithoutItsPasswordIsLeftAlone() throws Exception {
        copyPrepared();
        Files.delete(folder.resolve("postgres.password"));
        assertThatThrownBy(() -> EmbeddedDatabase.start(folder))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("postgres.password")
                .hasMessageContaining("put the file back");
        assertThat(folder.resolve("postgres/PG_VERSION")).exists();
    }

    private Path programs() throws IOException {
        try (Stream<Path> list = Files.list(folder.resolve("postgres-bin"))) {
            return list.filter(Files::isDirectory).findFirst().orElseThrow();
        }
    }

    @Test
    @ChecklistRow(37)
    void programsArePrivateAndOnesThatWereReplacedAreNotRun() throws Exception {
        EmbeddedDatabase.start(folder).close();
        Path postgres = programs().resolve("bin/postgres");
        byte[] genuine = Files.readAllBytes(postgres);
        Path mark = folder.resolve("mark");
        FileTime time = Files.getLastModifiedTime(postgres);
        byte[] replacement = ("#!/bin/sh\ntouch " + mark + "\nexit 1\n").getBytes(StandardCharsets.UTF_8);
        // Size and time of change are those of the program; what the file system notes by itself is not.
        Files.write(postgres, Arrays.copyOf(replacement, genuine.length));
        Files.setLastModifiedTime(postgres, time);
        Path planted = Files.writeString(programs().resolve("lib/libplanted.so"), "planted");
        Files.setPosixFilePermissions(folder.resolve("postgres-bin"), PosixFilePermissions.fromString("rwxrwxrwx"));
        Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));

        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            assertThat(query(database, "select 1")).isEqualTo("1");
        }

        assertThat(mark).doesNotExist();
        assertThat(planted).doesNotExist();
        assertThat(postgres).hasBinaryContent(genuine);
        for (Path path : List.of(folder, folder.resolve("postgres-bin"), postgres, folder.resolve("postgres.log"))) {
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(path)))
                    .as(path.toString())
                    .endsWith("------");
        }
    }

    @Test
    @ChecklistRow(38)
    void databaseThatEndsByItselfIsStartedAgainOnItsPort() throws Exception {
        copyPrepared();
        AtomicBoolean givenUp = new AtomicBoolean();
        try (EmbeddedDatabase database = EmbeddedDatabase.start(folder)) {
            database.supervise(() -> givenUp.set(true));
            query(database, "create table kept as select 42 as answer");
            for (int i = 0; i < 2; i++) {
                long pid = PostmasterFile.pid(folder.resolve("postgres")).orElseThrow();
                ProcessHandle.of(pid).orElseThrow().destroyForcibly();
                assertThat(awaitAnswer(database)).isEqualTo("42");
                assertThat(PostmasterFile.pid(folder.resolve("postgres")))
                        .isPresent()
                        .isNotEqualTo(Optional.of(pid));
            }
        }
        assertThat(givenUp).isFalse();
        assertThat(folder.resolve("postgres/postmaster.pid")).doesNotExist();
    }

    private static String awaitAnswer(EmbeddedDatabase database) throws InterruptedException {
        for (int i = 0; ; i++) {
            Thread.sleep(100);
            try {
                return query(database, "select answer from kept");
            } catch (SQLException e) {
                assertThat(i).as("%s", e).isLessThan(300);
            }
        }
    }

    private static String query(EmbeddedDatabase database, String sql) throws SQLException {
        try (Connection connection = DriverManager.getConnection(
                        database.getJdbcUrl(), database.getUsername(), database.getPassword());
                Statement statement = connection.createStatement()) {
            if (!statement.execute(sql)) {
                return "";
            }
            try (ResultSet row = statement.getResultSet()) {
                assertThat(row.next()).isTrue();
                return row.getString(1);
            }
        }
    }
}
