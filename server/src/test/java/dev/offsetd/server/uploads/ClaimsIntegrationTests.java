package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.BinaryWriter;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A kernel's own BTF has no build-id: its uploader claims which build it is of. */
@ChecklistRow({21})
@Timeout(120)
class ClaimsIntegrationTests {

    private static final String ID = SmallBuild.ID.toString();

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static Publisher ci;
    private static Publisher other;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = TestServer.start(folder.resolve("data"), database, "offsetd.offline=true");
        ci = Publisher.of(server, "ci");
        other = Publisher.of(server, "other");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() throws InterruptedException {
        String working = "select count(*) from extraction_lease where owner is not null";
        while (database.jdbc().sql(working).query(Integer.class).single() > 0) {
            Thread.sleep(20);
        }
        database.jdbc().sql("delete from builds").update();
        server.forgetAnswers();
    }

    private static String verified(TestServer asked) {
        return provenance(asked).path("verified").asString();
    }

    private static JsonNode provenance(TestServer asked) {
        return Json.of(asked.get("/v1/builds/" + ID)).path("provenance");
    }

    @Test
    void answersAndThePageOfTheBuildSayThatItIsClaimed() {
        HttpResponse<String> taken = ci.put(server, rawBtf());
        assertThat(taken.statusCode()).as(taken.body()).isEqualTo(201);

        assertThat(Json.of(server.offsets(ID, "point.y"))
                        .path("provenance")
                        .path("p1")
                        .path("verified")
                        .asString())
                .isEqualTo("claimed");
        assertThat(verified(server)).isEqualTo("claimed");
        assertThat(page())
                .contains("<span>claimed</span>", "its uploader says that it is of this build")
                .contains("Any file with a note replaces it.");

        other.put(server, SmallBuild.debugFile());
        assertThat(page()).contains("<span>build-id note</span>").doesNotContain("its uploader says");
    }

    private static String page() {
        return AdminClient.signIn(server).get("/admin/builds/" + ID).body();
    }

    @Test
    void everyFileWithANoteReplacesAClaim() {
        ci.put(server, rawBtf());
        assertThat(Json.of(other.precheck(server, ID, "")).path("upload").asBoolean())
                .isTrue();

        HttpResponse<String> replaced = other.put(server, SmallBuild.debugFile());

        assertThat(Json.of(replaced).path("result").asString()).isEqualTo("replaced");
        assertThat(verified(server)).isEqualTo("build-id note");
        assertThat(Json.of(server.get("/v1/builds/" + ID))
                        .path("arch")
                        .path("machine")
                        .asString())
                .isEqualTo("x86_64");
    }

    @Test
    void claimNeverReplacesAFileWithANote() {
        ci.put(server, SmallBuild.debugFile());
        for (Publisher publisher : List.of(ci, other)) {
            HttpResponse<String> refused = publisher.put(server, rawBtf());
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(Json.of(refused).path("reason").asString()).isEqualTo("only_claimed");
        }
        assertThat(verified(server)).isEqualTo("build-id note");
    }

    @Test
    void fileOfASourceReplacesAClaimAndNoClaimReplacesIt() throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer online = TestServer.start(
                        folder.resolve("online"),
                        TestDatabase.create(),
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=60s")) {
            Publisher publisher = Publisher.of(online, "ci");
            assertThat(publisher.put(online, rawBtf()).statusCode()).isEqualTo(201);
            assertThat(verified(online)).isEqualTo("claimed");

            upstream.open();

            while (!provenance(online).path("origin").asString().equals("debuginfod")) {
                Thread.sleep(20);
            }
            assertThat(verified(online)).isEqualTo("build-id note");
            HttpResponse<String> refused = publisher.put(online, rawBtf());
            assertThat(refused.statusCode()).isEqualTo(409);
            assertThat(Json.of(refused).path("reason").asString()).isEqualTo("upstream_has_it");
        }
    }

    /** {@code struct point { int x; int y; int z; int w; }}. */
    private static byte[] rawBtf() {
        BinaryWriter strings = new BinaryWriter(ByteOrder.LITTLE_ENDIAN).u8(0);
        List<Integer> names = new ArrayList<>();
        for (String name : List.of("int", "point", "x", "y", "z", "w")) {
            names.add(strings.size());
            strings.string(name);
        }
        BinaryWriter types = new BinaryWriter(ByteOrder.LITTLE_ENDIAN);
        types.u32(names.get(0)).u32(1L << 24).u32(4).u32(1L << 24 | 32);
        types.u32(names.get(1)).u32(4L << 24 | 4).u32(16);
        for (int i = 0; i < 4; i++) {
            types.u32(names.get(2 + i)).u32(1).u32(32L * i);
        }
        return new BinaryWriter(ByteOrder.LITTLE_ENDIAN)
                .u16(0xeb9f)
                .u8(1)
                .u8(0)
                .u32(24)
                .u32(0)
                .u32(types.size())
                .u32(types.size())
                .u32(strings.size())
                .bytes(types.toBytes())
                .bytes(strings.toBytes())
                .toBytes();
    }
}
