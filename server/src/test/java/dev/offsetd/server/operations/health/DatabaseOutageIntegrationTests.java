package dev.offsetd.server.operations.health;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.operations.work.Priority;
import dev.offsetd.server.prewarms.PrewarmDraft;
import dev.offsetd.server.prewarms.Prewarms;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TcpForwarder;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.function.BooleanSupplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.util.FileSystemUtils;

/** A server without its database: it serves the answers in memory and reports everything else as unavailable. */
@Timeout(300)
@ChecklistRow(17)
class DatabaseOutageIntegrationTests {

    private static final Duration RECOVERY = Duration.ofMinutes(1);

    /** Maximum time until a client is told that the database is unavailable, with a margin for a busy machine. */
    private static final Duration REFUSAL = Duration.ofSeconds(20);

    @TempDir
    private Path folder;

    private EmbeddedDatabase database;
    private TcpForwarder address;
    private TestServer server;
    private AdminClient user;
    private HttpResponse<String> before;

    @BeforeEach
    void start() throws IOException {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        database = EmbeddedDatabase.start(folder.resolve("database"));
        address = new TcpForwarder(port(database));
        server = TestServer.start(
                folder.resolve("data"),
                "jdbc:postgresql://127.0.0.1:" + address.port() + "/postgres",
                database.getUsername(),
                database.getPassword(),
                "offsetd.offline=true",
                "offsetd.changes.poll=250ms",
                "offsetd.local-folders=" + folder.resolve("debug"));
        user = AdminClient.signIn(server, "user-of-outage", "read");
        before = server.offsets(SmallBuild.ID, "point");
        assertThat(before.statusCode()).isEqualTo(200);
        assertThat(Json.of(before).has("stale")).isFalse();
        assertThat(Json.of(server.get("/readyz")).has("degraded")).isFalse();
    }

    @AfterEach
    void stop() throws IOException {
        server.close();
        address.close();
        database.close();
    }

    private static int port(EmbeddedDatabase database) {
        return URI.create(database.getJdbcUrl().substring("jdbc:".length())).getPort();
    }

