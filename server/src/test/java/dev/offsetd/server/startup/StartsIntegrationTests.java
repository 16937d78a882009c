package dev.offsetd.server.startup;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.TestDatabase;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** An operator starts the released server: by the example of the documents, with mistakes in it, and with none left. */
@Timeout(300)
class StartsIntegrationTests {

    private static final Path OPERATIONS = Path.of("..", "docs", "operations.md");
    private static final Pattern READY = Pattern.compile("offsetd is ready at http:..?/.?/?127[.]0[.]0[.]1:([0-9]+)");

    @TempDir
    private Path folder;

    private Process start(Map<String, String> environment, String... arguments) throws IOException {
        ProcessBuilder command = ServerProcess.command(List.of(arguments))
                .directory(folder.toFile())
                .redirectOutput(folder.resolve("out").toFile())
                .redirectError(folder.resolve("err").toFile());
        // Paths of the command lead to folders of the build.
        command.command()
                .replaceAll(word -> Files.exists(Path.of(word))
                        ? Path.of(word).toAbsolutePath().toString()
                        : word);
        command.environment().putAll(environment);
        return command.start();
    }

    private String[] arguments() {
        return new String[] {"--port", "0", "--data", folder.resolve("data").toString()};
    }

    private String err() throws IOException {
        return Files.readString(folder.resolve("err"));
    }

    private String out() throws IOException {
        return Files.readString(folder.resolve("out"));
    }

    private String failure(Map<String, String> environment) throws IOException, InterruptedException {
        return failure(environment, arguments());
    }

    private String failure(Map<String, String> environment, String... arguments)
            throws IOException, InterruptedException {
        Process process = start(environment, arguments);
        assertThat(process.waitFor()).isEqualTo(1);
        assertThat(err()).hasLineCount(1);
        assertThat(out()).doesNotContain("ERROR", "WARN", "| ");
        return err().strip();
    }

    @ParameterizedTest
    @CsvSource(delimiter = '|', textBlock = """
            URL      | jdbc:postgresql://127.0.0.1:1/offsetd         | offsetd: spring.datasource.url is "jdbc:postgresql://127.0.0.1:1/offsetd"; expected a PostgreSQL that answers at 127.0.0.1 port 1 (Connection refused)
            URL      | jdbc:postgresql://nowhere.invalid/offsetd     | offsetd: spring.datasource.url is "jdbc:postgresql://nowhere.invalid/offsetd"; expected a PostgreSQL that answers at nowhere.invalid port 5432 (unknown host)
            PASSWORD | wrong                                         | offsetd: spring.datasource.username is "USER" at HOST; expected a role that may sign in with spring.datasource.password (FATAL: password authentication failed for user "USER")
            URL      | jdbc:postgresql://HOST:PORT/nosuchdatabase    | offsetd: spring.datasource.url is "jdbc:postgresql://HOST:PORT/nosuchdatabase"; expected a database that exists at HOST port PORT (FATAL: database "nosuchdatabase" does not exist)
            """)
    void databaseThatCannotBeUsedIsOneLine(String setting, String value, String expected) throws Exception {
        TestDatabase database = TestDatabase.create();
        URI address = URI.create(database.url().substring("jdbc:".length()));
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.put(
                "SPRING_DATASOURCE_" + setting,
                value.replace("HOST:PORT", address.getHost() + ":" + address.getPort()));

        assertThat(failure(environment))
                .isEqualTo(expected.replace("HOST port PORT", address.getHost() + " port " + address.getPort())
                        .replace("HOST:PORT", address.getHost() + ":" + address.getPort())
                        .replace("at HOST;", "at " + address.getHost() + " port " + address.getPort() + ";")
                        .replace("USER", database.user()));
    }

    @ParameterizedTest
    @ValueSource(strings = {"token list", "admin reset", "backup new", "store migrate --to database"})
    void databaseThatACommandCannotUseIsOneLine(String command) throws Exception {
        assertThat(failure(
                        Map.of("SPRING_DATASOURCE_URL", "jdbc:postgresql://127.0.0.1:1/offsetd"), command.split(" ")))
                .isEqualTo("offsetd: spring.datasource.url is \"jdbc:postgresql://127.0.0.1:1/offsetd\";"
                        + " expected a PostgreSQL that answers at 127.0.0.1 port 1 (Connection refused)");
    }

    @Test
    void unknownFormatOfLogLinesIsOneLine() throws Exception {
        Map<String, String> environment = Map.of("LOGGING_STRUCTURED_FORMAT_CONSOLE", "ecss");
        assertThat(List.of(failure(environment), failure(environment, "token", "list")))
                .containsOnly(
                        "offsetd: logging.structured.format.console is \"ecss\"; expected one of ecs, gelf, logstash");
    }

    @Test
    void badValueIsOneLine() throws Exception {
        assertThat(failure(Map.of("OFFSETD_CACHE_MAX_SIZE", "10XB")))
                .startsWith("offsetd: offsetd.cache.max-size is \"10XB\"; expected a size such as 10GB");
        assertThat(failure(Map.of(
                        "OFFSETD_TRUSTEDPROXIES",
                        "nonsense",
                        "SPRING_DATASOURCE_URL",
                        "jdbc:postgresql://127.0.0.1:1/a")))
                .isEqualTo(
                        "offsetd: offsetd.trusted-proxies: nonsense is not an IP address or network; expected for example 10.0.0.0/8");
    }

