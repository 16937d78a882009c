package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.jdbc.datasource.DriverManagerDataSource;
import picocli.CommandLine;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** Tokens are created and revoked in the server's database, whether the server runs or not. */
@ChecklistRow(22)
@Timeout(300)
class TokenCommandIntegrationTests {

    private static final List<String> DATASOURCE = List.of("url", "username", "password");
    private static final JsonMapper JSON = JsonMapper.builder().build();

    @TempDir
    private Path folder;

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    @AfterEach
    void standardOutputIsBack() {
        DATASOURCE.forEach(name -> System.clearProperty("spring.datasource." + name));
        System.clearProperty("spring.aot.enabled");
        assertThat(System.out).isNotSameAs(System.err);
    }

    /** Configures a new database for the commands. */
    private static JdbcClient configureDatabase() {
        TestDatabase database = TestDatabase.empty();
        System.setProperty("spring.datasource.url", database.url());
        System.setProperty("spring.datasource.username", database.user());
        System.setProperty("spring.datasource.password", database.password());
        return database.jdbc();
    }

    private int token(String... arguments) {
        out.getBuffer().setLength(0);
        err.getBuffer().setLength(0);
        return new CommandLine(new TokenCommand())
                .setOut(new PrintWriter(out))
                .setErr(new PrintWriter(err))
                .execute(arguments);
    }

    private String data() {
        return folder.resolve("data").toString();
    }

    @Test
    void commandsNeedNoGeneratedBeanDefinitions() {
        configureDatabase();
        System.setProperty("spring.aot.enabled", "true");
        assertThat(token("list")).as(err.toString()).isZero();
    }

