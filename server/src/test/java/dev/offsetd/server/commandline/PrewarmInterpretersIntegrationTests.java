package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.LoopbackRegistry;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * {@code prewarm-interpreters.sh} with a real registry, skopeo, and images for two architectures. A script stands in for
 * the container engine that builds from source.
 */
class PrewarmInterpretersIntegrationTests {

    private static final String LIBRARY = "/usr/local/lib/libruby.so.3.4.1";

    @TempDir
    private static Path folder;

    private static LoopbackRegistry registry;
    private static TestServer server;
    private static Publisher publisher;
    private static Path release;

    @BeforeAll
    static void start() throws Exception {
        RequiredTool.require("skopeo");
        RequiredTool.require("jq");
        registry = LoopbackRegistry.start(folder.resolve("registry"));
        server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.upstreams.urls=", "offsetd.prewarms.poll=50ms");
        publisher = Publisher.of(server, "ci");
        SmallRuby built = ruby("cc");
        registry.push(
                "library/ruby",
                "3.3",
                LIBRARY,
                Map.of("amd64", ruby("aa").library(), "arm64", ruby("bb").library()));
        registry.push(
                "library/ruby",
                "3.4",
                LIBRARY,
                Map.of("amd64", built.stripped(), "arm64", ruby("dd").stripped()));
        registry.push("library/ruby", "3.1", LIBRARY, Map.of("amd64", ruby("ee").library()));

        release = Files.createDirectories(folder.resolve("release"));
        CommandLine.launcher(release.resolve("offsetd"));
        Path scripts = Files.createDirectories(release.resolve("share/ci"));
        CommandLine.executable(Files.copy(
                Path.of("..", "examples", "ci", "prewarm-interpreters.sh"),
                scripts.resolve("prewarm-interpreters.sh")));
        // Builds the interpreter of amd64 only.
        Files.writeString(release.resolve("engine"), """
                #!/bin/sh
                echo "$*" >>'%s'
                for argument; do
                    case $argument in
                        linux/arm64) echo 'no compiler' >&2; exit 1 ;;
                        *:/built) cp '%s' "${argument%%:/built}/" ;;
                    esac
                done
                """.formatted(folder.resolve("engine-calls"), built.library()));
        CommandLine.executable(release.resolve("engine"));
    }

    @AfterAll
    static void stop() {
        server.close();
        registry.close();
    }

    private static SmallRuby ruby(String octet) throws Exception {
        return SmallRuby.compile(folder.resolve(octet), octet.repeat(20));
    }

    private static Run script(Map<String, String> environment, String... arguments) throws Exception {
        Map<String, String> all = new HashMap<>(Map.of(
                "OFFSETD_URL", server.url(),
                "OFFSETD_TOKEN", publisher.token(),
                "REGISTRY", registry.host() + "/library",
                "REGISTRY_TLS", "false",
                "ENGINE", release.resolve("engine").toString()));
        all.putAll(environment);
        String[] command = new String[arguments.length + 1];
        command[0] = release.resolve("share/ci/prewarm-interpreters.sh").toString();
        System.arraycopy(arguments, 0, command, 1, arguments.length);
        return CommandLine.run(folder, all, command);
    }

    private static String state(String octet) {
        return Json.of(server.get("/v1/builds/" + octet.repeat(20)))
                .path("state")
                .asString();
    }

    @Test
    void supportedVersionsAreThoseOfTheRegistry() throws Exception {
        Run run = script(Map.of(), "versions", "ruby");

        assertThat(run.out()).as(run.err()).isEqualTo("[\"3.3\",\"3.4\"]\n");
    }

    @Test
    void imagesOfBothArchitecturesAreUploadedAndMissingVariantsAreNoFailure() throws Exception {
        Run run = script(Map.of("VARIANTS", "default slim"), "ruby", "3.3");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out())
                .containsPattern("(?m)^ruby:3.3 +amd64  complete$")
                .containsPattern("(?m)^ruby:3.3 +arm64  complete$")
                .containsPattern("(?m)^ruby:3.3-slim +amd64  not offered$");
        assertThat(state("aa")).isEqualTo("extracted");
        assertThat(state("bb")).isEqualTo("extracted");
    }

    @Test
    void strippedInterpretersAreBuiltFromSourceAndOneFailureDoesNotStopTheRest() throws Exception {
        Run run = script(Map.of("VARIANTS", "default"), "ruby", "3.4", "3.3");

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(3);
        assertThat(run.out())
                .containsPattern("(?m)^ruby:3.4 +amd64  complete$")
                .containsPattern("(?m)^ruby:3.4 +arm64  lacks something that @ruby requires$")
                .containsPattern("(?m)^ruby:3.3 +arm64  complete$");
        assertThat(state("cc")).isEqualTo("extracted");
        assertThat(folder.resolve("engine-calls"))
                .content()
                .contains("--platform linux/amd64 ", registry.host() + "/library/ruby:3.4 /build-interpreter.sh ruby");
    }

    @Test
    void unreachableRegistryIsAFailureWithoutAnyImageChecked() throws Exception {
        Run run = script(Map.of("REGISTRY", "127.0.0.1:1/library", "VARIANTS", "default"), "ruby", "3.3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("not checked: the registry failed");
    }
}
