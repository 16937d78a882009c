package dev.offsetd.server.builds.extraction;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.apache.commons.codec.digest.DigestUtils;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** A damaged file answers for what can be read of it, until there is a copy without damage. */
class DamagedFilesIntegrationTests {

    private static final String BUILD = "/v1/builds/" + SmallBuild.ID;

    @TempDir
    private Path folder;

    private TestServer server(String... properties) {
        return server(TestDatabase.create(), properties);
    }

    private TestServer server(TestDatabase database, String... properties) {
        List<String> all = new ArrayList<>(List.of(
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("one") + "," + folder.resolve("other")));
        all.addAll(List.of(properties));
        return TestServer.start(folder.resolve("data"), database, all.toArray(String[]::new));
    }

    private static JsonNode item(TestServer server, String item) throws Exception {
        HttpResponse<String> answer = server.offsets(SmallBuild.ID, item);
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        return Json.of(answer).path("offsets").path(item);
    }

    private static String sha256(TestServer server) throws Exception {
        return Json.of(server.get(BUILD)).path("provenance").path("sha256").asString();
    }

    @ChecklistRow(29)
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void copyWithoutDamageAnswersWhateverTheOrderOfTheSources(boolean damagedFirst) throws Exception {
        SmallBuild.putInto(folder.resolve(damagedFirst ? "one" : "other"), SmallBuild.damaged());
        SmallBuild.putInto(folder.resolve(damagedFirst ? "other" : "one"), SmallBuild.richerDebugFile());
        try (TestServer server = server()) {
            assertThat(item(server, "circle.radius").path("offset").asInt()).isEqualTo(4);
            assertThat(item(server, "point.y").has("incomplete")).isFalse();
            assertThat(sha256(server)).isEqualTo(DigestUtils.sha256Hex(SmallBuild.richerDebugFile()));
            assertThat(Json.of(server.get(BUILD)).has("omitted")).isFalse();
        }
    }

