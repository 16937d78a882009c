package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.OffsetdServer;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.DocumentWalk;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.json.JsonMapper;

/**
 * Four readers follow their documents from top to bottom: a newcomer, the author of an agent, an administrator, and the
 * author of a pipeline. The commands run as printed against a server with small builds of the printed build-ids.
 */
@Timeout(300)
class DocumentWalksIntegrationTests {

    private static final String LIBRUBY = "d0578622796a415da30d749b495bf4fadf75f941";
    private static final String OLD_LIBRUBY = "76d1b84a920b5746d7541144cb566e0bf8a65f0d";
    private static final String LOCAL_URL = "http://127.0.0.1:8080";
    private static final String PUBLIC_URL = "https://offsetd.example.org";
    private static final Path ROOT = Path.of("..").toAbsolutePath().normalize();

    /** The sections of {@code docs/symbols.md} whose commands call the server, and need no other program or privilege. */
    private static final Set<String> OF_SYMBOLS = Set.of("Thread-local variables", "Stacks", "Functions and lines");

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Publisher publisher;
    private static SmallRuby ruby;
    private static Map<String, String> database;

    @TempDir
    private Path home;

    @BeforeAll
    static void start() throws Exception {
        TestDatabase created = TestDatabase.create();
        database = ServerProcess.on(created);
        server = TestServer.start(
                folder.resolve("data"),
                created,
                "offsetd.offline=true",
                "offsetd.local-folders=/usr/lib/debug",
                "offsetd.work.poll=50ms");
        publisher = Publisher.of(server, "ci");
        ruby = SmallRuby.compile(folder.resolve("new"), LIBRUBY);
        publisher.put(server, LIBRUBY, Files.readAllBytes(ruby.library()));
        SmallRuby old = SmallRuby.compile(folder.resolve("old"), OLD_LIBRUBY);
        publisher.put(server, OLD_LIBRUBY, Files.readAllBytes(old.library()));
        CommandLine.launcher(folder.resolve("cli"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Returns a walk in a folder with a launcher, whose commands on the database use that of the server. */
    private DocumentWalk walk() throws IOException {
        RequiredTool.require("curl");
        Path launcher = Files.writeString(home.resolve("offsetd"), """
                #!/bin/sh
                case $1 in
                    token | admin | backup) exec '%s' -XX:TieredStopAtLevel=1 -XX:+UseSerialGC -cp '%s' %s "$@" ;;
                    *) exec '%s' "$@" ;;
                esac
                """.formatted(
                        Path.of(System.getProperty("java.home"), "bin", "java"),
                        System.getProperty("surefire.test.class.path", System.getProperty("java.class.path")),
                        OffsetdServer.class.getName(),
                        folder.resolve("cli")));
        CommandLine.executable(launcher);
        DocumentWalk walk = new DocumentWalk(home)
                .with("PATH", home.resolve(".local/bin") + ":" + System.getenv("PATH"))
                .replacing(LOCAL_URL, server.url());
        database.forEach(walk::with);
        return walk;
    }

    private static Path document(String name) {
        return ROOT.resolve(name);
    }

    @Test
    void newcomerReadsAFileAndAsksAServer() throws Exception {
        RequiredTool.require("jq");
        RequiredTool.require("man");
        Path libc = Path.of("/lib/x86_64-linux-gnu/libc.so.6");
        if (!Files.exists(libc)) {
            throw RequiredTool.unavailable("the README shows a libc of x86_64");
        }
        Files.copy(ruby.library(), home.resolve("libruby.so"));
        Files.copy(ruby.debugFile(), home.resolve("vmlinux"));
        DocumentWalk walk = walk().omitting("./offsetd serve").omitting("./offsetd test");

        List<DocumentWalk.Step> readme = DocumentWalk.steps(document("README.md"));
        DocumentWalk.Step identified = readme.stream()
                .filter(step -> step.commands().startsWith("./offsetd build-id"))
                .findFirst()
                .orElseThrow();
        String printed = identified.output().strip();
        String actual = walk.run(identified).strip();
        walk.replacing(printed, actual);
        // On a busy machine its first reading may take longer than a request waits by default.
        assertThat(server.offsets(actual, "malloc_state", "Prefer", "wait=30").statusCode())
                .isEqualTo(200);
        for (DocumentWalk.Step step : readme) {
            String output = walk.run(step);
            if (printed.equals(actual)) {
                assertThat(output).as(step.commands()).isEqualTo(step.output());
            }
        }
        List<String> outputs = walk.follow(document("docs/cli.md"));
        assertThat(outputs.getFirst()).contains("offsetd extract");
        assertThat(outputs.getLast()).contains("rb_iseq_constant_body");
        assertThat(home.resolve(".config/fish/completions/offsetd.fish"))
                .content()
                .contains("build-id");
        walk.assertAllUsed();
    }

    @Test
    void authorOfAnAgentQueriesABuild() throws Exception {
        RequiredTool.require("jq");
        DocumentWalk walk =
                walk().with("OFFSETD_URL", server.url()).with("id", LIBRUBY).with("OFFSETD_TOKEN", publisher.token());

        assertThat(walk.follow(document("docs/agents.md"))).allMatch(output -> output.startsWith("{"));
        assertThat(walk.follow(document("docs/api.md")))
                .filteredOn(output -> output.startsWith("{\"schemaVersion\""))
                .hasSizeGreaterThanOrEqualTo(5)
                .anyMatch(output -> output.contains("\"suggestions\":[\"rb_iseq_struct\"]"));
        for (DocumentWalk.Step step : DocumentWalk.steps(document("docs/symbols.md"))) {
            if (OF_SYMBOLS.contains(step.heading())) {
                assertThat(walk.run(step)).as(step.toString()).contains("\"");
            }
        }
        walk.follow(document("clients/README.md"));
        assertThat(home.resolve("fallback.json")).content().contains("RString.as.heap.ptr");
        walk.assertAllUsed();
    }

    @Test
    void administratorPinsAFieldAndResetsAPassword() throws Exception {
        AdminClient admin = AdminClient.signIn(server);
        assertThat(admin.get("/admin/builds?q=libruby.so").body()).contains("/admin/builds/" + LIBRUBY);
        assertThat(admin.get("/admin/builds/" + LIBRUBY + "?q=control_frame").body())
                .contains("rb_control_frame_struct");
        assertThat(admin.get("/admin/pins/new?build=" + LIBRUBY + "&item=rb_control_frame_struct.ep")
                        .body())
                .contains("name=\"offset\" value=\"16\"");
        Map<String, String> form = new HashMap<>(Map.of(
                "id", "",
                "revision", "",
                "build", LIBRUBY,
                "item", "rb_control_frame_struct.ep",
                "what", "member",
                "offset", "8",
                "size", "8",
                "reason", "seen in gdb",
                "expiry", "never"));
        HttpResponse<String> asked = admin.post("/admin/pins", form);
        Matcher warnings =
                Pattern.compile("name=\"accepted\" value=\"([^\"]+)\"").matcher(asked.body());
        assertThat(warnings.find()).as(asked.body()).isTrue();
        form.put("accepted", warnings.group(1));
        HttpResponse<String> pinned = admin.post("/admin/pins", form);
        assertThat(pinned.statusCode()).as(pinned.body()).isEqualTo(303);
        assertThat(Json.of(server.offsets(LIBRUBY, "rb_control_frame_struct.ep"))
                        .path("offsets")
                        .path("rb_control_frame_struct.ep")
                        .path("offset")
                        .asInt())
                .isEqualTo(8);

        DocumentWalk walk = walk().with("OFFSETD_URL", server.url());
        walk.with(
                "OFFSETD_TOKEN",
                inline(walk, "README.md", "token create", "publish", "admin").strip());
        List<DocumentWalk.Step> steps = DocumentWalk.steps(document("docs/admin.md"));
        String created = JsonMapper.shared()
                .readTree(walk.run(steps.getFirst()))
                .path("id")
                .asString();
        Matcher example =
                Pattern.compile("(?m)^pin=(\\S+)$").matcher(steps.get(1).commands());
        assertThat(example.find()).isTrue();
        walk.replacing(example.group(1), created);
        assertThat(walk.run(steps.get(1))).contains("seen in gdb");
        walk.run(new DocumentWalk.Step(
                document("docs/admin.md"),
                "Pins",
                "curl -sS -X POST -H \"Authorization: Bearer $OFFSETD_TOKEN\" \"$OFFSETD_URL/v1/pins/$pin/restore\"",
                ""));
        walk.run(steps.get(2));
        assertThat(walk.run(steps.getLast())).matches("(?s).*([a-z0-9]{5}-){3}[a-z0-9]{5}.*");
        inline(walk, "docs/operations.md", "backup", "offsetd backup", "offsetd backup saved.backup");
        assertThat(home.resolve("saved.backup")).isNotEmptyFile();
    }

    /** Runs a command that a sentence of a document quotes. */
    private static String inline(DocumentWalk walk, String page, String command, String printed, String actual)
            throws IOException, InterruptedException {
        Matcher quoted =
                Pattern.compile("`(\\./offsetd " + command + "[^`]*)`").matcher(Files.readString(document(page)));
        assertThat(quoted.find()).as(page + " has " + command).isTrue();
        return walk.run(
                new DocumentWalk.Step(document(page), command, quoted.group(1).replace(printed, actual), ""));
    }

    @Test
    void authorOfAPipelineUploadsAndPrewarms() throws Exception {
        RequiredTool.require("openssl");
        Path tools = Files.createDirectories(home.resolve("tools"));
        Path image = SmallRuby.compile(folder.resolve("image"), "a5".repeat(20)).image(home.resolve("image.tar"));
        CommandLine.executable(Files.writeString(
                tools.resolve("docker"), "#!/bin/sh\n[ \"$1\" = save ] && cat '%s'\n".formatted(image)));
        Path build = Files.createDirectories(home.resolve("build"));
        SmallRuby app = SmallRuby.compile(folder.resolve("app"), "a1".repeat(20));
        Files.copy(app.library(), build.resolve("app"));
        Files.copy(
                SmallRuby.compile(folder.resolve("libapp"), "a2".repeat(20)).debugFile(),
                build.resolve("libapp.so.debug"));
        Files.copy(SmallRuby.compile(folder.resolve("curl"), "a3".repeat(20)).debugFile(), home.resolve("app.debug"));
        SmallRuby.compile(folder.resolve("dbgsym"), "a4".repeat(20))
                .debugPackage(home.resolve("app-dbgsym_1.0_amd64.deb"));
        Files.createDirectories(home.resolve("debs"));
        ruby.debianPackage(home.resolve("debs/libruby3.4.deb"));
        DocumentWalk walk = walk().replacing("127.0.0.1:8080", server.url()).replacing(PUBLIC_URL, server.url());
        walk.with("PATH", tools + ":" + System.getenv("PATH")).with("OFFSETD_URL", server.url());
        String token =
                inline(walk, "examples/ci/README.md", "token create", "", "").strip();
        walk.with("OFFSETD_TOKEN", token).replacing("OFFSETD_TOKEN=...", "OFFSETD_TOKEN=" + token);

        List<String> uploads = walk.follow(document("docs/uploads.md"));
        assertThat(uploads.getFirst())
                .contains(
                        "build/app", "build/libapp.so.debug", "app-dbgsym_1.0_amd64.deb", "image.tar", "already there")
                .doesNotContain("refused");
        List<String> prewarms = walk.follow(document("docs/prewarming.md"));
        assertThat(prewarms.getFirst()).contains("libruby.so.3.4.1  d0578622796a415da30d749b495bf4fadf75f941  done");
        assertThat(prewarms.getLast()).contains("HTTP/1.1 202");
        for (String id : List.of("a1", "a2", "a3", "a4", "a5")) {
            assertThat(Json.of(server.get("/v1/builds/" + id.repeat(20)))
                            .path("state")
                            .asString())
                    .as(id)
                    .isEqualTo("extracted");
        }
        walk.assertAllUsed();
    }
}
