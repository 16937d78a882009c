package dev.offsetd.server.answers.offsets;

import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.FALLBACK;
import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.PROGRAM;
import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.WHOLE;
import static dev.offsetd.server.answers.offsets.ExampleClientsIntegrationTests.valuesFrom;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.FileKeys;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.Readelf;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.testkit.DocumentWalk;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.InputStream;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
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
        return built.output(url, key, cache, PROGRAM[0], PROGRAM[1], PROGRAM[2])
                .lines()
                .toList();
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
        proxy.answer(new MockResponse.Builder().body(" ".repeat(9 << 20)).build());
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
        String resource = "/fixtures/gcc12-dwarf5-x86_64-el/layout.debug";
        Path library = scratch.resolve("layout.debug");
        try (InputStream in = ClientLibrariesIntegrationTests.class.getResourceAsStream(resource)) {
            Files.copy(Objects.requireNonNull(in, resource), library);
        }
        String id = Readelf.buildId(library);
        assertThat(Publisher.of(server, "c")
                        .put(server, id, Files.readAllBytes(library))
                        .statusCode())
                .isEqualTo(201);
        String[] function = RequiredTool.require("readelf")
                .output("--symbols", "--wide", library)
                .lines()
                .filter(line -> line.contains(" FUNC "))
                .findFirst()
                .orElseThrow()
                .strip()
                .split(" +", -1);
        inEnvironment(ExampleClient.compiled(
                        ExampleClient.LIBRARIES.resolve("c/offsetd_test.c"),
                        folder.resolve("c-test"),
                        "-g",
                        "-fsanitize=address,undefined",
                        "-fno-sanitize-recover"))
                .output(server.url(), SmallBuild.ID, scratch.resolve("a/b"), id, function[1], function[7]);
    }

    private static RequiredTool inEnvironment(RequiredTool tool) {
        return tool.with("OFFSETD_URL", server.url()).with("OFFSETD_BUILD", SmallBuild.ID);
    }

    @Test
    void examplesOfTheDocumentsRun() throws Exception {
        Path file = Files.write(scratch.resolve("file"), SmallBuild.debugFile());
        Path cache = scratch.resolve("cache");
        Path go = scratch.resolve("go");
        ExampleClient.module(go, example("go", "go"));
        assertThat(ExampleClient.go().outputIn(go, "run", ".", server.url(), file, cache.resolve("go")))
                .isEqualTo("server 4 false\n");

        Path python = Files.writeString(scratch.resolve("example.py"), example("python", "python"));
        assertThat(ExampleClient.python().output(python, server.url(), file, cache.resolve("python")))
                .isEqualTo("server 4 False\n");

        // The way of another project: two files, and the command of the document.
        RequiredTool.require("pkg-config");
        Files.writeString(scratch.resolve("example.c"), example("c", "c"));
        for (String name : List.of("offsetd.c", "offsetd.h")) {
            Files.copy(ExampleClient.LIBRARIES.resolve("c").resolve(name), scratch.resolve(name));
        }
        new DocumentWalk(scratch).follow(ExampleClient.LIBRARIES.resolve("c/README.md"));
        assertThat(RequiredTool.at(scratch.resolve("example")).output(server.url(), file, cache.resolve("c")))
                .isEqualTo("server 4 0\n");
    }

    @Test
    void moduleInGoIsTakenFromARepositoryOrACheckout() throws Exception {
        RequiredTool git = RequiredTool.require("git")
                .with("GIT_AUTHOR_NAME", "test")
                .with("GIT_AUTHOR_EMAIL", "test@example.org")
                .with("GIT_COMMITTER_NAME", "test")
                .with("GIT_COMMITTER_EMAIL", "test@example.org");
        Path repository = Files.createDirectories(scratch.resolve("repository"));
        copy(ExampleClient.LIBRARIES.resolve("go"), repository.resolve("clients/go"));
        git.outputIn(repository, "init", "--quiet");
        git.outputIn(repository, "add", ".");
        git.outputIn(repository, "commit", "--quiet", "--message=Clients");
        git.outputIn(repository, "tag", "clients/go/v0.1.0");
        Path program = Files.createDirectories(scratch.resolve("program"));
        Files.writeString(program.resolve("main.go"), example("go", "go"));
        String module = "module example\n\ngo 1.19\n";
        DocumentWalk walk = new DocumentWalk(program)
                .replacing("HOST/REPOSITORY", "example.org/offsetd")
                .replacing("VERSION", "v0.1.0")
                .replacing("PATH", repository.toString())
                .with("GIT_CONFIG_COUNT", 1)
                .with("GIT_CONFIG_KEY_0", "url." + repository.toUri() + ".insteadOf")
                .with("GIT_CONFIG_VALUE_0", "https://example.org/offsetd")
                .with("GOPROXY", "direct")
                .with("GOSUMDB", "off")
                .with("GOTOOLCHAIN", "local")
                .with("GOFLAGS", "-modcacherw")
                .with("GOPATH", scratch.resolve("gopath"));
        RequiredTool.require("go");
        List<DocumentWalk.Step> steps = DocumentWalk.steps(ExampleClient.LIBRARIES.resolve("go/README.md"));
        assertThat(steps).hasSize(2);
        for (DocumentWalk.Step step : steps) {
            Files.writeString(program.resolve("go.mod"), module);
            walk.run(step);
            walk.run(new DocumentWalk.Step(step.document(), step.heading(), "go mod tidy && go vet .", ""));
        }
        walk.assertAllUsed();
    }

    @Test
    void packageInPythonIsInstalledWithoutTracesInTheCheckout() throws Exception {
        Path sources = scratch.resolve("checkout/clients/python");
        copy(ExampleClient.LIBRARIES.resolve("python"), sources);
        List<Path> before = files(sources);
        RequiredTool.at(Path.of("/usr/bin/python3")).output("-m", "venv", scratch.resolve("venv"));
        Path programs = scratch.resolve("venv/bin");
        try {
            RequiredTool.at(programs.resolve("pip"))
                    .output("download", "--quiet", "--no-deps", "-d", scratch.resolve("backend"), "flit_core");
        } catch (IOException e) {
            throw RequiredTool.unavailable("pip cannot download the build backend: " + e.getMessage());
        }
        DocumentWalk walk = new DocumentWalk(scratch)
                .with("PATH", programs + ":" + System.getenv("PATH"))
                .with("PIP_NO_INDEX", 1)
                .with("PIP_FIND_LINKS", scratch.resolve("backend"))
                .replacing("PATH/clients/python", sources.toString());
        walk.run(DocumentWalk.steps(ExampleClient.LIBRARIES.resolve("python/README.md"))
                .getFirst());
        assertThat(files(sources)).isEqualTo(before);
        Path file = Files.write(scratch.resolve("file"), SmallBuild.debugFile());
        Path example = Files.writeString(scratch.resolve("example.py"), example("python", "python"));
        assertThat(RequiredTool.at(programs.resolve("python"))
                        .output(example, server.url(), file, scratch.resolve("cache")))
                .isEqualTo("server 4 False\n");
    }

    private static void copy(Path from, Path to) throws IOException {
        for (Path file : files(from)) {
            if (!file.toString().contains("__pycache__")) {
                Path copied = to.resolve(from.relativize(file));
                Files.createDirectories(copied.getParent());
                Files.copy(file, copied);
            }
        }
    }

    private static List<Path> files(Path folder) throws IOException {
        try (Stream<Path> files = Files.walk(folder)) {
            return files.filter(Files::isRegularFile).sorted().toList();
        }
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