    @Test
    void damagedFileAnswersAndSaysWhatItLacks() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.damaged());
        try (TestServer server = server()) {
            JsonNode found = item(server, "point.y");
            assertThat(found.path("offset").asInt()).isEqualTo(4);
            assertThat(found.path("incomplete").asBoolean()).isTrue();
            JsonNode missed = item(server, "circle");
            assertThat(missed.path("status").asString()).isEqualTo("type_not_found");
            assertThat(missed.path("incomplete").asBoolean()).isTrue();
            JsonNode build = Json.of(server.get(BUILD));
            for (int i = 0; i < 3000 && build.path("state").asString().equals("running"); i++) {
                // The sources are asked behind it.
                Thread.sleep(20);
                build = Json.of(server.get(BUILD));
            }
            assertThat(build.path("state").asString()).isEqualTo("extracted");
            JsonNode omitted = build.path("omitted").get(0);
            assertThat(omitted.path("part").asString()).isEqualTo("unit");
            assertThat(omitted.path("cause").asString()).isEqualTo("damaged");
            assertThat(omitted.path("count").asInt()).isEqualTo(1);
            assertThat(AdminClient.signIn(server)
                            .get("/admin/builds/" + SmallBuild.ID)
                            .body())
                    .contains("Not everything could be read", "unknown abbreviation code 127");
            assertThat(omitted.path("places").get(0).asString()).contains("unknown abbreviation code 127");
            assertThat(server.get("/metrics", "Accept", "application/openmetrics-text")
                            .body())
                    .contains("offsetd_extraction_omissions_total{cause=\"damaged\",part=\"unit\"} 1.0");
        }
    }

    @Test
    void typeOfAModuleOfClangIsDeclaredOnlyAndTheOthersAreAnswered() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.withAModule());
        try (TestServer server = server()) {
            assertThat(item(server, "point.y").path("offset").asInt()).isEqualTo(4);
            JsonNode declared = item(server, "Foo");
            assertThat(declared.path("status").asString()).isEqualTo("declaration_only");
            assertThat(declared.path("detail").asString()).contains("cache/FooMod.pcm");
            JsonNode omitted = Json.of(server.get(BUILD)).path("omitted").get(0);
            assertThat(omitted.path("part").asString()).isEqualTo("unit");
            assertThat(omitted.path("cause").asString()).isEqualTo("missing");
            assertThat(omitted.path("places").get(0).asString()).startsWith("\"cache/FooMod.pcm\"");
        }
    }

    @Test
    void whatIsLeftOutOfAnUploadIsCounted() {
        try (TestServer server = server()) {
            assertThat(Publisher.of(server, "ci")
                            .put(server, SmallBuild.ID, SmallBuild.damaged())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(server.get("/metrics", "Accept", "application/openmetrics-text")
                            .body())
                    .contains("offsetd_extraction_omissions_total{cause=\"damaged\",part=\"unit\"} 1.0");
        }
    }

    @Test
    void damagedSymbolTableLeavesTheTypesAndTheOtherTables() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.withADamagedSymbolTable());
        try (TestServer server = server()) {
            JsonNode found = item(server, "point.y");
            assertThat(found.path("offset").asInt()).isEqualTo(4);
            assertThat(found.has("incomplete")).isFalse();
            JsonNode missed = item(server, "circle");
            assertThat(missed.path("status").asString()).isEqualTo("type_not_found");
            assertThat(missed.has("incomplete")).isFalse();
            assertThat(missed.has("detail")).isFalse();
            JsonNode symbols = item(server, "symbol exported");
            assertThat(symbols.toString()).contains("\"exported\"");
            assertThat(symbols.path("incomplete").asBoolean()).isTrue();
            assertThat(Json.of(server.get("/v1/symbols/" + SmallBuild.ID + "?names=exported"))
                            .path("incomplete")
                            .asBoolean())
                    .isTrue();
            JsonNode omitted = Json.of(server.get(BUILD)).path("omitted").get(0);
            assertThat(omitted.path("part").asString()).isEqualTo("symbol_table");
            assertThat(omitted.path("cause").asString()).isEqualTo("damaged");
            assertThat(omitted.path("places").get(0).asString()).startsWith(".symtab: sh_link is 2457");
        }
    }

    @Test
    void cutNamesOfSymbolsAreDamageToo() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.withDamagedSymbolNames());
        try (TestServer server = serverThatSoonAsksAgain(TestDatabase.create())) {
            assertThat(item(server, "point.y").has("incomplete")).isFalse();
            JsonNode missed = item(server, "symbol main");
            assertThat(missed.path("status").asString()).isEqualTo("type_not_found");
            assertThat(missed.path("incomplete").asBoolean()).isTrue();
            JsonNode omitted = Json.of(server.get(BUILD)).path("omitted").get(0);
            assertThat(omitted.path("part").asString()).isEqualTo("symbol");
            assertThat(omitted.path("cause").asString()).isEqualTo("damaged");
            assertThat(omitted.path("places").get(0).asString()).startsWith(".strtab+0x1: string does not end");
            SmallBuild.putInto(folder.resolve("other"), SmallBuild.richerDebugFile());
            awaitTheFileWithoutDamage(server);
        }
    }

    @Test
    void copyWithoutDamageReplacesADamagedOneWhenTheSourcesAreAskedAgain() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.damaged());
        try (TestServer server = serverThatSoonAsksAgain(TestDatabase.create())) {
            assertThat(item(server, "point.y").path("incomplete").asBoolean()).isTrue();
            SmallBuild.putInto(folder.resolve("other"), SmallBuild.richerDebugFile());
            awaitTheFileWithoutDamage(server);
            assertThat(item(server, "circle.radius").path("offset").asInt()).isEqualTo(4);
        }
    }

    /** The types of the disabled source were discarded as corrupt; its outcome stays. */
    @Test
    void outcomeOfADisabledSourceDoesNotKeepADamagedFile() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.damaged());
        TestDatabase database = TestDatabase.create();
        try (TestServer server = serverThatSoonAsksAgain(database)) {
            assertThat(item(server, "point.y").path("incomplete").asBoolean()).isTrue();
            database.jdbc().sql("""
                            insert into source_outcomes (build_id, source, origin, outcome, misses, asked_at, retry_at)
                            values (:id, 'https://disabled.example', 'debuginfod', 'fetched', 0, now(), now())
                            """).param("id", SmallBuild.ID.toBytes()).update();
            SmallBuild.putInto(folder.resolve("other"), SmallBuild.richerDebugFile());
            awaitTheFileWithoutDamage(server);
        }
    }

    private TestServer serverThatSoonAsksAgain(TestDatabase database) {
        return server(
                database,
                "offsetd.extraction.retry.unusable=100ms",
                "offsetd.extraction.retry.not-found-locally=100ms");
    }

    private static void awaitTheFileWithoutDamage(TestServer server) throws Exception {
        String sound = DigestUtils.sha256Hex(SmallBuild.richerDebugFile());
        for (int i = 0; i < 3000 && !sha256(server).equals(sound); i++) {
            assertThat(item(server, "point.y|unknown" + i).path("offset").asInt())
                    .isEqualTo(4);
            Thread.sleep(20);
        }
        assertThat(sha256(server)).isEqualTo(sound);
    }

    @Test
    void retryAsksTheSourcesOfADamagedFileAgainAtOnce() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.damaged());
        try (TestServer server = server()) {
            assertThat(item(server, "point.y").path("incomplete").asBoolean()).isTrue();
            SmallBuild.putInto(folder.resolve("other"), SmallBuild.richerDebugFile());
            assertThat(Publisher.of(server, "ci").retry(server, SmallBuild.ID).statusCode())
                    .isLessThan(300);
            String sound = DigestUtils.sha256Hex(SmallBuild.richerDebugFile());
            for (int i = 0; i < 3000 && !sha256(server).equals(sound); i++) {
                Thread.sleep(20);
            }
            assertThat(sha256(server)).isEqualTo(sound);
        }
    }

    @Test
    void uploadWithoutDamageReplacesADamagedFileAndNotTheOtherWayRound() throws Exception {
        SmallBuild.putInto(folder.resolve("one"), SmallBuild.damaged());
        try (TestServer server =
                server("offsetd.extraction.retry.unusable=100ms", "offsetd.extraction.retry.not-found-locally=100ms")) {
            Publisher ci = Publisher.of(server, "ci");
            assertThat(item(server, "point.y").path("incomplete").asBoolean()).isTrue();
            HttpResponse<String> put = ci.put(server, SmallBuild.ID.toString(), SmallBuild.richerDebugFile());
            assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
            for (int i = 0; i < 20; i++) {
                // The sources are asked behind it, and have the damaged file only.
                assertThat(item(server, "circle.radius").path("offset").asInt()).isEqualTo(4);
                Thread.sleep(20);
            }
            HttpResponse<String> refused = ci.put(server, SmallBuild.ID.toString(), SmallBuild.damaged());
            assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
            assertThat(refused.body()).contains("\"damaged\"");
        }
    }
}
