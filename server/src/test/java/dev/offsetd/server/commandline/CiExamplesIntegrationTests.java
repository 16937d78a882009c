package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/**
 * The shell steps of {@code examples/ci}, extracted from the files and run unchanged against a server. Scripts that
 * copy prepared files stand in for {@code docker}, {@code skopeo}, {@code apt-get} and {@code apt-cache}, because the
 * machine may have neither a container engine nor Ruby's packages.
 */
class CiExamplesIntegrationTests {

    private static final String OF_IMAGES = "44".repeat(20);
    private static final String OF_DEBIAN = "55".repeat(20);
    private static final String OWN = "66".repeat(20);

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Publisher publisher;
    private static Path checkout;
    private static Path tools;

    @BeforeAll
    static void start() throws Exception {
        SmallRuby ofImages = SmallRuby.compile(folder.resolve("images"), OF_IMAGES);
        SmallRuby ofDebian = SmallRuby.compile(folder.resolve("debian"), OF_DEBIAN);
        SmallRuby own = SmallRuby.compile(folder.resolve("own"), OWN);
        Path local = Files.createDirectories(folder.resolve("local"));
        ofDebian.putInto(local);
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.local-folders=" + local,
                "offsetd.upstreams.urls=",
                "offsetd.prewarms.poll=50ms");
        publisher = Publisher.of(server, "ci");
        checkout = Files.createDirectories(folder.resolve("checkout"));
        CommandLine.launcher(checkout.resolve("offsetd"));
        Path examples = Files.createDirectories(checkout.resolve("examples/ci"));
        try (Stream<Path> scripts = Files.list(Path.of("..", "examples", "ci"))) {
            for (Path script :
                    scripts.filter(file -> file.toString().endsWith(".sh")).toList()) {
                CommandLine.executable(Files.copy(script, examples.resolve(script.getFileName())));
            }
        }
        Files.createDirectories(folder.resolve("built/usr/bin"));
        Files.copy(own.library(), folder.resolve("built/usr/bin/program"));
        tools = Files.createDirectories(folder.resolve("tools"));
        standIns(
                ofImages.image(folder.resolve("image.tar")),
                ofImages.library(),
                ofDebian.debianPackage(folder.resolve("libruby3.4.deb")));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Creates the stand-ins. Each records its arguments. */
    private static void standIns(Path image, Path library, Path debianPackage) throws IOException {
        standIn("docker", """
                case $1 in
                    pull) echo "$3" ;;
                    create) echo 0123456789ab ;;
                    cp) cp '%s' "$3/" ;;
                    rm) echo "$2" ;;
                    save) cp '%s' "$3" ;;
                    *) exit 64 ;;
                esac
                """.formatted(library, image));
        standIn("skopeo", """
                [ "$1 $2" = 'copy --quiet' ] || exit 64
                cp '%s' "${4#docker-archive:}"
                """.formatted(image));
        standIn("apt-get", """
                case $1 in
                    update | install) ;;
                    download) shift; for name in "$@"; do cp '%s' "$name.deb"; done ;;
                    *) exit 64 ;;
                esac
                """.formatted(debianPackage));
        standIn("apt-cache", "printf 'libruby3.4\\nlibruby3.3\\nlibruby\\nlibruby-dev\\n'\n");
    }

    private static void standIn(String name, String body) throws IOException {
        Path script = tools.resolve(name);
        Files.writeString(script, "#!/bin/sh\necho \"%s $*\" >>'%s'\n%s".formatted(name, calls(), body));
        CommandLine.executable(script);
    }

    private static Path calls() {
        return folder.resolve("calls");
    }

    private static List<String> callsOf(ThrowingRun steps) throws Exception {
        Files.deleteIfExists(calls());
        steps.run();
        return Files.exists(calls()) ? Files.readAllLines(calls()) : List.of();
    }

    @FunctionalInterface
    private interface ThrowingRun {
        void run() throws Exception;
    }

    /** Runs a step as both CI services do: the shell exits at the first command that fails. */
    private static Run step(String script, Map<String, String> environment) throws Exception {
        assertThat(script).as("what the service would have put in").doesNotContain("${{");
        Map<String, String> all = new HashMap<>(environment);
        all.put("PATH", tools + ":" + System.getenv("PATH"));
        Run run = CommandLine.run(checkout, all, "sh", "-e", "-c", script);
        assertThat(run.exitCode()).as(script + "\n" + run.err()).isZero();
        return run;
    }

    private static Map<String, String> secrets() {
        return Map.of("OFFSETD_URL", server.url(), "OFFSETD_TOKEN", publisher.token());
    }

    private static JsonNode yaml(String file) throws IOException {
        Object document = new Yaml(new SafeConstructor(new LoaderOptions()))
                .load(Files.readString(Path.of("..", "examples", "ci").resolve(file)));
        return JsonMapper.shared().valueToTree(document);
    }

