package dev.offsetd.server.builds.demand;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.ClaimedName;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.MeterRegistry;
import java.net.URLEncoder;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import tools.jackson.databind.JsonNode;

/** Unmet demand is counted, and listed in the order in which uploads help most. */
class DemandIntegrationTests {

    private static final String ONCE = "11".repeat(20);
    private static final String TWICE = "22".repeat(20);
    private static final String THRICE = "33".repeat(20);
    private static final String ALIAS = "sha256:" + "44".repeat(32);

    private static final int MAX_PENDING = 50;

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        database = TestDatabase.create();
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.demand.max-pending=" + MAX_PENDING,
                // The tests flush explicitly.
                "offsetd.demand.flush=1h");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() {
        server.bean(Demand.class).flush();
        database.jdbc().sql("delete from demand").update();
        database.jdbc()
                .sql("update builds set claimed_name = null, claimed_by = null")
                .update();
    }

    @Test
    void namesThatTheDatabaseRefusesAreStoredLater() {
        askNamed(ONCE, "program");
        database.jdbc().sql("""
                        create function refuse() returns trigger language plpgsql as
                            $$ begin raise exception 'refused'; end $$;
                        create trigger refuse_names before update of claimed_name on builds
                            for each statement execute function refuse()
                        """).update();
        try {
            assertThatThrownBy(server.bean(Demand.class)::flush).hasMessageContaining("refused");
        } finally {
            database.jdbc().sql("drop function refuse cascade").update();
        }
        server.bean(Demand.class).flush();
        assertThat(claim(server.get("/v1/builds/" + ONCE))).contains("program");
    }

    @Test
    void missesAreCountedAndAnswersAreNot() {
        ask(TWICE, 2);
        ask(THRICE, 3);
        ask(ONCE, 1);
        ask(SmallBuild.ID.toString(), 1);
        assertThat(rows()).isZero();
        server.bean(Demand.class).flush();
        JsonNode demand = Json.of(server.get("/v1/demand")).path("demand");
        assertThat(demand.valueStream().map(entry -> entry.path("buildId").asString()))
                .containsExactly(THRICE, TWICE, ONCE);
        assertThat(demand.valueStream().map(entry -> entry.path("count").asInt()))
                .containsExactly(3, 2, 1);
        assertThat(demand.get(0).path("cause").asString()).isEqualTo("not_found");
        assertThat(demand.get(0).path("firstAsked").asString())
                .isLessThanOrEqualTo(demand.get(0).path("lastAsked").asString());
    }

    @Test
    void lastNameThatAClientGaveIsShownAsAClaim() {
        server.get("/v1/offsets/" + ONCE + "?types=point&name=/usr/bin/first");
        server.get("/v1/symbols/" + ONCE + "?names=main&name=" + "x".repeat(300));
        server.post("/v1/offsets/" + TWICE + "?name=lib%20two.so", "[\"point\"]", "Content-Type", "application/json");
        server.get("/v1/offsets/" + SmallBuild.ID + "?types=point&name=small");
        ask(TWICE, 1);
        ask(ONCE, 1);
        ask(THRICE, 1);
        server.bean(Demand.class).flush();
        JsonNode demand = Json.of(server.get("/v1/demand")).path("demand");
        assertThat(demand.valueStream().map(entry -> entry.path("claimedName").asString("")))
                .containsExactly("x".repeat(200), "lib two.so", "");
        assertThat(demand.get(0).path("claimedBy").asString()).isEqualTo("client");
        assertThat(demand.get(2).has("claimedName")).isFalse();
        assertThat(demand.get(2).has("claimedBy")).isFalse();
    }

    private static HttpResponse<String> askNamed(String id, String name) {
        return server.get("/v1/offsets/" + id + "?types=point&name=" + URLEncoder.encode(name, StandardCharsets.UTF_8));
    }

    /** Returns the claim of a resource or problem: name, package and caller. */
    private static String claim(HttpResponse<String> answer) {
        JsonNode json = Json.of(answer);
        return String.join(
                " | ",
                json.path("claimedName").asString("-"),
                json.path("claimedPackage").asString("-"),
                json.path("claimedBy").asString("-"));
    }

    @Test
    void answersOfAMissingBuildSayWhatItIsClaimedToBe() {
        String path = "debs/libruby3.4_3.4.5-1_amd64.deb!./usr/lib/libruby.so.3.4";
        assertThat(claim(askNamed(ONCE, path))).as("stored a little later").isEqualTo("- | - | -");
        server.bean(Demand.class).flush();

        String claim = path + " | libruby3.4 3.4.5-1 | client";
        HttpResponse<String> missing = server.offsets(ONCE, "point");
        assertThat(missing.statusCode()).isEqualTo(404);
        assertThat(claim(missing)).isEqualTo(claim);
        assertThat(claim(server.get("/v1/symbols/" + ONCE + "?names=main"))).isEqualTo(claim);
        assertThat(claim(server.get("/v1/builds/" + ONCE))).isEqualTo(claim);
        assertThat(claim(server.offsets(TWICE, "point"))).isEqualTo("- | - | -");
    }

    @Test
    void clientDoesNotReplaceTheNameOfAPrewarmOrUpload() {
        ask(ONCE, 1);
        Builds builds = server.bean(Builds.class);
        for (ClaimedName.By publisher : List.of(ClaimedName.By.PREWARM, ClaimedName.By.PUSH)) {
            builds.storeClaimedNames(Map.of(
                    BuildId.parse(ONCE),
                    ClaimedName.of("/by/" + publisher, publisher).orElseThrow()));
            askNamed(ONCE, "/by/anyone");
            server.bean(Demand.class).flush();

            assertThat(claim(server.offsets(ONCE, "point")))
                    .isEqualTo("/by/" + publisher + " | - | " + publisher.word());
        }
        builds.storeClaimedNames(Map.of(
                BuildId.parse(ONCE),
                ClaimedName.of("/later", ClaimedName.By.PREWARM).orElseThrow()));
        assertThat(claim(server.offsets(ONCE, "point"))).isEqualTo("/later | - | prewarm");
    }

    @Test
    void claimEndsWithAFileAndNeverNamesTheBuild() throws Exception {
        BuildId id = BuildId.parse("44".repeat(20));
        askNamed(id.toString(), "claimedprogram_1.0-1_amd64.deb!bin/claimedprogram");
        server.bean(Demand.class).flush();
        assertThat(claim(server.get("/v1/builds/" + id))).contains("claimedprogram 1.0-1");

        assertThat(Publisher.of(server, "ci")
                        .put(server, id, SmallBuild.debugFile(id))
                        .statusCode())
                .isEqualTo(201);

        HttpResponse<String> stored = server.get("/v1/builds/" + id);
        assertThat(stored.body()).contains("\"extracted\"").doesNotContain("claim");
        assertThat(Json.of(server.get("/v1/builds?q=claimedprogram")).path("builds"))
                .isEmpty();
        askNamed(id.toString(), "claimedprogram");
        server.bean(Demand.class).flush();
        assertThat(database.jdbc()
                        .sql("select count(*) from builds where claimed_name is not null")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    @Test
    void namesBeyondTheLimitBetweenTwoWritesAreDropped() {
        Demand demand = server.bean(Demand.class);
        for (int i = 0; i <= MAX_PENDING; i++) {
            demand.claimed(BuildId.parse("%040x".formatted(i + 1)), "name" + i);
        }
        BuildId last = BuildId.parse("%040x".formatted(MAX_PENDING + 1));
        ask(last.toString(), 1);
        demand.flush();

        assertThat(claim(server.offsets(last, "point"))).isEqualTo("- | - | -");
    }

    @Test
    void pagesShowAClaimAsText() {
        ask(ONCE, 1);
        askNamed(ONCE, "<b>app_1.0-1_amd64.deb");
        server.bean(Demand.class).flush();

        AdminClient admin = AdminClient.signIn(server);
        for (String page : List.of("/admin/demand", "/admin/builds/" + ONCE, "/admin/prewarms")) {
            String body = admin.get(page).body();
            assertThat(body)
                    .as(page)
                    .contains("claimed by client: <bdi>&lt;b&gt;app_1.0-1_amd64.deb</bdi>")
                    .contains("package <bdi>&lt;b&gt;app 1.0-1</bdi>")
                    .doesNotContain("<b>");
        }
    }

    @Test
    void batchesAndResolutionsGiveNamesToo() {
        server.post(
                "/v1/offsets",
                "[{\"buildId\":\"" + ONCE + "\",\"types\":\"point\",\"name\":\"/usr/bin/batch\"}]",
                "Content-Type",
                "application/json");
        server.get("/v1/resolve/" + TWICE + "?expr=point%2B4&name=/usr/bin/resolve");
        server.bean(Demand.class).flush();
        JsonNode demand = Json.of(server.get("/v1/demand")).path("demand");
        assertThat(demand.valueStream().map(entry -> entry.path("claimedName").asString("")))
                .containsExactlyInAnyOrder("/usr/bin/batch", "/usr/bin/resolve");
    }

    @Test
    void nameDoesNotSplitTheCacheOfAnswers() {
        HttpResponse<String> plain = server.offsets(SmallBuild.ID, "point");
        HttpResponse<String> named = server.get("/v1/offsets/" + SmallBuild.ID + "?types=point&name=a");
        assertThat(named.body()).isEqualTo(plain.body());
        assertThat(named.headers().firstValue("ETag")).isEqualTo(plain.headers().firstValue("ETag"));
        double before = fromMemory();
        assertThat(server.get("/v1/offsets/" + SmallBuild.ID + "?types=point&name=b")
                        .statusCode())
                .isEqualTo(200);
        assertThat(fromMemory()).isEqualTo(before + 1);
    }

    private static double fromMemory() {
        return server.bean(MeterRegistry.class)
                .get("offsetd.answers.given")
                .tag("from", "memory")
                .counter()
                .count();
    }

    @Test
    void nameWithAControlCharacterIsRefused() {
        assertThat(server.get("/v1/offsets/" + ONCE + "?types=point&name=a%1bb").statusCode())
                .isEqualTo(400);
    }

    @Test
    void countsOfSeveralWritesAddUp() {
        ask(ONCE, 1);
        server.bean(Demand.class).flush();
        ask(ONCE, 4);
        server.bean(Demand.class).flush();
        assertThat(Json.of(server.get("/v1/demand"))
                        .path("demand")
                        .get(0)
                        .path("count")
                        .asInt())
                .isEqualTo(5);
    }

    @ParameterizedTest
    @ValueSource(strings = {"count", "last_asked"})
    void pagesHoldEveryBuildOnceInOrder(String sort) {
        for (String id : List.of(TWICE, ALIAS, THRICE, ONCE)) {
            ask(id, 2);
        }
        server.bean(Demand.class).flush();
        List<String> seen = new ArrayList<>();
        String next = "/v1/demand?limit=1&sort=" + sort;
        while (!next.isEmpty()) {
            HttpResponse<String> page = server.get(next);
            assertThat(page.statusCode()).isEqualTo(200);
            assertThat(Json.of(page).path("demand").size()).isEqualTo(1);
            seen.add(Json.of(page).path("demand").get(0).path("buildId").asString());
            next = Json.of(page).path("next").asString("");
            assertThat(page.headers().firstValue("Link"))
                    .isEqualTo(next.isEmpty() ? Optional.empty() : Optional.of("<" + next + ">; rel=\"next\""));
        }
        // All builds have the same count, so the most recently requested comes first in either order.
        assertThat(seen).containsExactly(ONCE, THRICE, ALIAS, TWICE);
    }

    @Test
    void csvIsForScripts() {
        ask(TWICE, 2);
        server.bean(Demand.class).flush();
        HttpResponse<String> csv = server.get("/v1/demand", "Accept", "text/csv");
        assertThat(csv.headers().firstValue("Content-Type")).hasValue("text/csv;charset=UTF-8");
        List<String> lines = csv.body().lines().toList();
        assertThat(lines.get(0)).isEqualTo("build_id,count,first_asked,last_asked,cause");
        assertThat(lines.get(1)).matches(TWICE + ",2,[0-9TZ:.-]+,[0-9TZ:.-]+,not_found");
        assertThat(lines).hasSize(2);
        for (String json :
                List.of("*/*", "text/html", "text/csv;q=0.5, application/json", "application/*, text/csv;q=0.9")) {
            assertThat(server.get("/v1/demand", "Accept", json).headers().firstValue("Content-Type"))
                    .as(json)
                    .hasValue("application/json");
        }
        assertThat(server.get("/v1/demand", "Accept", "text/csv, */*;q=0.1").body())
                .startsWith("build_id,");
        assertThat(Json.of(server.get("/v1/demand", "Accept", "image/png"))
                        .path("detail")
                        .asString())
                .contains("application/json, application/cbor, text/csv");
    }

    @Test
    void buildThatIsStoredByNowIsInDemandNoMore() {
        ask(TWICE, 2);
        server.bean(Demand.class).flush();
        database.jdbc().sql("""
                        update builds set state = 'extracted', settled_at = now() where build_id = :id
                        """).param("id", HexFormat.of().parseHex(TWICE)).update();
        assertThat(Json.of(server.get("/v1/demand")).path("demand").size()).isZero();
        assertThat(server.bean(DemandTable.class).sweep()).isEqualTo(1);
        assertThat(rows()).isZero();
        database.jdbc()
                .sql("delete from builds where build_id = :id")
                .param("id", HexFormat.of().parseHex(TWICE))
                .update();
    }

    @Test
    void staleDemandIsDeleted() {
        ask(TWICE, 2);
        server.bean(Demand.class).flush();
        assertThat(server.bean(DemandTable.class).sweep()).isZero();
        database.jdbc()
                .sql("update demand set last_asked = now() - interval '91 days'")
                .update();
        assertThat(server.bean(DemandTable.class).sweep()).isEqualTo(1);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "limit=0",
                "limit=201",
                "limit=x",
                "limit=",
                "limit=1&limit=2",
                "sort=size",
                "cursor=",
                "cursor=%00",
                "cursor=Yg",
                "cursor=!!",
                "cursor=Y2NjY2NjY2M",
                "q=ab",
                "sort=%ff%fe"
            })
    void badQueryIs400(String query) {
        HttpResponse<String> response = server.get("/v1/demand?" + query);
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
    }

    @Test
    void cursorOfAnotherOrderIs400() {
        ask(ONCE, 1);
        ask(TWICE, 1);
        server.bean(Demand.class).flush();
        String next = Json.of(server.get("/v1/demand?limit=1")).path("next").asString();
        assertThat(server.get(next).statusCode()).isEqualTo(200);
        HttpResponse<String> other = server.get(next + "&sort=last_asked");
        assertThat(Json.of(other).path("code").asString()).isEqualTo("bad_cursor");
        String builds = Json.of(server.get("/v1/builds?limit=1")).path("next").asString();
        assertThat(server.get(builds.replace("/v1/builds", "/v1/demand")).statusCode())
                .isEqualTo(400);
    }

    @Test
    void whatWasCountedIsWrittenDownAtTheEnd() {
        TestDatabase another = TestDatabase.create();
        try (TestServer other =
                TestServer.start(folder.resolve("short"), another, "offsetd.offline=true", "offsetd.demand.flush=1h")) {
            other.offsets(ONCE, "point");
        }
        assertThat(another.jdbc()
                        .sql("select sum(asked) from demand")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
    }

    private static void ask(String id, int times) {
        for (int i = 0; i < times; i++) {
            server.offsets(id, "point");
        }
    }

    private static int rows() {
        return database.jdbc()
                .sql("select count(*) from demand")
                .query(Integer.class)
                .single();
    }
}