    @ParameterizedTest
    @ValueSource(strings = {"username", "password"})
    void credentialsWithoutADatabaseStopTheStart(String setting) throws Exception {
        Map<String, String> environment = Map.of("SPRING_DATASOURCE_" + setting.toUpperCase(Locale.ROOT), "offsetd");
        assertThat(List.of(failure(environment), failure(environment, "token", "list")))
                .containsOnly("offsetd: spring.datasource." + setting + " is set and spring.datasource.url is not;"
                        + " expected both, or neither for the embedded database");
    }

    @Test
    void homeDecidesWhereTheDefaultFolderIs() throws Exception {
        Path home = Files.createDirectories(folder.resolve("home"));
        Process backup = start(Map.of("HOME", home.toString()), "backup", "file");
        assertThat(backup.waitFor()).isEqualTo(1);
        assertThat(err())
                .isEqualTo("offsetd: no database in " + home
                        + "/.offsetd, and only \"offsetd serve\" creates one; name the server's data folder with --data,"
                        + " or its PostgreSQL with SPRING_DATASOURCE_URL\n");
    }

    /** Returns the port once the server is ready. */
    private int port(Process process) throws IOException, InterruptedException {
        while (true) {
            Matcher ready = READY.matcher(out());
            if (ready.find()) {
                return Integer.parseInt(ready.group(1));
            }
            assertThat(process.isAlive()).as(out() + err()).isTrue();
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    @Test
    void startThatIsToldToEndEndsWithoutAComplaint() throws Exception {
        TestDatabase database = TestDatabase.empty();
        Process process = start(ServerProcess.on(database), arguments());
        while (!database.jdbc()
                .sql("select to_regclass('flyway_schema_history') is not null")
                .query(Boolean.class)
                .single()) {
            assertThat(process.isAlive()).as(out() + err()).isTrue();
            TimeUnit.MILLISECONDS.sleep(50);
        }

        process.destroy();

        assertThat(process.waitFor()).isEqualTo(143);
        assertThat(err()).isEmpty();
        assertThat(out()).contains("starting on").doesNotContain("ready", "ERROR", "WARN", "| ");
    }

    private static JsonNode get(int port, String path) throws IOException, InterruptedException {
        try (HttpClient client = HttpClient.newHttpClient()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create("http://127.0.0.1:" + port + path))
                    .build();
            return JsonMapper.shared()
                    .readTree(client.send(request, HttpResponse.BodyHandlers.ofString())
                            .body());
        }
    }

    private static String example() throws IOException {
        Matcher block = Pattern.compile("(?s)## Example: .*?```yaml\n(.*?)```").matcher(Files.readString(OPERATIONS));
        assertThat(block.find()).isTrue();
        return block.group(1);
    }

    @Test
    void operatorFollowsTheExampleOfTheDocuments() throws Exception {
        TestDatabase database = TestDatabase.create();
        Map<String, String> environment = Map.of("SPRING_DATASOURCE_PASSWORD", database.password());
        Path settings = folder.resolve("application.yaml");
        String printed = example();

        // The printed example names a database that does not exist.
        Files.writeString(settings, printed);
        assertThat(start(environment, arguments()).waitFor()).isEqualTo(1);
        assertThat(err()).isEmpty();
        assertThat(JsonMapper.shared()
                        .readTree(out().lines().toList().getLast())
                        .path("message")
                        .asString())
                .startsWith(
                        "spring.datasource.url is \"jdbc:postgresql://db.internal.example:5432/offsetd?sslmode=verify-full\";"
                                + " expected a PostgreSQL that answers at db.internal.example port 5432 (");

        String own = printed.replaceFirst("url: jdbc:\\S+", "url: " + Matcher.quoteReplacement(database.url()))
                .replaceFirst("username: offsetd ", "username: " + database.user() + " ")
                .replace("port: 9090", "port: 0");
        Files.writeString(settings, own.replace("read-auth: true", "read-atuh: true"));
        assertThat(start(environment, arguments()).waitFor()).isEqualTo(1);
        assertThat(out())
                .hasLineCount(1)
                .contains(
                        "offsetd.read-atuh is not a setting; did you mean offsetd.read-auth? (application.yaml, line ");

        Files.writeString(settings, own + "offsetd: [\n");
        assertThat(start(environment, arguments()).waitFor()).isEqualTo(1);
        assertThat(out() + err()).contains(settings + ", line ", "expected YAML");

        Files.writeString(settings, own);
        Process server = start(
                Map.of(
                        "SPRING_DATASOURCE_PASSWORD", database.password(),
                        "OFFSETD_OFLINE", "true",
                        "OFFSETD_PORT", "tcp://10.0.0.1:80",
                        "OFFSETD_SERVICE_HOST", "10.0.0.1"),
                arguments());
        try {
            int port = port(server);
            assertThat(get(port, "/readyz").toString())
                    .isEqualTo(
                            "{\"status\":\"up\",\"warnings\":[\"OFFSETD_OFLINE is not a setting; did you mean OFFSETD_OFFLINE?"
                                    + " (environment)\"]}");
            assertThat(get(port, "/v1/builds").path("status").asInt())
                    .as("closed reading")
                    .isEqualTo(401);
            Path password = folder.resolve("data/first-admin.password");
            assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(password)))
                    .isEqualTo("rw-------");
            assertThat(password).content().matches("([a-z0-9]{5}-){3}[a-z0-9]{5}\n");
            String log = out() + err();
            assertThat(log)
                    .contains("first-admin.password", "OFFSETD_OFLINE is not a setting")
                    .doesNotContain(Files.readString(password).strip(), "OFFSETD_PORT", "SERVICE_HOST");
            assertThat(log.lines())
                    .allMatch(line -> JsonMapper.shared().readTree(line).isObject());
        } finally {
            server.destroyForcibly().waitFor();
        }
    }
}