    private static void await(BooleanSupplier condition, Duration limit) throws InterruptedException {
        long end = System.nanoTime() + limit.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within %s", limit).isLessThan(end);
            Thread.sleep(50);
        }
    }

    private void assertDegraded() throws InterruptedException {
        await(
                () -> Json.of(server.offsets(SmallBuild.ID, "point"))
                        .path("stale")
                        .asBoolean(),
                RECOVERY);
        HttpResponse<String> stale = server.offsets(SmallBuild.ID, "point");
        assertThat(stale.statusCode()).isEqualTo(200);
        assertThat(stale.body()).isEqualTo("{\"stale\":true," + before.body().substring(1));
        assertThat(stale.headers().firstValue("ETag"))
                .as("other bytes, another tag")
                .isPresent()
                .isNotEqualTo(before.headers().firstValue("ETag"));
        assertThat(stale.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
        HttpResponse<String> unchanged = server.offsets(
                SmallBuild.ID,
                "point",
                "If-None-Match",
                stale.headers().firstValue("ETag").orElseThrow());
        assertThat(unchanged.statusCode()).isEqualTo(304);

        assertUnavailable("/v1/offsets/" + SmallBuild.UNKNOWN_ID + "?types=point");
        assertUnavailable("/v1/offsets/" + SmallBuild.ID + "?types=line");
        assertUnavailable("/v1/builds/" + SmallBuild.ID);

        assertPagesUnavailable();

        await(() -> Json.of(server.get("/readyz")).has("degraded"), RECOVERY);
        HttpResponse<String> ready = server.get("/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        assertThat(Json.of(ready).path("degraded").asString()).isEqualTo("database");
        assertThat(server.get("/livez").statusCode()).isEqualTo(200);
    }

    private void assertUnavailable(String path) {
        long began = System.nanoTime();
        HttpResponse<String> response = server.get(path);
        assertThat(Duration.ofNanos(System.nanoTime() - began)).isLessThan(REFUSAL);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("database_unavailable");
        assertThat(response.headers().firstValue("Retry-After")).isPresent();
    }

    /** Asserts that pages are complete and have status 503, whichever filter needs the session first. */
    private void assertPagesUnavailable() {
        AdminClient anonymous = AdminClient.anonymous(server);
        assertThat(anonymous.get("/admin/assets/mark.svg").statusCode()).isEqualTo(200);
        for (HttpResponse<String> page : List.of(
                user.get("/admin/builds"),
                user.postWithToken("/admin/theme", Map.of("theme", "dark"), "invented"),
                user.postWithToken("/admin/sign-out", Map.of(), "invented"),
                anonymous.signIn("user-of-outage", AdminClient.PASSWORD))) {
            assertThat(page.statusCode()).as(page.body()).isEqualTo(503);
            assertThat(page.body()).contains("database_unavailable", "</html>");
            assertThat(page.headers().firstValue("Content-Security-Policy")).isPresent();
        }
    }

    private void assertRecovers() throws InterruptedException {
        await(() -> server.offsets(SmallBuild.ID, "line").statusCode() == 200, RECOVERY);
        await(() -> server.offsets(SmallBuild.ID, "point").body().equals(before.body()), RECOVERY);
        await(() -> !Json.of(server.get("/readyz")).has("degraded"), RECOVERY);
        await(() -> server.offsets(SmallBuild.UNKNOWN_ID, "point").statusCode() == 404, RECOVERY);
        assertPrewarms();
    }

    /** Asserts that the background workers survived the outage. */
    private void assertPrewarms() throws InterruptedException {
        Prewarms prewarms = server.bean(Prewarms.class);
        UUID id = prewarms.create(
                        new PrewarmDraft(List.of(SmallBuild.ID), Map.of(), List.of("point"), Priority.NORMAL),
                        Actor.operator("test"))
                .summary()
                .id();
        await(() -> prewarms.find(id).orElseThrow().summary().complete(), RECOVERY);
    }

    @Test
    void stoppedDatabaseLeavesWhatIsInMemoryAndIsFoundAgain() throws Exception {
        database.close();
        assertDegraded();

        database = EmbeddedDatabase.start(folder.resolve("database"));
        address.redirectTo(port(database));
        assertRecovers();
    }

    @Test
    void databaseThatHangsIsAsGoodAsNone() throws Exception {
        ProcessHandle postmaster = ProcessHandle.of(
                        Long.parseLong(Files.readAllLines(folder.resolve("database/postgres/postmaster.pid"))
                                .getFirst()
                                .strip()))
                .orElseThrow();
        List<ProcessHandle> all =
                Stream.concat(Stream.of(postmaster), postmaster.descendants()).toList();
        signal("STOP", all);
        try {
            assertUnavailable("/v1/offsets/" + SmallBuild.UNKNOWN_ID + "?types=point");
            assertDegraded();
        } finally {
            signal("CONT", all);
        }
        assertRecovers();
    }

    @Test
    void standbyRefusesWritesUntilItsConnectionsReachThePrimary() throws Exception {
        database.close();
        Path copy = folder.resolve("standby");
        FileSystemUtils.copyRecursively(folder.resolve("database"), copy);
        Files.createFile(copy.resolve("postgres/standby.signal"));
        try (EmbeddedDatabase standby = EmbeddedDatabase.start(copy)) {
            address.redirectTo(port(standby));
            await(() -> server.offsets(SmallBuild.ID, "line").statusCode() == 200, RECOVERY);
            assertUnavailable("/v1/offsets/" + SmallBuild.UNKNOWN_ID + "?types=point");
            await(() -> Json.of(server.get("/readyz")).has("degraded"), RECOVERY);
            assertThat(Json.of(server.get("/readyz")).path("degraded").asString())
                    .isEqualTo("database");

            // The connections to the standby stay open.
            database = EmbeddedDatabase.start(folder.resolve("database"));
            address.redirectTo(port(database));
            assertRecovers();
        }
    }

    private static void signal(String signal, List<ProcessHandle> processes) throws Exception {
        for (ProcessHandle process : processes) {
            new ProcessBuilder("kill", "-" + signal, Long.toString(process.pid()))
                    .start()
                    .waitFor();
        }
    }
}
