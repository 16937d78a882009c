package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.SmallDisk;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.io.OutputStream;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.function.BooleanSupplier;
import org.assertj.core.api.SoftAssertions;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A database whose disk is full: writes are refused as such, and what is stored still answers. */
@ChecklistRow(16)
@Timeout(180)
class FullDatabaseDiskIntegrationTests {

    private static final Duration RECOVERY = Duration.ofMinutes(1);

    /** More builds than the free room in the pages of any table holds. */
    private static final int MAX_BUILDS = 300;

    @TempDir
    private Path folder;

    private static BuildId build(int number) {
        return BuildId.parse("%040x".formatted(0xd15c_0000L + number));
    }

    private static void putInto(Path local, BuildId id) throws IOException {
        String hex = id.toString();
        Path place = local.resolve(".build-id").resolve(hex.substring(0, 2)).resolve(hex.substring(2) + ".debug");
        Files.createDirectories(place.getParent());
        Files.write(place, SmallBuild.debugFile(id));
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + RECOVERY.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).as("within %s", RECOVERY).isLessThan(end);
            Thread.sleep(100);
        }
    }

    private static boolean isRefused(HttpResponse<String> response) {
        return response.statusCode() == 503
                && Json.of(response).path("code").asString().equals("disk_full")
                && response.headers().firstValue("Retry-After").isPresent();
    }

    private static String degraded(TestServer server) {
        HttpResponse<String> ready = server.get("/readyz");
        assertThat(ready.statusCode()).isEqualTo(200);
        return Json.of(ready).path("degraded").asString("");
    }

    private static String typeSet(String title) {
        return "{\"title\": \"" + title + "\", \"items\": [{\"item\": \"point.x\", \"need\": \"required\"}]}";
    }

    @Test
    void disksThatAreReallyFullRefuseNewBuildsAndPinsAndMendByThemselves() throws Exception {
        Path disk = Files.createDirectory(folder.resolve("disk"));
        Path local = folder.resolve("debug");
        for (int i = 0; i <= MAX_BUILDS; i++) {
            putInto(local, build(i));
        }
        try (SmallDisk _ = SmallDisk.over(disk, "size=160m,mode=0711");
                EmbeddedDatabase database = EmbeddedDatabase.start(disk.resolve("database"));
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        database.getJdbcUrl(),
                        database.getUsername(),
                        database.getPassword(),
                        "offsetd.offline=true",
                        "offsetd.local-folders=" + local)) {
            Administrator administrator = Administrator.of(server, "admin");
            assertThat(server.offsets(build(0), "point").statusCode()).isEqualTo(200);
            assertThat(degraded(server)).isEmpty();
            Path ballast = disk.resolve("ballast");
            fill(ballast);

            int stored = 0;
            HttpResponse<String> refused = server.offsets(build(1), "point");
            while (refused.statusCode() == 200 && stored < MAX_BUILDS - 1) {
                stored++;
                refused = server.offsets(build(1 + stored), "point");
            }
            assertThat(isRefused(refused)).as(refused.body()).isTrue();
            assertThat(degraded(server)).isEqualTo("disk");
            HttpResponse<String> pin = administrator.post(server, "", draft(0));
            for (int i = 1; pin.statusCode() == 201 && i < MAX_BUILDS; i++) {
                pin = administrator.post(server, "", draft(i));
            }
            assertThat(isRefused(pin)).as(pin.body()).isTrue();
            assertThat(server.offsets(build(0), "line").statusCode()).isEqualTo(200);

            Files.delete(ballast);
            await(() -> degraded(server).isEmpty());
            assertThat(administrator.post(server, "", draft(MAX_BUILDS)).statusCode())
                    .isEqualTo(201);
            assertThat(server.offsets(build(MAX_BUILDS), "point").statusCode()).isEqualTo(200);
        }
    }

    private static String draft(int number) {
        return Administrator.draft(build(number), "point.x", "{\"offset\": 4, \"size\": 4}", "");
    }

    private static void fill(Path file) throws IOException {
        byte[] page = new byte[4096];
        try (OutputStream out = Files.newOutputStream(file)) {
            while (true) {
                out.write(page);
            }
        } catch (IOException full) {
            assertThat(Files.size(file)).isPositive();
        }
    }

    /** PostgreSQL's own words and code, from every table: how much fits into the pages that there are does not matter then. */
    private static void refuseWrites(JdbcClient jdbc) {
        jdbc.sql("""
                create function disk_full() returns trigger language plpgsql as $$
                begin
                    raise exception 'could not extend file "base/1/2": No space left on device' using errcode = '53100';
                end $$
                """).update();
        for (String table : tables(jdbc)) {
            jdbc.sql("create trigger disk_full before insert or update or delete on " + table
                            + " for each row execute function disk_full()")
                    .update();
        }
    }

    private static List<@Nullable String> tables(JdbcClient jdbc) {
        return jdbc.sql("select quote_ident(tablename) from pg_tables where schemaname = 'public'")
                .query(String.class)
                .list();
    }

    @Test
    void everyWriteIsRefusedAsOneToAFullDisk() throws Exception {
        Path local = folder.resolve("debug");
        putInto(local, build(0));
        TestDatabase database = TestDatabase.create();
        JdbcClient jdbc = database.jdbc();
        try (TestServer server = TestServer.start(
                folder.resolve("data"), database, "offsetd.offline=true", "offsetd.local-folders=" + local)) {
            Administrator administrator = Administrator.of(server, "admin");
            Publisher publisher = Publisher.of(server, "ci");
            String[] authorized = publisher.authorized("Content-Type", "application/json");
            AdminClient person = AdminClient.signIn(server);
            String active = administrator
                    .pin(server, build(1), "point.x", "{\"offset\": 4, \"size\": 4}")
                    .path("id")
                    .asString();
            String retired = administrator
                    .pin(server, build(2), "point.x", "{\"offset\": 4, \"size\": 4}")
                    .path("id")
                    .asString();
            assertThat(administrator.delete(server, retired).statusCode()).isEqualTo(200);
            assertThat(server.offsets(build(3), "point").statusCode()).isEqualTo(404);
            // The client takes the form's token from a page, which is written to the session.
            assertThat(person.post("/admin/theme", Map.of("theme", "dark")).statusCode())
                    .isLessThan(400);
            refuseWrites(jdbc);

            SoftAssertions.assertSoftly(softly -> {
                Map<String, HttpResponse<String>> writes = new LinkedHashMap<>();
                writes.put("new pin", administrator.post(server, "", draft(4)));
                writes.put(
                        "edited pin",
                        administrator.put(
                                server,
                                active,
                                Administrator.draft(build(1), "point.x", "{\"offset\": 0, \"size\": 4}", ""),
                                "If-Match",
                                "\"1\""));
                writes.put("retired pin", administrator.delete(server, active));
                writes.put("restored pin", administrator.post(server, "/" + retired + "/restore", ""));
                writes.put(
                        "copied pins",
                        administrator.post(
                                server, "/copy", "{\"from\": \"" + build(1) + "\", \"to\": \"" + build(5) + "\"}"));
                writes.put(
                        "type set",
                        server.send(
                                "PUT",
                                "/v1/type-sets/mine",
                                BodyPublishers.ofString(typeSet("Mine")),
                                administrator.authorized()));
                writes.put("prewarm", server.post("/v1/prewarms", "{\"builds\": [\"" + build(0) + "\"]}", authorized));
                writes.put("upload", publisher.put(server, build(6), SmallBuild.debugFile(build(6))));
                writes.put("retry", publisher.retry(server, build(3)));
                writes.put("new build", server.offsets(build(0), "point"));
                writes.forEach((what, response) -> softly.assertThat(isRefused(response))
                        .as("%s: %d %s", what, response.statusCode(), response.body())
                        .isTrue());

                Map<String, HttpResponse<String>> pages = new LinkedHashMap<>();
                pages.put("page of a session", person.get("/admin/builds"));
                pages.put(
                        "new token",
                        person.post("/admin/tokens", Map.of("label", "x", "scope", "publish", "days", "1")));
                pages.forEach((what, page) -> {
                    softly.assertThat(page.statusCode()).as(what).isEqualTo(503);
                    softly.assertThat(page.headers().allValues("Content-Security-Policy"))
                            .as(what)
                            .hasSize(1);
                });
            });

            for (String table : tables(jdbc)) {
                jdbc.sql("drop trigger disk_full on " + table).update();
            }
            assertThat(administrator.post(server, "", draft(4)).statusCode()).isEqualTo(201);
            assertThat(person.get("/admin/builds").statusCode()).isEqualTo(200);
        }
    }
}
