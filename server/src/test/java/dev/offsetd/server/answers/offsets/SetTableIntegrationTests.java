package dev.offsetd.server.answers.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.testkit.Cbor;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.ByteOrder;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

/** One table with the values of a type set in every build that has it. */
@Timeout(120)
class SetTableIntegrationTests {

    private static final List<String> RUBIES = List.of("5a".repeat(20), "5b".repeat(20), "5c".repeat(20));
    private static final Architecture ARCHITECTURE = new Architecture("x86_64", 64, ByteOrder.LITTLE_ENDIAN);
    private static final String TABLE = "/v1/exports/sets/ruby";

    @TempDir
    private static Path folder;

    private static TestServer server;

    @BeforeAll
    static void start() throws Exception {
        for (String id : RUBIES) {
            SmallRuby.compile(
                            folder.resolve("made-" + id),
                            id,
                            source -> id.equals(RUBIES.getLast())
                                    ? source.replace(
                                                    "VALUE ary[1]; } as; } array",
                                                    "VALUE ary[1]; } as; VALUE more; } array")
                                            .replace(
                                                    "struct rb_control_frame_struct *cfp; void *thread_ptr;",
                                                    "void *thread_ptr; struct rb_control_frame_struct *cfp;")
                                    : source)
                    .putInto(folder.resolve("debug"));
        }
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        server = TestServer.start(
                folder.resolve("data"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
        for (String id : RUBIES) {
            assertThat(server.offsets(id, "RString").statusCode()).isEqualTo(200);
            server.bean(Identities.class)
                    .storeSets(
                            BuildId.parse(id),
                            List.of(new SetCoverage("ruby", new Coverage.Share(1, 1), new Coverage.Share(0, 0))));
        }
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @Test
    void tableHasEachBuildOfTheSetWithTheValuesOfItsAnswer() {
        JsonNode table = Json.of(server.get(TABLE));

        assertThat(table.path("set").asString()).isEqualTo("ruby");
        assertThat(table.path("builds")
                        .valueStream()
                        .map(build -> build.path("buildId").asString()))
                .containsExactlyElementsOf(RUBIES);
        assertThat(table.has("next")).isFalse();
        JsonNode row = table.path("builds").get(1);
        assertThat(row.path("complete").asBoolean()).isTrue();
        assertThat(row.path("arch").path("machine").asString()).isEqualTo("x86_64");
        JsonNode answer = Json.of(server.get("/v1/offsets/" + RUBIES.get(1) + "?types=@ruby&view=flat"));
        assertThat(row.path("provenance")).isEqualTo(answer.path("provenance"));
        List<String> items = new ArrayList<>(row.path("values").propertyNames());
        assertThat(items)
                .contains("RString.as.heap.ptr", "enumerator imemo_cref")
                .doesNotContain("@ruby");
        for (String item : items) {
            assertThat(row.path("values").path(item))
                    .as(item)
                    .isEqualTo(answer.path("offsets").path(item));
        }
    }

    @Test
    void valuesOfAMapAreThoseOfItsView() {
        JsonNode table = Json.of(server.get(TABLE + "?map=runtime-data"));

        assertThat(table.path("map").asString()).isEqualTo("runtime-data");
        JsonNode row = table.path("builds").get(0);
        assertThat(row.path("values"))
                .isEqualTo(
                        Json.of(server.get("/v1/offsets/" + RUBIES.get(0) + "?types=@ruby&view=map&map=runtime-data"))
                                .path("offsets"));
        assertThat(row.path("values").path("cfp_offset").asInt()).isEqualTo(16);
        assertThat(row.path("values").path("main_thread_offset"))
                .isEqualTo(JsonMapper.shared().readTree("""
                {"status": "type_not_found",
                 "item": "rb_vm_struct.ractor.main_ractor|rb_vm_struct.main_thread"}"""));
        assertThat(row.path("complete").asBoolean()).isFalse();
    }

    private static String[] administrator() {
        String token = server.bean(Tokens.class)
                .create("admin of sets", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                .text();
        return new String[] {"Authorization", "Bearer " + token, "Content-Type", "application/json"};
    }

    @Test
    void buildsOfAVersionShareTheirValuesAndDifferingNamesAreLeftOut() throws IOException {
        HttpResponse<String> made =
                server.send("PUT", "/v1/type-sets/mine", BodyPublishers.ofString("""
                {"title": "Mine", "items": [{"item": "RArray"}], "maps": {"agent": {"title": "Our agent", "names": {
                  "ary": {"offset": "RArray.as.ary"}, "array_size": {"size": "RArray"},
                  "ec": {"tlsOffset": "symbol ruby_current_ec"}, "vm_exec": {"address": "symbol rb_vm_exec"},
                  "cfp": {"plan": "ruby_current_ec->cfp"}}}}}"""), administrator());
        assertThat(made.statusCode()).isEqualTo(201);
        List<SetCoverage> both = Stream.of("ruby", "mine")
                .map(set -> new SetCoverage(set, new Coverage.Share(1, 1), new Coverage.Share(0, 0)))
                .toList();
        Identity identity = new Identity(List.of(
                new IdentityField(IdentityField.Kind.PROJECT, "ruby", ".rodata", true),
                new IdentityField(IdentityField.Kind.VERSION, "3.4.1", ".rodata", false)));
        for (String id : RUBIES) {
            server.bean(Identities.class).storeSets(BuildId.parse(id), both);
            server.bean(Identities.class).add(BuildId.parse(id), ARCHITECTURE, identity);
        }

        JsonNode table = Json.of(server.get("/v1/exports/sets/mine?map=agent"));

        JsonNode row = table.path("builds").get(0);
        assertThat(row.path("values").path("ec").isInt()).isTrue();
        assertThat(row.path("values").path("vm_exec").asLong()).isPositive();
        assertThat(row.path("limits")).isEqualTo(JsonMapper.shared().readTree("""
                {"ary": {"size": 8, "within": 32}}"""));
        assertThat(table.path("builds").get(2).path("values").path("array_size").asInt())
                .isEqualTo(40);
        assertThat(table.path("versions")).isEqualTo(JsonMapper.shared().readTree("""
                {"ruby 3.4.1 x86_64": {"values": {"ary": 16}, "limits": {}, "differing": ["array_size", "cfp"]}}"""));
        assertThat(Json.of(server.get("/v1/exports/sets/mine?map=agent&limit=2"))
                        .has("versions"))
                .isFalse();
        assertThat(Json.of(server.get("/v1/diff?types=@mine&map=agent&from=" + RUBIES.get(0) + "&to=" + RUBIES.get(2)))
                        .path("names"))
                .isEqualTo(JsonMapper.shared().readTree("""
                [{"name": "array_size", "from": 32, "to": 40}, {"name": "cfp",
                  "from": {"symbol": "ruby_current_ec",
                    "steps": [{"offset": 0}, {"deref": true, "pointerSize": 8}, {"offset": 16}], "size": 8},
                  "to": {"symbol": "ruby_current_ec",
                    "steps": [{"offset": 0}, {"deref": true, "pointerSize": 8}, {"offset": 24}], "size": 8}}]"""));
        JsonNode checked = Json.of(server.send(
                "POST",
                "/v1/checks?machine=x86_64&types=@mine&map=agent&reference=" + RUBIES.getFirst(),
                BodyPublishers.noBody()));
        Map<String, JsonNode> findings = new HashMap<>();
        checked.path("builds").forEach(build -> findings.put(build.path("build").asString(), build.path("findings")));
        assertThat(findings.get(RUBIES.get(1))).isEmpty();
        assertThat(findings.get(RUBIES.get(2))).isEqualTo(JsonMapper.shared().readTree("""
                [{"name": "array_size", "status": "differs", "detail": "32 -> 40"},
                 {"name": "cfp", "status": "differs", "detail":
                  "+16(+0(ruby_current_ec)), 8 bytes -> +24(+0(ruby_current_ec)), 8 bytes"}]"""));
    }

    @Test
    void cborSaysTheSame() {
        HttpResponse<byte[]> cbor = server.cbor("GET", TABLE, BodyPublishers.noBody(), "Accept", "application/cbor");

        assertThat(Cbor.of(cbor)).isEqualTo(Json.of(server.get(TABLE)));
    }

    @Test
    void nextLeadsThroughAllBuilds() {
        List<String> seen = new ArrayList<>();
        String path = TABLE + "?limit=2&machine=x86_64";
        int tables = 0;
        while (path != null) {
            JsonNode table = Json.of(server.get(path));
            table.path("builds").forEach(build -> seen.add(build.path("buildId").asString()));
            path = table.has("next") ? table.path("next").asString() : null;
            tables++;
        }

        assertThat(seen).containsExactlyElementsOf(RUBIES);
        assertThat(tables).isEqualTo(2);
        assertThat(Json.of(server.get(TABLE + "?limit=3")).has("next")).isFalse();
        assertThat(Json.of(server.get(TABLE + "?machine=aarch64"))
                        .path("builds")
                        .isEmpty())
                .isTrue();
    }

    @Test
    void tableHasAValidator() {
        HttpResponse<String> table = server.get(TABLE + "?map=runtime-data");
        String etag = table.headers().firstValue("ETag").orElseThrow();

        assertThat(table.headers().firstValue("Cache-Control").orElseThrow()).contains("max-age=60");
        assertThat(server.get(TABLE + "?map=runtime-data", "If-None-Match", etag)
                        .statusCode())
                .isEqualTo(304);
        assertThat(server.get(TABLE, "If-None-Match", etag).statusCode()).isEqualTo(200);
    }

    @ParameterizedTest
    @CsvSource({
        "nope, 404, type_set_not_found",
        "No%20Set, 404, type_set_not_found",
        "ruby?map=nope, 400, unknown_map",
        "ruby?limit=1001, 400, bad_limit",
        "ruby?limit=0, 400, bad_limit",
        "ruby?cursor=abc, 400, bad_cursor",
        "ruby?machine=, 400, bad_machine",
        "ruby?view=flat, 400, unknown_parameter"
    })
    void invalidRequestIsRefused(String path, int status, String code) {
        HttpResponse<String> response = server.get("/v1/exports/sets/" + path);

        assertThat(response.statusCode()).isEqualTo(status);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
    }
}
