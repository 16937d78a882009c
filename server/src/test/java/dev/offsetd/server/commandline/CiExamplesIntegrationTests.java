package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.DocumentWalk;
import dev.offsetd.server.testkit.IssueTracker;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.LoopbackRegistry;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.regex.MatchResult;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.yaml.snakeyaml.LoaderOptions;
import org.yaml.snakeyaml.Yaml;
import org.yaml.snakeyaml.constructor.SafeConstructor;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/**
 * The author of a pipeline copies the files of {@code examples/ci} and reads their README. The shell steps run unchanged,
 * with the archive of a release, a registry, a server, and the issues of a fake service. The test does what the actions for
 * caches and artefacts do. A script stands in for installing packages.
 */
@Timeout(600)
class CiExamplesIntegrationTests {

    private static final Path EXAMPLES =
            Path.of("..", "examples", "ci").toAbsolutePath().normalize();
    private static final Pattern EXPRESSION = Pattern.compile("\\$\\{\\{ *(.*?) *\\}\\}");
    private static final String LIBRARY = "/usr/local/lib/libruby.so.3.4.1";
    private static final String OF_IMAGES = "44".repeat(20);
    private static final String RELEASED = "55".repeat(20);
    private static final String LACKING = "56".repeat(20);
    private static final String REQUESTED = "77".repeat(20);
    private static final String OWN = "66".repeat(20);

    @TempDir
    private static Path folder;

    private static final TestDatabase database = TestDatabase.create();
    private static TestServer server;
    private static LoopbackRegistry registry;
    private static Path archive;
    private static Path tools;
    private static Publisher publisher;
    private static Path published;

    /** State that the test keeps for a service: the caches by key, and the artefacts by name. */
    private Path caches;

    private Path artefacts;

