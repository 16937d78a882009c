package dev.offsetd.server.answers.offsets;

import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.FALLBACK;
import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.WHOLE;
import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.valuesFrom;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.outcome.Origin;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import mockwebserver3.MockResponse;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The client libraries: as the example clients use them, by their own tests, and by the examples of their documents. */
@Timeout(300)
class ClientLibrariesIntegrationTests {

    private static final String[] LIBRARIES = {"GO", "PYTHON", "C"};

    @TempDir
    private static Path folder;

    private static final Map<ExampleClient, RequiredTool> BUILT = new EnumMap<>(ExampleClient.class);

    private static TestServer server;

    private ServerProxy proxy;

    @TempDir
    private Path scratch;

    @BeforeAll
    static void start() {
        server = TestServer.start(folder.resolve("data"), TestDatabase.create(), "offsetd.offline=true");
        Publisher publisher = Publisher.of(server, "ci");
        publisher.put(server, WHOLE, ExampleClientsIntegrationTests.whole());
        publisher.put(server, SmallBuild.debugFile());
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void startProxy() throws IOException {
        proxy = new ServerProxy(server);
    }

    @AfterEach
    void stopProxy() {
        proxy.close();
    }

    private List<String> run(ExampleClient client, String url, Path cache) throws IOException {
        return run(client, url, WHOLE, cache);
    }

    private List<String> run(ExampleClient client, String url, Object key, Path cache) throws IOException {
        RequiredTool built = BUILT.get(client);
        if (built == null) {
            built = client.build(folder);
            BUILT.put(client, built);
        }
        return built.output(url, key, cache).lines().toList();
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void secondRequestIsRevalidated(ExampleClient client) throws Exception {
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(valuesFrom("server"));
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(valuesFrom("revalidated"));
        assertThat(proxy.statuses()).containsExactly(200, 304);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void buildThatIsBeingFetchedIsAskedForAgain(ExampleClient client) throws Exception {
        proxy.answer(new MockResponse.Builder()
                .code(202)
                .setHeader("Retry-After", "0")
                .body("{}")
                .build());
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(valuesFrom("server"));
        assertThat(proxy.statuses()).containsExactly(202, 200);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void busyServerIsNotAskedBeforeThePauseThatItDemands(ExampleClient client) throws Exception {
        run(client, proxy.url(), scratch);
        for (int status : List.of(429, 502, 503, 504)) {
            proxy.answer(new MockResponse.Builder()
                    .code(status)
                    .setHeader("Retry-After", "30")
                    .build());
            assertThat(run(client, proxy.url(), scratch)).isEqualTo(valuesFrom("cache"));
        }
        assertThat(proxy.statuses()).containsExactly(200, 429, 502, 503, 504);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void changedNumberInTheCacheIsDetected(ExampleClient client) throws Exception {
        run(client, proxy.url(), scratch);
        Path cache = onlyFile();
        String stored = Files.readString(cache);
        Files.writeString(cache, stored.replace("[24,8]", "[25,8]"));
        assertThat(Files.readString(cache)).isNotEqualTo(stored);
        proxy.answer(new MockResponse.Builder().code(404).build());
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(FALLBACK);
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(valuesFrom("server"));
        assertThat(proxy.statuses()).containsExactly(200, 404, 200);
    }

    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void tooLargeResponseIsNotRead(ExampleClient client) throws Exception {
        for (int i = 0; i < 3; i++) {
            proxy.answer(new MockResponse.Builder().body(" ".repeat(9 << 20)).build());
        }
        assertThat(run(client, proxy.url(), scratch)).isEqualTo(FALLBACK);
        assertThat(scratch).isEmptyDirectory();
    }

    @Test
    void clientsInAllLanguagesShareACache() throws Exception {
        for (String writer : LIBRARIES) {
            Path cache = scratch.resolve(writer);
            assertThat(run(ExampleClient.valueOf(writer), proxy.url(), cache)).isEqualTo(valuesFrom("server"));
            proxy.statuses().clear();
            for (String reader : LIBRARIES) {
                assertThat(run(ExampleClient.valueOf(reader), proxy.url(), cache))
                        .isEqualTo(valuesFrom("revalidated"));
            }
            assertThat(proxy.statuses()).containsExactly(304, 304, 304);
        }
    }

    /** The answer has the build-id of the build. */
    @ParameterizedTest
    @EnumSource(names = {"GO", "PYTHON", "C"})
    void buildIsFoundByAnAliasKey(ExampleClient client) throws Exception {
        for (String key : List.of(
                "go:aB-1~c_D", "htl:0123456789abcdef0123456789abcdef", "sha256:" + "0123456789abcdef".repeat(4))) {
            server.bean(BuildKeys.class).record(WHOLE, new FileKeys(List.of(BuildId.parseKey(key))), Origin.UPLOAD);
            Path cache = scratch.resolve(key.substring(0, 3));
            for (String source : List.of("server", "revalidated")) {
                assertThat(run(client, proxy.url(), key, cache)).as(key).isEqualTo(valuesFrom(source));
            }
        }
    }

    private Path onlyFile() throws IOException {
        try (Stream<Path> files = Files.list(scratch)) {
            List<Path> found = files.toList();
            assertThat(found).hasSize(1);
            return found.getFirst();
        }
    }

    @Test
    void ownTestsOfTheLibraryInGoPass() throws Exception {
        RequiredTool go = inEnvironment(ExampleClient.go());
        go.outputIn(ExampleClient.LIBRARIES.resolve("go"), "vet", ".");
        assertThat(go.outputIn(ExampleClient.LIBRARIES.resolve("go"), "test", "-count=1", "-v", "."))
                .contains("--- PASS: TestGoroutinesShareAClientAndASmallCache")
                .doesNotContain("SKIP");
    }

    @Test
    void ownTestsOfTheLibraryInPythonPass() throws Exception {
        // With a skipped test, unittest prints that to its standard error and succeeds; -W fails on unclosed responses.
        assertThat(inEnvironment(ExampleClient.python()).output("-W", "error", "-c", """
                                import unittest, test_offsetd
                                result = unittest.TestResult()
                                unittest.defaultTestLoader.loadTestsFromModule(test_offsetd).run(result)
                                print(result.testsRun, result.errors, result.failures, result.skipped)
                                """))
                .matches("\\d+ \\[] \\[] \\[]\n");
    }

    @Test
    void ownTestOfTheLibraryInCPasses() throws Exception {
        inEnvironment(ExampleClient.compiled(
                        ExampleClient.LIBRARIES.resolve("c/offsetd_test.c"),
                        folder.resolve("c-test"),
                        "-g",
                        "-fsanitize=address,undefined",
                        "-fno-sanitize-recover"))
                .output(server.url(), SmallBuild.ID, scratch.resolve("a/b"));
    }

    private static RequiredTool inEnvironment(RequiredTool tool) {
        return tool.with("OFFSETD_SERVER", server.url()).with("OFFSETD_BUILD", SmallBuild.ID);
    }

    @Test
    void examplesOfTheDocumentsRun() throws Exception {
        String expected = "server 4\n";
        Path go = Files.createDirectories(scratch.resolve("go"));
        Files.writeString(go.resolve("main.go"), example("go", "go"));
        Files.writeString(go.resolve("go.mod"), """
                module example
                go 1.19
                require offsetd v0.0.0
                replace offsetd => %s
                """.formatted(ExampleClient.LIBRARIES.resolve("go")));
        Path cache = scratch.resolve("cache");
        assertThat(ExampleClient.go().outputIn(go, "run", ".", server.url(), SmallBuild.ID, cache.resolve("go")))
                .isEqualTo(expected);

        Path python = Files.writeString(scratch.resolve("example.py"), example("python", "python"));
        assertThat(ExampleClient.python().output(python, server.url(), SmallBuild.ID, cache.resolve("python")))
                .isEqualTo(expected);

        Path c = Files.writeString(scratch.resolve("example.c"), example("c", "c"));
        assertThat(ExampleClient.compiled(c, scratch.resolve("example"))
                        .output(server.url(), SmallBuild.ID, cache.resolve("c")))
                .isEqualTo(expected);
    }

    /** Returns the only code block of a language in the document of a library. */
    private static String example(String library, String language) throws IOException {
        String document = Files.readString(ExampleClient.LIBRARIES.resolve(library + "/README.md"));
        Matcher block =
                Pattern.compile("```" + language + "\n(.*?)```", Pattern.DOTALL).matcher(document);
        assertThat(block.find()).as(library).isTrue();
        return block.group(1);
    }
}
