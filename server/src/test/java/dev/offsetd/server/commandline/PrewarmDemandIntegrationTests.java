package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.IssueTracker;
import dev.offsetd.server.testkit.IssueTracker.Issue;
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
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** {@code prewarm-demand.sh} prewarms what clients requested, and keeps one issue with what stays missing. */
@Timeout(300)
class PrewarmDemandIntegrationTests {

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Publisher publisher;
    private static Path local;

    @BeforeAll
    static void start() throws Exception {
        RequiredTool.require("curl");
        RequiredTool.require("jq");
        local = Files.createDirectories(folder.resolve("local"));
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.local-folders=" + local,
                "offsetd.upstreams.urls=",
                "offsetd.demand.flush=20ms",
                "offsetd.work.poll=50ms");
        publisher = Publisher.of(server, "ci");
        CommandLine.launcher(folder.resolve("offsetd"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Run script(Map<String, String> variables) throws Exception {
        Map<String, String> environment = new HashMap<>(variables);
        environment.put("OFFSETD_URL", server.url());
        environment.put("OFFSETD_TOKEN", publisher.token());
        environment.put("OFFSETD", folder.resolve("offsetd").toString());
        return CommandLine.run(
                folder,
                environment,
                Path.of("..", "examples", "ci", "prewarm-demand.sh")
                        .toRealPath()
                        .toString());
    }

    /** Requests a build that no source has, and waits until that counts. */
    private static void request(String buildId, String name) throws Exception {
        server.get("/v1/offsets/" + buildId + "?types=x&name="
                + TestServer.escape(name).replace("+", "%20"));
        while (!server.get("/v1/demand?limit=200").body().contains(buildId)) {
            Thread.sleep(20);
        }
    }

    @ParameterizedTest
    @EnumSource
    void oneIssueIsOpenedRewrittenClosedAndReopened(IssueTracker.Service service) throws Exception {
        String octet = service == IssueTracker.Service.GITHUB ? "1" : "2";
        SmallRuby first = SmallRuby.compile(folder.resolve(octet + "1"), (octet + "1").repeat(20));
        SmallRuby second = SmallRuby.compile(folder.resolve(octet + "2"), (octet + "2").repeat(20));
        try (IssueTracker tracker = IssueTracker.start(service)) {
            run(tracker);
            assertThat(tracker.issues()).as("nothing is missing").isEmpty();

            request(first.buildId(), "/usr/bin/ruby");
            run(tracker);
            assertThat(tracker.issues()).hasSize(1);
            Issue opened = tracker.issues().getFirst();
            assertThat(opened.title()).isEqualTo("Builds without debug information");
            assertThat(opened.isOpen()).isTrue();
            assertThat(opened.text())
                    .startsWith("Clients requested these builds, and the server has no debug information of them.")
                    .containsPattern(
                            "\\| 1 \\| \\d{4}-\\d\\d-\\d\\d \\| `" + first.buildId()
                                    + "` \\| `/usr/bin/ruby` \\| not_found \\| upload its debug file or package: offsetd push \\|");

            request(second.buildId(), "`x` | @everybody <b>");
            first.putInto(local);
            run(tracker);
            assertThat(tracker.issues()).hasSize(1);
            assertThat(tracker.issues().getFirst().text())
                    .as("the first was prewarmed; a name is no Markdown")
                    .doesNotContain(first.buildId())
                    .contains("`" + second.buildId() + "` | ` x     everybody  b ` | not_found");

            second.putInto(local);
            run(tracker);
            assertThat(tracker.issues()).hasSize(1);
            assertThat(tracker.issues().getFirst().isOpen()).isFalse();
            assertThat(tracker.issues().getFirst().text()).isEqualTo("No unmet demand.\n");

            SmallRuby third = SmallRuby.compile(folder.resolve(octet + "3"), (octet + "3").repeat(20));
            request(third.buildId(), "ruby");
            run(tracker);
            assertThat(tracker.issues()).as("the same issue").hasSize(1);
            assertThat(tracker.issues().getFirst().isOpen()).isTrue();
            third.putInto(local);
            run(tracker);
        }
    }

    private static void run(IssueTracker tracker) throws Exception {
        Run run = script(tracker.variables());
        assertThat(run.exitCode()).as(run.out() + run.err()).isZero();
    }

    @Test
    void refusedIssueTokenFailsTheJob() throws Exception {
        try (IssueTracker tracker = IssueTracker.start(IssueTracker.Service.GITHUB)) {
            Map<String, String> variables = new HashMap<>(tracker.variables());
            variables.put("ISSUE_TOKEN", "other");

            Run run = script(variables);

            assertThat(run.exitCode()).isNotZero();
            assertThat(run.err()).contains("401");
        }
    }
}