    @BeforeAll
    static void start() throws Exception {
        for (String tool : List.of("skopeo", "jq", "curl", "zstd", "umoci", "docker-registry")) {
            RequiredTool.require(tool);
        }
        published = Files.createDirectories(folder.resolve("published"));
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.local-folders=",
                "offsetd.watches.folders=" + published,
                "offsetd.watches.poll=50ms",
                "offsetd.upstreams.urls=",
                "offsetd.demand.flush=20ms",
                "offsetd.work.poll=50ms");
        publisher = Publisher.of(server, "ci");
        registry = LoopbackRegistry.start(folder.resolve("registry"));
        Path ofImages = ruby(OF_IMAGES).library();
        registry.push("library/ruby", "3.3", LIBRARY, Map.of("amd64", ofImages));
        registry.tag("library/ruby", "3.3", "3.4", "3.4-slim", "3.3.9", "3.3.10", "3.4.8", "3.4.9");
        registry.pushSingle("library/php", "8.4", "amd64", LIBRARY, ofImages);
        registry.pushSingle("library/python", "3.13", "amd64", LIBRARY, ofImages);
        Path release = Files.createDirectories(folder.resolve("offsetd-0.1.0-linux-amd64"));
        CommandLine.launcher(release.resolve("offsetd"));
        copyScripts(Files.createDirectories(release.resolve("share/ci")));
        archive = folder.resolve("offsetd.tar.zst");
        RequiredTool.require("tar").output("-C", folder, "--zstd", "-cf", archive, release.getFileName());
        tools = Files.createDirectories(folder.resolve("tools"));
        CommandLine.executable(Files.writeString(tools.resolve("apt-get"), "#!/bin/sh\n"));
    }

    private static SmallRuby ruby(String buildId) throws IOException {
        return SmallRuby.compile(folder.resolve(buildId), buildId);
    }

    private static void copyScripts(Path target) throws IOException {
        try (Stream<Path> files = Files.list(EXAMPLES)) {
            for (Path file :
                    files.filter(file -> file.toString().endsWith(".sh")).toList()) {
                CommandLine.executable(Files.copy(file, target.resolve(file.getFileName())));
            }
        }
    }

    @BeforeEach
    void keep() throws IOException {
        caches = Files.createTempDirectory(folder, "caches");
        artefacts = Files.createTempDirectory(folder, "artefacts");
    }

    @AfterAll
    static void stop() {
        server.close();
        registry.close();
    }

    private static Map<String, String> environment() {
        return Map.of(
                "PATH",
                tools + ":" + System.getenv("PATH"),
                "REGISTRY",
                registry.host() + "/library",
                "REGISTRY_TLS",
                "false",
                "ENGINE",
                "false",
                "GITHUB_STEP_SUMMARY",
                folder.resolve("summary").toString());
    }

    /** Settings of an administrator of a project, by the names of GitHub. */
    private static Map<String, String> settings() throws IOException {
        return Map.of(
                "vars.OFFSETD_URL", server.url(),
                "vars.OFFSETD_ARCHIVE", archive.toUri().toString(),
                "vars.OFFSETD_SHA256", DigestUtils.sha256Hex(Files.readAllBytes(archive)),
                "vars.REGISTRY", registry.host() + "/library",
                "secrets.OFFSETD_TOKEN", publisher.token());
    }

    private static JsonNode yaml(String file) throws IOException {
        Object document =
                new Yaml(new SafeConstructor(new LoaderOptions())).load(Files.readString(EXAMPLES.resolve(file)));
        return JsonMapper.shared().valueToTree(document);
    }

    /** Runs a step as both CI services do: the shell exits at the first command that fails. */
    private static Run step(Path workspace, String script, Map<String, String> environment) throws Exception {
        assertThat(script).as("what the service would have put in").doesNotContain("${{");
        return CommandLine.run(workspace, environment, "sh", "-e", "-c", script);
    }

    private static Run requireSuccess(Run run) {
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
        return run;
    }

    private Run job(JsonNode workflow, String name, Map<String, String> context) throws Exception {
        return requireSuccess(steps(workflow, name, context));
    }

    /** Runs the steps of a job of GitHub in an empty workspace until one fails, and returns what its last shell step printed. */
    private Run steps(JsonNode workflow, String name, Map<String, String> context) throws Exception {
        Path workspace = Files.createTempDirectory(folder, "workspace");
        Map<String, String> ofJob = new HashMap<>(environment());
        ofJob.put("GITHUB_OUTPUT", folder.resolve("output").toString());
        set(ofJob, workflow.path("env"), context);
        Run last = new Run(0, "", "");
        for (JsonNode step : workflow.path("jobs").path(name).path("steps")) {
            if (step.has("run")) {
                Map<String, String> ofStep = new HashMap<>(ofJob);
                set(ofStep, step.path("env"), context);
                last = step(workspace, step.path("run").asString(), ofStep);
                if (last.exitCode() != 0) {
                    return last;
                }
            } else {
                action(workspace, step, context);
            }
        }
        return last;
    }

    private static void set(Map<String, String> environment, JsonNode variables, Map<String, String> context) {
        variables
                .properties()
                .forEach(variable -> environment.put(
                        variable.getKey(), evaluated(variable.getValue().asString(), context)));
    }

    /** Replaces expressions of GitHub: names and texts, of which the first that is not empty counts. */
    private static String evaluated(String text, Map<String, String> context) {
        return EXPRESSION
                .matcher(text)
                .replaceAll((MatchResult expression) -> Stream.of(
                                expression.group(1).split(" *\\|\\| *"))
                        .map(term -> term.startsWith("'") ? term.replace("'", "") : context.getOrDefault(term, ""))
                        .filter(value -> !value.isEmpty())
                        .findFirst()
                        .map(Matcher::quoteReplacement)
                        .orElse(""));
    }

    private void action(Path workspace, JsonNode step, Map<String, String> context) throws IOException {
        String action = step.path("uses").asString().replaceFirst("@.*", "");
        JsonNode inputs = step.path("with");
        Path content = workspace.resolve(inputs.path("path").asString("none"));
        switch (action) {
            case "actions/cache/restore" -> {
                String prefix = evaluated(inputs.path("restore-keys").asString(), context);
                assertThat(evaluated(inputs.path("key").asString(), context)).startsWith(prefix);
                try (Stream<Path> entries = Files.list(caches)) {
                    Path newest = entries.filter(
                                    entry -> entry.getFileName().toString().startsWith(prefix))
                            .max(Path::compareTo)
                            .orElse(null);
                    if (newest != null) {
                        copy(newest, content);
                    }
                }
            }
            case "actions/cache/save" -> {
                assertThat(step.path("if").asString())
                        .as("saved after a failure, too")
                        .isEqualTo("always()");
                copy(content, caches.resolve(evaluated(inputs.path("key").asString(), context)));
            }
            case "actions/upload-artifact" -> {
                assertThat(step.path("if").asString()).isEqualTo("always()");
                copy(content, artefacts.resolve(evaluated(inputs.path("name").asString(), context)));
            }
            default -> assertThat(action).isEqualTo("docker/setup-qemu-action");
        }
    }

    private static void copy(Path from, Path to) throws IOException {
        RequiredTool.require("cp").output("-r", from, to);
    }

    private JsonNode artefact(String file) throws IOException {
        return JsonMapper.shared().readTree(Files.readString(artefacts.resolve(file)));
    }

    private static String state(String buildId) {
        return Json.of(server.get("/v1/builds/" + buildId)).path("state").asString();
    }

    private static Map<String, String> with(Map<String, String> settings, String... more) {
        Map<String, String> all = new HashMap<>(settings);
        for (int i = 0; i < more.length; i += 2) {
            all.put(more[i], more[i + 1]);
        }
        return all;
    }

    @Test
    void workflowOfGitHubPrewarmsImagesOnce() throws Exception {
        JsonNode workflow = yaml("github/prewarm-interpreters.yml");
        job(workflow, "versions", settings());
        String output = Files.readString(folder.resolve("output"));
        assertThat(JsonMapper.shared()
                        .readTree(output.replaceFirst("matrix=", ""))
                        .path("include")
                        .valueStream())
                .extracting(entry -> entry.path("language").asString() + " "
                        + entry.path("version").asString())
                .containsExactly("ruby 3.3", "ruby 3.4", "php 8.4", "python 3.13");

        Map<String, String> matrix = with(settings(), "matrix.language", "ruby", "matrix.version", "3.4");
        Run first = job(workflow, "prewarm", with(matrix, "github.run_id", "1", "github.run_attempt", "1"));
        long downloads = registry.downloads();
        Run second = job(workflow, "prewarm", with(matrix, "github.run_id", "2", "github.run_attempt", "1"));

        assertThat(first.out())
                .containsPattern("(?m)^ruby:3.4 +amd64  complete$")
                .containsPattern("(?m)^ruby:3.4-slim +arm64  not offered$");
        assertThat(second.out()).isEqualTo(first.out());
        assertThat(registry.downloads())
                .as("what was ready is not downloaded again")
                .isEqualTo(downloads);
        assertThat(state(OF_IMAGES)).isEqualTo("extracted");
        assertThat(artefact("results-ruby-3.4/results.json").valueStream())
                .extracting(result -> result.path("status").asString())
                .containsExactly("complete", "not offered", "complete", "not offered");
        assertThat(folder.resolve("summary")).content().contains("| `ruby:3.4-slim` | arm64 | not offered |  |");
    }

    @Test
    void workflowOfGitHubIsRedIfAReleaseThatAWatchHasReadLacksAnItem() throws Exception {
        JsonNode workflow = yaml("github/ready.yml");
        Map<String, String> context = with(settings(), "vars.SETS", "ruby");
        release("libruby3.4-dbgsym_3.4.1-1_amd64.deb", ruby(RELEASED));

        Run ready = job(workflow, "ready", context);

        assertThat(ready.out()).containsPattern("(?m)^libruby3.4-dbgsym_3.4.1-1_amd64.deb .* " + RELEASED + " +ready$");
        assertThat(artefacts.resolve("releases/releases.jsonl")).content().contains(RELEASED);
        assertThat(folder.resolve("summary"))
                .content()
                .contains("### Releases for @ruby")
                .containsPattern("(?m)^    libruby3.4-dbgsym_3.4.1-1_amd64.deb .* ready$");
        SmallRuby lacking = SmallRuby.compile(
                folder.resolve(LACKING),
                LACKING,
                source -> source.replace("pathobj, base_label", "renamed, base_label"));
        Path added = release("libruby3.4-dbgsym_3.4.2-1_amd64.deb", lacking);
        try {
            Run red = steps(workflow, "ready", with(context, "vars.SETS", "ruby php"));

            assertThat(red.exitCode()).as(red.out() + red.err()).isEqualTo(3);
            assertThat(folder.resolve("summary")).content().contains("### Releases for @php");
            assertThat(red.out()).containsPattern("(?m) " + LACKING + " +lacks .*pathobj");
        } finally {
            Files.delete(added);
            database.jdbc().sql("delete from watches").update();
        }
    }

    /** Publishes a package in a folder that the server watches, and waits until it has read it. */
    private static Path release(String name, SmallRuby ruby) throws Exception {
        Path file = ruby.debugPackage(published.resolve(name));
        String[] headers = Administrator.of(server, "watch").authorized("Content-Type", "application/json");
        server.post("/v1/watches", """
                {"name": "published", "kind": "folder", "url": "%s", "typeSets": ["ruby"]}
                """.formatted(published.toUri()), headers);
        String watch = Json.of(server.get("/v1/watches", headers))
                .path("watches")
                .path(0)
                .path("id")
                .asString();
        assertThat(server.post("/v1/watches/" + watch + "/run", "", headers).statusCode())
                .isEqualTo(202);
        while (!server.get("/v1/releases?set=ruby&since=1h").body().contains(name)
                || !Json.of(server.get("/v1/watches/" + watch, headers))
                        .path("lastRun")
                        .has("endedAt")) {
            Thread.sleep(50);
        }
        return file;
    }

    @Test
    void workflowOfGitHubKeepsOneIssueOfUnmetDemand() throws Exception {
        JsonNode workflow = yaml("github/prewarm-demand.yml");
        assertThat(workflow.at("/jobs/prewarm/permissions").toString()).isEqualTo("{\"issues\":\"write\"}");
        request();
        try (IssueTracker tracker = IssueTracker.start(IssueTracker.Service.GITHUB)) {
            Map<String, String> context = with(settings(), "secrets.GITHUB_TOKEN", IssueTracker.TOKEN);
            for (int i = 0; i < 2; i++) {
                job(withService(workflow, tracker), "prewarm", context);
            }

            assertThat(tracker.issues()).as("updated by the second run").hasSize(1);
            assertThat(tracker.issues().getFirst().text()).contains(REQUESTED);
            assertThat(artefact("results/results.json").path("builds").valueStream())
                    .anyMatch(build -> build.path("buildId").asString().equals(REQUESTED));
        }
    }

    /** Requests a build that no source has, and waits until that counts. */
    private static void request() throws InterruptedException {
        server.get("/v1/offsets/" + REQUESTED + "?types=x");
        while (!server.get("/v1/demand?limit=200").body().contains(REQUESTED)) {
            Thread.sleep(20);
        }
    }

    /** Adds what the service itself sets in jobs. */
    private static JsonNode withService(JsonNode workflow, IssueTracker tracker) {
        ObjectNode changed = (ObjectNode) workflow.deepCopy();
        tracker.variables().forEach((name, value) -> {
            if (name.startsWith("GITHUB_")) {
                changed.withObject("/env").put(name, value);
            }
        });
        return changed;
    }

    @Test
    void jobsOfGitLabAskWhetherReleasesAreReadyAndPrewarmImagesAndDemand() throws Exception {
        JsonNode jobs = yaml("gitlab/prewarm.gitlab-ci.yml");
        JsonNode template = jobs.path(".prewarm");
        assertThat(template.at("/artifacts/paths/0").asString()).isEqualTo("report");
        request();
        release("libruby3.4-dbgsym_3.4.1-1_amd64.deb", ruby(RELEASED));
        try (IssueTracker tracker = IssueTracker.start(IssueTracker.Service.GITLAB)) {
            for (String name : List.of("ready", "prewarm-interpreters", "prewarm-demand")) {
                JsonNode job = jobs.path(name);
                assertThat(job.path("extends").asString()).isEqualTo(name.equals("ready") ? ".offsetd" : ".prewarm");
                Map<String, String> variables = new HashMap<>(environment());
                set(variables, jobs.at("/.offsetd/variables"), Map.of());
                set(variables, template.path("variables"), Map.of());
                set(variables, job.path("variables"), Map.of());
                variables.putAll(tracker.variables());
                settings().forEach((setting, value) -> variables.put(setting.replaceFirst(".*\\.", ""), value));
                variables.put("INTERPRETER", "ruby");
                variables.put("SETS", "ruby");
                Path workspace = Files.createTempDirectory(folder, "workspace");
                for (JsonNode line : jobs.at("/.offsetd/before_script")) {
                    requireSuccess(step(workspace, line.asString(), variables));
                }
                for (JsonNode line : job.path("script")) {
                    requireSuccess(step(workspace, line.asString(), variables));
                }
                assertThat(workspace.resolve(name.equals("ready") ? "report/releases.jsonl" : "report/results.json"))
                        .isNotEmptyFile();
            }
            assertThat(tracker.issues()).hasSize(1);
            assertThat(tracker.issues().getFirst().text()).contains(REQUESTED);
        }
        assertThat(state(OF_IMAGES)).isEqualTo("extracted");
    }

    @Test
    void commandsOfTheReadmePrintWhatItShows() throws Exception {
        release("libruby3.4-dbgsym_3.4.1-1_amd64.deb", ruby(RELEASED));
        Path checkout = Files.createTempDirectory(folder, "checkout");
        CommandLine.launcher(checkout.resolve("offsetd"));
        copyScripts(Files.createDirectories(checkout.resolve("examples/ci")));
        DocumentWalk walk =
                new DocumentWalk(checkout).with("OFFSETD_URL", server.url()).with("OFFSETD_TOKEN", publisher.token());
        environment().forEach(walk::with);

        List<DocumentWalk.Step> steps = DocumentWalk.steps(EXAMPLES.resolve("README.md"));

        assertThat(steps).hasSizeGreaterThan(3);
        for (DocumentWalk.Step step : steps) {
            String out = walk.run(step);
            if (!step.output().isEmpty()) {
                assertThat(out).as(step.commands()).isEqualTo(step.output());
            }
        }
        assertThat(checkout.resolve("results.json")).isNotEmptyFile();
    }

    @Test
    void stageOfTheDockerfilePushesWhatWasBuilt() throws Exception {
        String dockerfile = Files.readString(EXAMPLES.resolve("Dockerfile"));
        Matcher stage = Pattern.compile("(?ms)^FROM \\S+ AS push$(.*?)^FROM ").matcher(dockerfile);
        assertThat(stage.find()).isTrue();
        List<String> runs = stage.group(1)
                .lines()
                .filter(line -> line.startsWith("RUN "))
                .map(line -> line.replaceFirst("^RUN (--mount=\\S+ )*", ""))
                .toList();
        Path built = Files.createDirectories(folder.resolve("built/usr/bin"));
        Files.copy(ruby(OWN).library(), built.resolve("program"));
        Map<String, String> environment = Map.of(
                "OFFSETD_URL", server.url(),
                "OFFSETD_TOKEN", publisher.token(),
                "OFFSETD_HOME", folder.resolve("offsetd-0.1.0-linux-amd64").toString(),
                "BUILT", folder.resolve("built").toString());

        assertThat(runs).hasSize(1);
        requireSuccess(step(folder, runs.getFirst(), environment));

        assertThat(state(OWN)).isEqualTo("extracted");
        assertThat(folder.resolve("built.pushed")).exists();
    }
}
