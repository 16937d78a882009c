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
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * {@code prewarm-interpreters.sh} with a real registry, skopeo, and images for two architectures. In place of a container
 * engine, a script runs {@code build-interpreter.sh} on this machine, with small sources that configure and make build.
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
        RequiredTool.require("make");
        registry = LoopbackRegistry.start(folder.resolve("registry"));
        server = TestServer.start(
                folder.resolve("data"), TestDatabase.create(), "offsetd.upstreams.urls=", "offsetd.work.poll=50ms");
        publisher = Publisher.of(server, "ci");
        registry.push(
                "library/ruby",
                "3.3",
                LIBRARY,
                Map.of("amd64", ruby("aa").library(), "arm64", ruby("bb").library()));
        registry.tag(
                "library/ruby", "3.3", "3.3-slim", "3.3.9", "3.3.10", "3.3.10-slim", "3.3-rc", "3.3-windowsservercore");
        registry.push(
                "library/ruby",
                "3.4",
                LIBRARY,
                Map.of("amd64", ruby("cc").stripped(), "arm64", ruby("dd").stripped()));
        registry.push("library/ruby", "3.1", LIBRARY, Map.of("amd64", ruby("ee").library()));
        registry.tag("library/ruby", "3.1", "3.1.9", "3.4.2");
        registry.pushSingle("team/app", "1", "amd64", LIBRARY, ruby("ff").library());

        release = Files.createDirectories(folder.resolve("release"));
        CommandLine.launcher(release.resolve("offsetd"));
        Path scripts = Files.createDirectories(release.resolve("share/ci"));
        for (String script : List.of("common.sh", "prewarm-interpreters.sh", "build-interpreter.sh")) {
            CommandLine.executable(Files.copy(Path.of("..", "examples", "ci", script), scripts.resolve(script)));
        }
        Path source = source("ruby-source", "libruby.so.3.4.1", "-Wl,--build-id=0x" + "cc".repeat(20));
        image("ruby", "ruby", "printf %s \"'--enable-shared' 'optflags=-O1 -g'\"");
        // The image for arm64 has another hash than that of the source.
        script(release.resolve("engine"), """
                echo "$*" >>'%1$s/engine-calls'
                [ "$1" = run ] || exit 0
                for argument; do
                    case $argument in
                        linux/amd64) hash=%2$s ;;
                        linux/arm64) hash=%3$s ;;
                        *:/build-interpreter.sh:ro) script=${argument%%%%:*} ;;
                        *:/built) output=${argument%%%%:*} ;;
                    esac
                done
                rm -rf '%1$s/building'
                exec env PATH='%1$s/ruby-image':"$PATH" RUBY_DOWNLOAD_URL='file://%4$s' RUBY_DOWNLOAD_SHA256="$hash" \
                    sh "$script" ruby "$output" '%1$s/building'
                """.formatted(folder, hash(source), "0".repeat(64), source));
    }

    /** A source of {@link SmallRuby} whose configure takes options as the real ones do. */
    private static Path source(String name, String output, String options) throws Exception {
        Path tree = Files.createDirectories(folder.resolve(name).resolve("release-1.0"));
        Files.copy(ruby("ab").library().resolveSibling("ruby.c"), tree.resolve("ruby.c"));
        script(tree.resolve("configure"), """
                printf '%%s\\n' "${CFLAGS:-}" "$@" >../configured
                flags=${CFLAGS:--g}
                for option; do
                    case $option in optflags=*) flags=${option#*=} ;; esac
                done
                printf 'all:\\n\\tgcc %%s -shared -fPIC %s -o %s ruby.c\\n' "$flags" >Makefile
                """.formatted(options, output));
        Path archive = folder.resolve(name + ".tar.xz");
        Run run = CommandLine.run(
                folder,
                Map.of(),
                "tar",
                "-C",
                folder.resolve(name).toString(),
                "-cJf",
                archive.toString(),
                "release-1.0");
        assertThat(run.exitCode()).as(run.err()).isZero();
        return archive;
    }

    /** Programs on the PATH of an image: packages are not installed, and a program prints how it was configured. */
    private static void image(String language, String program, String body) throws IOException {
        Path bin = Files.createDirectories(folder.resolve(language + "-image"));
        script(bin.resolve("apt-get"), "echo \"$*\" >>'" + folder.resolve("apt-calls") + "'\n");
        script(bin.resolve(program), body + "\n");
    }

    private static String hash(Path file) throws IOException {
        return DigestUtils.sha256Hex(Files.readAllBytes(file));
    }

    private static void script(Path file, String body) throws IOException {
        CommandLine.executable(Files.writeString(file, "#!/bin/sh\nset -eu\n" + body));
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

    private static JsonNode results(String report) throws IOException {
        return JsonMapper.shared().readTree(Files.readString(folder.resolve(report)));
    }

    @Test
    void supportedVersionsAreThoseOfTheRegistry() throws Exception {
        Run run = script(Map.of(), "versions", "ruby");

        assertThat(run.out()).as(run.err()).isEqualTo("[\"3.3\",\"3.4\"]\n");
    }

    @Test
    void lastPatchReleasesAreThoseWithTheHighestNumbers() throws Exception {
        Run last = script(Map.of("PATCHES", "1"), "versions", "ruby");
        Run lastTwo = script(Map.of("PATCHES", "2"), "versions", "ruby");

        assertThat(last.out()).as(last.err()).isEqualTo("[\"3.3.10\",\"3.4.2\"]\n");
        assertThat(lastTwo.out()).as(lastTwo.err()).isEqualTo("[\"3.3.9\",\"3.3.10\",\"3.4.2\"]\n");
    }

    @Test
    void variantsAreTheTagsOfTheVersionWithoutPrereleases() throws Exception {
        Run run = script(Map.of(), "ruby", "3.3");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .containsExactly(
                        "ruby:3.3 amd64 complete",
                        "ruby:3.3 arm64 complete",
                        "ruby:3.3-slim amd64 complete",
                        "ruby:3.3-slim arm64 complete");
        assertThat(state("aa")).isEqualTo("extracted");
        assertThat(state("bb")).isEqualTo("extracted");
    }

    @Test
    void variantsThatPatternsDoNotNameAreLeftOut() throws Exception {
        Run run = script(Map.of("VARIANTS", "alpine* sl?m", "ARCHITECTURES", "amd64"), "ruby", "3.3.10", "3.3.9");

        assertThat(run.out().lines().map(line -> line.replaceAll(" +", " ")))
                .as(run.err())
                .containsExactly(
                        "ruby:3.3.10-slim amd64 complete",
                        "ruby:3.3.9 - not offered",
                        " next: see the tags with skopeo list-tags docker://" + registry.host() + "/library/ruby");
    }

    @Test
    void architectureThatAnImageLacksIsNotOffered() throws Exception {
        Run index = script(Map.of(), "ruby", "3.1");
        Run single = script(Map.of(), "ruby", registry.host() + "/team/app:1");

        assertThat(index.exitCode()).as(index.out() + index.err()).isZero();
        assertThat(index.out())
                .containsPattern("(?m)^ruby:3.1 +amd64  complete$")
                .containsPattern("(?m)^ruby:3.1 +arm64  not offered$");
        assertThat(single.exitCode()).as(single.out() + single.err()).isZero();
        assertThat(single.out())
                .containsPattern("(?m)/team/app:1 +amd64  complete$")
                .containsPattern("(?m)/team/app:1 +arm64  not offered$");
        assertThat(state("ff")).isEqualTo("extracted");
    }

    @Test
    void readyContentIsNotDownloadedAgain() throws Exception {
        Map<String, String> remembering =
                Map.of("READY", folder.resolve("ready/digests").toString(), "ARCHITECTURES", "amd64");
        long before = registry.downloads();
        script(remembering, "ruby", "3.3");
        long first = registry.downloads();

        Run second = script(remembering, "ruby", "3.3", "3.3.9");
        long again = registry.downloads();

        assertThat(first - before)
                .as("a layer and a configuration, for two tags")
                .isEqualTo(2);
        assertThat(second.exitCode()).as(second.out() + second.err()).isZero();
        assertThat(second.out()).containsPattern("(?m)^ruby:3.3.9 +amd64  complete$");
        assertThat(again).isEqualTo(first);
    }

    @Test
    void contentThatTheServerNoLongerHasIsDownloadedAgain() throws Exception {
        Path ready = folder.resolve("other-ready");
        Map<String, String> environment =
                Map.of("READY", ready.toString(), "VARIANTS", "default", "ARCHITECTURES", "amd64");
        script(environment, "ruby", "3.3");
        Files.writeString(ready, Files.readString(ready).replace("aa".repeat(20), "a9".repeat(20)));
        long before = registry.downloads();

        Run run = script(environment, "ruby", "3.3");

        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(registry.downloads()).isGreaterThan(before);
        assertThat(Files.readAllLines(ready)).last().asString().endsWith("aa".repeat(20));
    }

    @Test
    void resultsAreATableOfTheJobAndADocument() throws Exception {
        Path summary = folder.resolve("summary.md");
        Files.writeString(summary, "of an earlier step\n");

        script(Map.of("GITHUB_STEP_SUMMARY", summary.toString(), "REPORT", "report/results.json"), "ruby", "3.1");

        assertThat(summary).hasContent("""
                of an earlier step
                ### ruby 3.1

                | item | architecture | result | next |
                |---|---|---|---|
                | `ruby:3.1` | amd64 | complete |  |
                | `ruby:3.1` | arm64 | not offered |  |

                """);
        JsonNode complete = results("report/results.json").get(0);
        assertThat(complete.path("status").asString()).isEqualTo("complete");
        assertThat(complete.path("digest").asString()).matches("sha256:[0-9a-f]{64}");
        assertThat(complete.at("/prewarm/builds/0/buildId").asString()).isEqualTo("ee".repeat(20));
        assertThat(results("report/results.json").get(1).path("status").asString())
                .isEqualTo("not offered");
    }

    @Test
    void restrictedRegistryTakesTheCredentialsOfAnyTool() throws Exception {
        RequiredTool skopeo = RequiredTool.require("skopeo");
        try (LoopbackRegistry restricted = registry.restricted("ci", "pass word")) {
            Path home = Files.createDirectories(folder.resolve("empty-home"));
            Map<String, String> anonymous =
                    Map.of("REGISTRY", restricted.host() + "/library", "VARIANTS", "default", "HOME", home.toString());
            String basic = Base64.getEncoder().encodeToString("ci:pass word".getBytes(StandardCharsets.UTF_8));
            Path docker = Files.createDirectories(folder.resolve("docker"));
            Files.writeString(
                    docker.resolve("config.json"),
                    "{\"auths\": {\"%s\": {\"auth\": \"%s\"}}}".formatted(restricted.host(), basic));
            Path login = folder.resolve("login.json");
            skopeo.output(
                    "login",
                    "--authfile",
                    login,
                    "--tls-verify=false",
                    "--username",
                    "ci",
                    "--password",
                    "pass word",
                    restricted.host());

            Run refused = script(anonymous, "ruby", "3.3");
            Run wrong =
                    script(with(anonymous, "REGISTRY_USER", "ci", "REGISTRY_PASSWORD", "other"), "versions", "ruby");
            Run variables = script(
                    with(anonymous, "REGISTRY_USER", "ci", "REGISTRY_PASSWORD", "pass word"), "versions", "ruby");
            Run ofSkopeo = script(with(anonymous, "REGISTRY_AUTH_FILE", login.toString()), "versions", "ruby");
            Run built = script(
                    with(anonymous, "DOCKER_CONFIG", docker.toString(), "ARCHITECTURES", "amd64"), "ruby", "3.4");

            assertThat(refused.exitCode()).isEqualTo(1);
            assertThat(refused.out()).contains("ruby:3.3", "not checked", "next: log in to the registry of ");
            assertThat(wrong.exitCode()).isEqualTo(1);
            assertThat(wrong.err()).contains("invalid username/password");
            for (Run run : List.of(variables, ofSkopeo)) {
                assertThat(run.out()).as(run.err()).isEqualTo("[\"3.3\",\"3.4\"]\n");
            }
            assertThat(built.exitCode()).as(built.out() + built.err()).isZero();
            assertThat(built.out())
                    .as("the engine builds in the image that was downloaded")
                    .containsPattern("(?m)^ruby:3.4 +amd64  complete$");
        }
    }

    private static Map<String, String> with(Map<String, String> environment, String... variables) {
        Map<String, String> all = new HashMap<>(environment);
        for (int i = 0; i < variables.length; i += 2) {
            all.put(variables[i], variables[i + 1]);
        }
        return all;
    }

    @Test
    void strippedInterpretersAreBuiltFromSourceAndOneFailureDoesNotStopTheRest() throws Exception {
        Run run = script(Map.of("VARIANTS", "default"), "ruby", "3.4", "3.3");

        assertThat(run.exitCode()).as(run.out() + run.err()).isEqualTo(3);
        assertThat(run.out())
                .containsPattern("(?m)^ruby:3.4 +amd64  complete$")
                .containsPattern("(?m)^ruby:3.4 +arm64  incomplete$")
                .contains("    next: no source has debug information of libruby.so.3.4.1 " + "dd".repeat(20)
                        + ": upload it with offsetd push, ")
                .contains("; its build from source failed, see above")
                .containsPattern("(?m)^ruby:3.3 +arm64  complete$");
        assertThat(state("cc")).isEqualTo("extracted");
        assertThat(Files.readAllLines(folder.resolve("engine-calls")))
                .as("the engine gets the image that was downloaded")
                .anyMatch(call -> call.startsWith("load --quiet --input /"))
                .anyMatch(call -> call.startsWith("run --rm --pull never ")
                        && call.endsWith(" localhost/offsetd-prewarm:amd64 /build-interpreter.sh ruby /built"))
                .contains("rmi --force localhost/offsetd-prewarm:amd64");
        assertThat(run.err()).as("the hash of the other source").contains("source: FAILED");
        assertThat(folder.resolve("apt-calls")).content().contains("install --yes --no-install-recommends autoconf ");
    }

    @Test
    void recordedOptionsOfPhpGetDebugInformation() throws Exception {
        image("php", "php-config", "printf %s \"'--with-x=a b' '--enable-y'\"");
        Path source = source("php-source", "php", "-DPHP");

        List<String> configured = build(
                "php", "php", Map.of("PHP_URL", "file://" + source, "PHP_SHA256", hash(source), "PHP_CFLAGS", "-O2"));

        assertThat(configured).containsExactly("-O2 -g", "--with-x=a b", "--enable-y");
    }

    @Test
    void recordedOptionsOfPythonDoNotStrip() throws Exception {
        Path source = source("python-source", "libpython3.13.so.1.0", "-DPYTHON");
        image("python", "python3", "printf %s \"'--enable-shared' 'LDFLAGS=-Wl,--strip-all'\"");
        // The address is that of python.org.
        image("python", "curl", "echo \"$4\" >'" + folder.resolve("python-address") + "'; cp '" + source + "' \"$3\"");

        List<String> configured = build(
                "python", "libpython3.13.so.1.0", Map.of("PYTHON_VERSION", "3.13.0rc1", "PYTHON_SHA256", hash(source)));

        assertThat(configured).containsExactly("", "--enable-shared", "LDFLAGS=");
        assertThat(folder.resolve("python-address"))
                .hasContent("https://www.python.org/ftp/python/3.13.0/Python-3.13.0rc1.tar.xz");
    }

    @Test
    void buildWithoutTheLibraryOfTheInterpreterFails() throws Exception {
        image("other", "php-config", "");
        Path source = source("other-source", "other", "-DPHP");

        Run run = run("other", "php", Map.of("PHP_URL", "file://" + source, "PHP_SHA256", hash(source)));

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("the build made no file named php libphp.so");
    }

    /** Builds an interpreter, expects this file with debug information, and returns what configure was given. */
    private static List<String> build(String language, String file, Map<String, String> environment) throws Exception {
        Run run = run(language, language, environment);
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        assertThat(RequiredTool.require("readelf")
                        .output("-SW", folder.resolve(language + "-built").resolve(file)))
                .contains(".debug_info");
        return Files.readAllLines(folder.resolve(language + "-building/configured"));
    }

    private static Run run(String image, String language, Map<String, String> environment) throws Exception {
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", folder.resolve(image + "-image") + ":" + System.getenv("PATH"));
        return CommandLine.run(
                folder,
                all,
                release.resolve("share/ci/build-interpreter.sh").toString(),
                language,
                Files.createDirectories(folder.resolve(image + "-built")).toString(),
                folder.resolve(image + "-building").toString());
    }

    @Test
    void unreachableRegistryIsAFailureThatSaysWhatToDo() throws Exception {
        Run run = script(Map.of("REGISTRY", "127.0.0.1:1/library", "VARIANTS", "default"), "ruby", "3.3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .containsPattern("(?m)^ruby:3.3 +- +not checked$")
                .contains("    next: see the error above, and run again");
        assertThat(run.err()).contains("connection refused");
    }

    @Test
    void unreachableServerIsAFailureThatSaysWhatToDo() throws Exception {
        Run run = script(
                Map.of("OFFSETD_URL", "http://127.0.0.1:1", "VARIANTS", "default", "ARCHITECTURES", "amd64"),
                "ruby",
                "3.3");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out())
                .containsPattern("(?m)^ruby:3.3 +amd64  not checked$")
                .contains("    next: check OFFSETD_URL and OFFSETD_TOKEN (scope publish), and run again");
    }

    @Test
    void imageWithoutTheInterpreterIsAFailureThatSaysWhatToDo() throws Exception {
        Run run = script(Map.of("ARCHITECTURES", "amd64"), "php", registry.host() + "/team/app:1");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.out()).contains("not checked", "next: it has no file named php libphp.so: leave it out");
    }
}