    private static String state(String buildId) {
        return Json.of(server.get("/v1/builds/" + buildId)).path("state").asString();
    }

    @Test
    void workflowOfGitHubPrewarmsImagesAndPackages() throws Exception {
        JsonNode workflow = yaml("github/prewarm-ruby.yml");
        assertThat(workflow.path("env").path("OFFSETD_URL").asString()).isEqualTo("${{ vars.OFFSETD_URL }}");
        assertThat(workflow.path("env").path("OFFSETD_TOKEN").asString()).isEqualTo("${{ secrets.OFFSETD_TOKEN }}");
        List<String> steps = new ArrayList<>();
        for (JsonNode job : workflow.path("jobs")) {
            for (JsonNode step : job.path("steps")) {
                if (step.has("run")) {
                    steps.add(step.path("run").asString());
                } else {
                    assertThat(step.path("uses").asString()).startsWith("actions/");
                }
            }
        }

        List<String> calls = callsOf(() -> {
            for (String step : steps) {
                step(step, secrets());
            }
        });

        assertThat(steps).hasSize(3);
        assertThat(calls)
                .contains("docker pull --quiet ruby:3.4", "docker rm 0123456789ab", "apt-get update")
                .contains("apt-get download libruby3.3 libruby3.4");
        assertThat(state(OF_IMAGES)).isEqualTo("extracted");
        assertThat(state(OF_DEBIAN)).isEqualTo("extracted");
    }

    @Test
    void jobsOfGitLabPrewarmImagesAndPackages() throws Exception {
        // Only an upload provides this build: no upstream has it.
        step("examples/ci/push-build.sh '" + folder.resolve("images") + "'", secrets());
        JsonNode jobs = yaml("gitlab/prewarm-ruby.gitlab-ci.yml");
        JsonNode template = jobs.path(".prewarm-ruby");

        List<String> calls = callsOf(() -> {
            for (String name : List.of("prewarm-ruby-images", "prewarm-ruby-debian")) {
                JsonNode job = jobs.path(name);
                assertThat(job.path("extends").asString()).isEqualTo(".prewarm-ruby");
                Map<String, String> environment = new HashMap<>(secrets());
                job.path("variables")
                        .properties()
                        .forEach(variable -> environment.put(
                                variable.getKey(), variable.getValue().asString()));
                for (JsonNode line : template.path("before_script")) {
                    step(line.asString(), environment);
                }
                for (JsonNode line : job.path("script")) {
                    step(line.asString(), environment);
                }
            }
        });

        assertThat(calls)
                .anyMatch(call ->
                        call.startsWith("skopeo copy --quiet docker://docker.io/library/ruby:3.4 docker-archive:"))
                .noneMatch(call -> call.startsWith("docker "));
        assertThat(state(OF_DEBIAN)).isEqualTo("extracted");
    }

    @Test
    void stageOfTheDockerfilePushesWhatWasBuilt() throws Exception {
        String dockerfile = Files.readString(Path.of("..", "examples", "ci", "Dockerfile"));
        Matcher stage = Pattern.compile("(?ms)^FROM \\S+ AS push$(.*?)^FROM ").matcher(dockerfile);
        assertThat(stage.find()).isTrue();
        List<String> runs = stage.group(1)
                .lines()
                .filter(line -> line.startsWith("RUN "))
                .map(line -> line.replaceFirst("^RUN (--mount=\\S+ )*", ""))
                .toList();
        Map<String, String> environment = new HashMap<>(secrets());
        environment.put("OFFSETD_HOME", checkout.toString());
        environment.put("BUILT", folder.resolve("built").toString());

        assertThat(runs).hasSize(1);
        step(runs.getFirst(), environment);

        assertThat(state(OWN)).isEqualTo("extracted");
        assertThat(folder.resolve("built.pushed")).exists();
    }

    @Test
    void pipelineIsRedWhereABuildIsMissing() throws Exception {
        Map<String, String> environment = new HashMap<>(secrets());
        Path empty = SmallRuby.compile(folder.resolve("missing"), "77".repeat(20))
                .debianPackage(folder.resolve("missing.deb"));
        Path standIns = Files.createDirectories(folder.resolve("other-tools"));
        Files.writeString(standIns.resolve("apt-get"), "#!/bin/sh\ncp '%s' .\n".formatted(empty));
        CommandLine.executable(standIns.resolve("apt-get"));
        environment.put("PATH", standIns + ":" + System.getenv("PATH"));

        Run run = CommandLine.run(checkout, environment, "sh", "-e", "-c", "examples/ci/prewarm-debian.sh libruby3.4");

        assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
        assertThat(run.out()).contains("77".repeat(4)).contains("not_found");
    }
}