    @Test
    void tokenAloneIsOnStandardOutput() {
        configureDatabase();
        assertThat(token("create", "--label", "ci", "--scope", "publish"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).matches("offsetd_[A-Za-z0-9_-]{49}\\R");
        assertThat(err.toString())
                .contains("token ci (publish)", "not shown again")
                .hasLineCount(1);
    }

    @Test
    void urlHasTheTokenInItsPath() {
        configureDatabase();
        assertThat(token("create", "--label", "gdb", "--scope", "read", "--url"))
                .as(err.toString())
                .isZero();
        assertThat(out.toString()).matches("http://127.0.0.1:8080/t/offsetd_[A-Za-z0-9_-]{49}\\R");
        assertThat(token("create", "--label", "gdb", "--scope", "read", "--url", "https://a.example/b/", "--json"))
                .isZero();
        JsonNode created = JSON.readTree(out.toString());
        assertThat(created.path("url").asString())
                .isEqualTo("https://a.example/b/t/" + created.path("token").asString());
        assertThat(token("create", "--label", "gdb", "--scope", "publish", "--url"))
                .isEqualTo(2);
        assertThat(token("create", "--label", "gdb", "--scope", "read", "--url", "a.example"))
                .isEqualTo(2);
    }

    @Test
    void tokensAreListedAndRevokedByIdAndByLabel() {
        JdbcClient jdbc = configureDatabase();
        assertThat(token("create", "--label", "ci", "--scope", "publish", "--json"))
                .isZero();
        JsonNode usual = JSON.readTree(out.toString());
        assertThat(usual.path("token").asString()).startsWith("offsetd_");
        assertThat(lifetime(usual)).isBetween(Duration.ofDays(364), Duration.ofDays(365));
        assertThat(token("create", "--label", "ci", "--scope", "read,admin", "--expires", "90d", "--json"))
                .isZero();
        JsonNode shorter = JSON.readTree(out.toString());
        assertThat(shorter.path("scopes").valueStream().map(JsonNode::asString)).containsExactly("read", "admin");
        assertThat(lifetime(shorter)).isBetween(Duration.ofDays(89), Duration.ofDays(90));

        assertThat(token("revoke", "ci")).isEqualTo(1);
        assertThat(err.toString())
                .contains("2 tokens are labelled \"ci\"", shorter.path("id").asString());
        assertThat(token("revoke", shorter.path("id").asString())).isZero();
        assertThat(out.toString()).contains("revoked");

        assertThat(token("list", "--json")).isZero();
        assertThat(JSON.readTree(out.toString())
                        .valueStream()
                        .map(token -> token.path("id").asString() + " "
                                + token.path("state").asString()))
                .containsExactly(
                        usual.path("id").asString() + " active",
                        shorter.path("id").asString() + " revoked");
        assertThat(out.toString()).doesNotContain("offsetd_");

        assertThat(token("revoke", "ci", "--json")).isZero();
        assertThat(JSON.readTree(out.toString()).path("state").asString()).isEqualTo("revoked");
        assertThat(token("revoke", "ci")).isEqualTo(1);
        assertThat(jdbc.sql("select who || ' ' || action || ' ' || request_id from audit order by id limit 1")
                        .query(String.class)
                        .single())
                .startsWith("operator token.create command of " + System.getProperty("user.name"));
    }

    private static Duration lifetime(JsonNode token) {
        return Duration.between(
                Instant.now(), Instant.parse(token.path("expiresAt").asString()));
    }

    @Test
    void embeddedDatabaseIsUsedWhetherAServerRunsOrNot() throws Exception {
        EmbeddedDatabase.start(folder.resolve("data")).close();
        assertThat(token("create", "--label", "first", "--scope", "admin", "--data", data()))
                .as(err.toString())
                .isZero();
        assertThat(folder.resolve("data/postgres/postmaster.pid")).doesNotExist();
        try (DataFolderLock lock = DataFolderLock.acquire(folder.resolve("data"));
                EmbeddedDatabase database = EmbeddedDatabase.start(folder.resolve("data"))) {
            assertThat(lock).isNotNull();
            assertThat(token("create", "--label", "second", "--scope", "publish", "--data", data()))
                    .as(err.toString())
                    .isZero();
            JdbcClient jdbc = JdbcClient.create(
                    new DriverManagerDataSource(database.getJdbcUrl(), database.getUsername(), database.getPassword()));
            assertThat(jdbc.sql("select label from tokens order by created_at")
                            .query(String.class)
                            .list())
                    .as("written to the database that goes on running")
                    .containsExactly("first", "second");
        }
    }

    @Test
    void folderWithoutADatabaseStaysAsItIs() {
        assertThat(token("create", "--label", "ci", "--scope", "publish", "--data", data()))
                .isEqualTo(1);
        assertThat(err.toString())
                .startsWith("offsetd: no database in " + data() + ", ")
                .contains("--data", "SPRING_DATASOURCE_URL")
                .hasLineCount(1);
        assertThat(out.toString()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    @ParameterizedTest
    @CsvSource(
            delimiterString = " -> ",
            value = {
                "--scope publish -> --label",
                "--label ci -> --scope",
                "--label ci --scope write -> expected read, publish, admin",
                "--label ci --scope publish --expires never -> expected a time like 90d",
                "--label ci --scope publish --expires 0d -> expected a time like 90d",
                "--label ci --scope publish --expires 9999999d -> expected a time like 90d"
            })
    void whatIsNotUnderstoodTouchesNothing(String options, String place) {
        assertThat(token(List.of(("create --data " + data() + " " + options).split(" ", -1))
                        .toArray(String[]::new)))
                .isEqualTo(2);
        assertThat(err.toString()).contains(place);
        assertThat(out.toString()).isEmpty();
        assertThat(folder).isEmptyDirectory();
    }

    @Test
    void labelThatWouldForgeALineOfTheLogIsRefused() {
        assertThat(token("create", "--data", data(), "--scope", "read", "--label", "a\nb"))
                .isEqualTo(2);
        assertThat(err.toString()).contains("\\u000a");
    }

    @Test
    void databaseThatCannotBeUsedIsSaidInOneLine() throws Exception {
        Path file = Files.writeString(folder.resolve("file"), "");
        assertThat(token("list", "--data", file.toString())).isEqualTo(1);
        assertThat(err.toString())
                .startsWith("offsetd: data folder " + file + " cannot be used: ")
                .hasLineCount(1);
        assertThat(out.toString()).isEmpty();
    }
}
