package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.OffsetdServer;
import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.io.InputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.ExtendWith;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.boot.SpringApplication;
import org.springframework.boot.test.system.CapturedOutput;
import org.springframework.boot.test.system.OutputCaptureExtension;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;
import picocli.CommandLine;

/** A database that other migrations than the baseline's set up: the server and each command refuse it and leave it unchanged. */
@Timeout(180)
@ExtendWith(OutputCaptureExtension.class)
class EarlierSchemaIntegrationTests {

    private static final List<String> DATASOURCE = List.of("url", "username", "password");

    @TempDir
    private Path folder;

    private final StringWriter err = new StringWriter();

    @AfterEach
    void forgetDatabase() {
        DATASOURCE.forEach(name -> System.clearProperty("spring.datasource." + name));
    }

    private static void fill(DataSource database) {
        new ResourceDatabasePopulator(new ClassPathResource("earlier-schema.sql", EarlierSchemaIntegrationTests.class))
                .execute(database);
    }

    private static List<String> content(DataSource database) {
        JdbcClient jdbc = JdbcClient.create(database);
        List<String> content =
                new ArrayList<>(jdbc.sql("select tablename from pg_tables where schemaname = 'public' order by 1")
                        .query((row, number) -> row.getString(1))
                        .list());
        for (String table : List.copyOf(content)) {
            content.addAll(jdbc.sql("select t::text from " + table + " t order by 1")
                    .query((row, number) -> row.getString(1))
                    .list());
        }
        return content;
    }

    private void assertRefused(CapturedOutput output, Object command, String... arguments) {
        err.getBuffer().setLength(0);
        int before = output.getOut().length();
        int exitCode = new CommandLine(command)
                .setErr(new PrintWriter(err))
                .setOut(new PrintWriter(new StringWriter()))
                .execute(arguments);
        assertThat(exitCode).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("offsetd: ")
                .contains(
                        "the database was set up by a build from before the schema was rewritten",
                        "with the earlier build (./offsetd backup FILE --catalogues)",
                        "./offsetd restore FILE --data DIR",
                        "docs/operations.md")
                .hasLineCount(1);
        assertThat(output.getOut().substring(before).lines())
                .as("only what a start says before it opens the database")
                .allMatch(line -> line.contains(" ServeCommand: "));
    }

    private static ServeCommand serve() {
        return new ServeCommand(() -> new SpringApplication(OffsetdServer.class));
    }

    @Test
    void configuredDatabaseIsRefused(CapturedOutput output) throws IOException {
        TestDatabase database = TestDatabase.empty();
        fill(database.dataSource());
        List<String> before = content(database.dataSource());
        List<String> values = List.of(database.url(), database.user(), database.password());
        for (int i = 0; i < values.size(); i++) {
            System.setProperty("spring.datasource." + DATASOURCE.get(i), values.get(i));
        }
        String file = folder.resolve("file").toString();
        String data = folder.resolve("data").toString();

        assertRefused(output, serve(), "--port", "0", "--data", data, "--offline");
        assertRefused(output, new TokenCommand(), "list");
        assertRefused(output, new AdminCommand(), "reset");
        assertRefused(output, new BackupCommand(), file);
        Path saved = folder.resolve("saved");
        try (InputStream recorded = getClass().getResourceAsStream("backup/schema-36.backup")) {
            Files.copy(Objects.requireNonNull(recorded), saved);
        }
        assertRefused(output, new RestoreCommand(), saved.toString());

        assertThat(content(database.dataSource())).hasSize(2 + 26 + 1).isEqualTo(before);
        assertThat(Path.of(file)).doesNotExist();
    }

    @Test
    void databaseOfAnEarlierBaselineIsRefused(CapturedOutput output) {
        TestDatabase database = TestDatabase.create();
        database.jdbc()
                .sql("update flyway_schema_history set checksum = checksum + 1 where version = '1'")
                .update();
        List<String> before = content(database.dataSource());
        List<String> values = List.of(database.url(), database.user(), database.password());
        for (int i = 0; i < values.size(); i++) {
            System.setProperty("spring.datasource." + DATASOURCE.get(i), values.get(i));
        }

        String data = folder.resolve("data").toString();
        assertRefused(output, serve(), "--port", "0", "--data", data, "--offline");
        assertRefused(output, new BackupCommand(), folder.resolve("file").toString());

        assertThat(content(database.dataSource())).isEqualTo(before);
    }

    @Test
    void dataFolderIsRefused(CapturedOutput output) throws Exception {
        Path data = folder.resolve("data");
        try (EmbeddedDatabase database = EmbeddedDatabase.start(data)) {
            fill(new DriverManagerDataSource(database.getJdbcUrl(), database.getUsername(), database.getPassword()));
        }

        assertRefused(output, serve(), "--port", "0", "--data", data.toString(), "--offline");
        assertRefused(output, new BackupCommand(), folder.resolve("file").toString(), "--data", data.toString());

        try (EmbeddedDatabase database = EmbeddedDatabase.start(data)) {
            assertThat(content(new DriverManagerDataSource(
                            database.getJdbcUrl(), database.getUsername(), database.getPassword())))
                    .hasSize(2 + 26 + 1);
        }
    }
}
