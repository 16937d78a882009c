package dev.offsetd.server.commandline;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** {@code prewarm} and {@code push} as processes, against a server. */
class CommandLineIntegrationTests {

    private static final String PACKAGED = "11".repeat(20);
    private static final String OWN = "22".repeat(20);
    private static final String UNKNOWN = "33".repeat(20);

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static Publisher publisher;
    private static Publisher other;
    private static Path launcher;
    private static SmallRuby packaged;
    private static SmallRuby own;

    @BeforeAll
    static void start() throws Exception {
        Path local = Files.createDirectories(folder.resolve("local"));
        packaged = SmallRuby.compile(folder.resolve("packaged"), PACKAGED);
        packaged.putInto(local);
        own = SmallRuby.compile(folder.resolve("own"), OWN);
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.local-folders=" + local,
                "offsetd.upstreams.urls=",
                "offsetd.work.poll=50ms");
        publisher = Publisher.of(server, "ci");
        other = Publisher.of(server, "somebody else");
        launcher = CommandLine.launcher(folder.resolve("offsetd"));
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    private static Run run(Publisher who, String... arguments) throws Exception {
        return CommandLine.run(
                folder,
                Map.of("OFFSETD_TOKEN", who.token()),
                Stream.concat(Stream.of(launcher.toString()), Stream.of(arguments))
                        .toArray(String[]::new));
    }

    @Test
    void prewarmedBuildOfAPackageAnswersAtOnce() throws Exception {
        Path deb = packaged.debianPackage(folder.resolve("libruby3.4.deb"));

        Run run = run(
                publisher, "prewarm", server.url(), deb.toString(), "--name", "libruby*", "--types", "@ruby", "--json");

        assertThat(run.err()).contains("libruby.so.3.4.1 " + PACKAGED + ": done, @ruby 30 of 30");
        assertThat(run.exitCode()).isZero();
        JsonNode build = JsonMapper.shared().readTree(run.out()).path("builds").path(0);
        assertThat(build.path("state").asString()).isEqualTo("done");
        assertThat(build.path("satisfied").asBoolean(false)).isTrue();
        assertThat(build.path("files").path(0).asString()).isEqualTo(deb + "!data.tar!./usr/lib/libruby.so.3.4.1");
        assertThat(Json.of(server.offsets(PACKAGED, "RBasic.flags"))
                        .path("complete")
                        .asBoolean(false))
                .isTrue();
    }

    @Test
    void reportSaysWhichFilesHaveAConsensus() throws Exception {
        UnaryOperator<String> version = source -> source.replace("ruby 3.4.1 (", "ruby 3.5.1 (");
        SmallRuby peer = SmallRuby.compile(folder.resolve("peer"), "44".repeat(20), version);
        Path peers = Files.createDirectories(folder.resolve("local/.build-id/44"));
        Files.copy(peer.library(), peers.resolve("44".repeat(19) + ".debug"));
        assertThat(server.offsets("44".repeat(20), "RBasic").statusCode()).isEqualTo(200);
        SmallRuby stripped = SmallRuby.compile(folder.resolve("stripped"), "55".repeat(20), version);
        Path place = Files.createDirectories(folder.resolve("local/.build-id/55"));
        Files.copy(stripped.stripped(), place.resolve("55".repeat(19)));

        Run run = run(
                publisher,
                "prewarm",
                server.url(),
                "--types",
                "RBasic",
                "--json",
                "--build-id",
                "44".repeat(20),
                "--build-id",
                "55".repeat(20),
                "--build-id",
                UNKNOWN);

        assertThat(JsonMapper.shared()
                        .readTree(run.out())
                        .path("builds")
                        .valueStream()
                        .map(build -> build.path("answer").asString()))
                .as(run.err() + run.out())
                .containsExactly("exact", "consensus", "none");
        assertThat(run.exitCode()).isEqualTo(3);
    }

    @Test
    void unknownBuildFailsThePipeline() throws Exception {
        Run run = run(publisher, "prewarm", server.url(), "--build-id", UNKNOWN);

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.out())
                .contains(UNKNOWN.substring(0, 8))
                .contains("failed")
                .contains("not_found");
    }

    @Test
    void missingTokenFailsWithTheAnswerOfTheServer() throws Exception {
        Run run = CommandLine.run(
                folder,
                Map.of("OFFSETD_TOKEN", ""),
                launcher.toString(),
                "prewarm",
                server.url(),
                "--build-id",
                UNKNOWN);

        assertThat(run.exitCode()).isEqualTo(7);
        assertThat(run.err()).contains("the server answered 401");
    }

    @Test
    void buildIsPushedOnceUntilTheFileHasMoreAndOtherTokensCannotReplaceIt() throws Exception {
        Run stripped = run(publisher, "push", server.url(), own.stripped().toString(), "--json");
        Run first = run(publisher, "push", server.url(), own.library().toString(), "--json");
        Run again = run(publisher, "push", server.url(), own.library().toString());
        Run others = run(other, "push", server.url(), own.library().toString(), "--whole");
        Run whole = run(publisher, "push", server.url(), own.library().toString(), "--whole");
        Run wholeAgain = run(publisher, "push", server.url(), own.library().toString(), "--whole");

        assertThat(stripped.exitCode()).isEqualTo(3);
        assertThat(stripped.out()).contains("\"result\":\"refused\"").contains("it is stripped");
        assertThat(first.out()).contains("\"result\":\"taken\"");
        assertThat(first.exitCode()).isZero();
        JsonNode file = JsonMapper.shared().readTree(first.out()).path("files").path(0);
        assertThat(file.path("sentBytes").asLong()).isPositive().isLessThan(Files.size(own.library()));
        assertThat(file.path("source").asString()).isEqualTo("upload of ci");
        assertThat(again.out()).contains("already there").doesNotContain("the server already has this file");
        assertThat(again.exitCode()).isZero();
        assertThat(whole.out()).as("the first had no lines").contains("replaced");
        assertThat(whole.exitCode()).isZero();
        assertThat(wholeAgain.out()).contains("already there");
        assertThat(wholeAgain.exitCode()).isZero();
        assertThat(others.out()).contains("refused").contains("an upload of");
        assertThat(others.exitCode()).isEqualTo(3);
        JsonNode answer = Json.of(server.offsets(OWN, "@ruby,tls"));
        assertThat(answer.path("complete").asBoolean(false)).isTrue();
    }

    @Test
    void buildThatASourceHasIsNotSent() throws Exception {
        Run run = run(publisher, "push", server.url(), packaged.library().toString(), "--json");

        assertThat(run.exitCode()).isZero();
        JsonNode file = JsonMapper.shared().readTree(run.out()).path("files").path(0);
        assertThat(file.path("result").asString()).isEqualTo("already_there");
        assertThat(file.path("reason").asString()).isEqualTo("local_folder_has_it");
        assertThat(file.path("source").asString())
                .isEqualTo(folder.resolve("local").toString());
        assertThat(file.path("sentBytes").asLong(-1)).isZero();
    }

    @Test
    void queriesNameABuildByItsFileOrItsFirstDigits() throws Exception {
        Run whole = run(publisher, "query", server.url(), PACKAGED, "RBasic", "--json");
        Run file = run(publisher, "query", server.url(), packaged.library().toString(), "RBasic", "--json");
        Run digits = run(publisher, "query", server.url(), PACKAGED.substring(0, 7), "RBasic", "--json");

        assertThat(whole.exitCode()).isZero();
        assertThat(file).isEqualTo(whole);
        assertThat(digits).isEqualTo(whole);
    }
}
