package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.TestDatabase;
import java.io.ByteArrayOutputStream;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Backups are taken and restored by command, from a PostgreSQL of one's own into the one that comes along, and back. */
@Timeout(180)
class BackupCommandIntegrationTests {

    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();
    private final ByteArrayOutputStream standardOutput = new ByteArrayOutputStream();

    @AfterEach
    void forgetDatabase() {
        List.of("url", "username", "password").forEach(name -> System.clearProperty("spring.datasource." + name));
    }

    private static void use(TestDatabase database) {
        System.setProperty("spring.datasource.url", database.url());
        System.setProperty("spring.datasource.username", database.user());
        System.setProperty("spring.datasource.password", database.password());
    }

    private int run(Object command, String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new CommandLine(command)
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private int backup(String... arguments) {
        return run(new BackupCommand(standardOutput, false), arguments);
    }

    private int restore(String... arguments) {
        return run(new RestoreCommand(), arguments);
    }

    @Test
    void tokenGoesFromOneKindOfDatabaseToTheOtherAndBack() throws Exception {
        use(TestDatabase.create());
        assertThat(run(new TokenCommand(), "create", "--label", "ci", "--scope", "publish"))
                .isZero();
        String file = folder.resolve("a").toString();
        assertThat(backup(file, "--json", "--catalogues")).as(err.toString()).isZero();
        JsonNode saved = JSON.readTree(out.toString());
        assertThat(saved.path("rows").path("tokens").asInt()).isEqualTo(1);
        assertThat(saved.path("uploadedBuilds").asInt(-1)).isZero();
        assertThat(saved.path("bytes").asLong()).isEqualTo(Files.size(folder.resolve("a")));
        assertThat(backup(file)).isEqualTo(5);
        assertThat(err.toString()).contains("the file exists").hasLineCount(1);
        forgetDatabase();

        String data = folder.resolve("data").toString();
        assertThat(restore(file, "--data", data)).as(err.toString()).isZero();
        assertThat(out.toString()).contains("rows of ", " tables from " + file);
        assertThat(restore(file, "--data", data)).isEqualTo(1);
        assertThat(err.toString())
                .contains("the database is not empty", "tokens: 1")
                .hasLineCount(1);
        assertThat(backup("-", "--data", data)).as(err.toString()).isZero();
        assertThat(out.toString()).isEmpty();
        assertThat(err.toString())
                .contains("with the catalogues of 0 uploaded builds, to standard output")
                .hasLineCount(1);

        Path piped = Files.write(folder.resolve("piped"), standardOutput.toByteArray());
        TestDatabase back = TestDatabase.empty();
        use(back);
        assertThat(restore(piped.toString(), "--json")).as(err.toString()).isZero();
        assertThat(JSON.readTree(out.toString()).path("catalogues").asBoolean()).isFalse();
        assertThat(back.jdbc()
                        .sql("select label from tokens")
                        .query(String.class)
                        .list())
                .containsExactly("ci");
        assertThat(back.jdbc()
                        .sql("select action from audit order by id")
                        .query(String.class)
                        .list())
                .containsExactly("token.create", "backup.restore", "backup.restore");
    }

    @Test
    void invalidBackupFileHasADistinctExitCode() throws Exception {
        use(TestDatabase.empty());
        Path text = Files.writeString(folder.resolve("text"), "once upon a time");
        assertThat(restore(text.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("not an offsetd backup").hasLineCount(1);
    }

    @Test
    void damagedFileLeavesNoNewDatabase() throws Exception {
        use(TestDatabase.create());
        Path file = folder.resolve("a");
        assertThat(backup(file.toString())).as(err.toString()).isZero();
        byte[] whole = Files.readAllBytes(file);
        Files.write(file, Arrays.copyOf(whole, whole.length - 100));
        forgetDatabase();

        Path data = folder.resolve("new");
        assertThat(restore(file.toString(), "--data", data.toString())).isEqualTo(3);
        assertThat(err.toString()).contains("damaged or truncated after ").hasLineCount(1);
        assertThat(data).doesNotExist();
    }

    @Test
    void folderWithoutADatabaseIsNotMadeOneByABackup() {
        Path data = folder.resolve("typo");
        assertThat(backup(folder.resolve("b").toString(), "--data", data.toString()))
                .isEqualTo(1);
        assertThat(err.toString()).contains("no database in " + data);
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void whatIsNotUnderstoodIsSaid() {
        assertThat(backup()).isEqualTo(2);
        assertThat(restore()).isEqualTo(2);
        assertThat(restore("a", "b")).isEqualTo(2);
        assertThat(restore("--help")).isZero();
    }
}
