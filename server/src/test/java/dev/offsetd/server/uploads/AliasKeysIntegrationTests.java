package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Builds under alias keys, with programs of a real compiler. */
@Timeout(300)
class AliasKeysIntegrationTests {

    /** The GNU build-id that Go 1.24 and later give to every program that Bazel builds. */
    private static final String BAZEL = "498919aff001d8366249403a2544fba2d833084f";

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static Publisher ci;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.extraction.retry.not-found-locally=1h");
        ci = Publisher.of(server, "ci");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    /** Compiles a library whose only struct and function have this name, with debug information. */
    private static Path library(String name, String... options) throws Exception {
        Path source = Files.writeString(
                folder.resolve(name + ".c"),
                "struct " + name + "_t { int x; long y; };\nlong " + name + "(struct " + name
                        + "_t *p) { return p->y; }\n");
        Path file = folder.resolve("lib" + name + ".so");
        Object[] arguments = Stream.concat(Stream.of("-g", "-shared", "-fPIC", "-o", file, source), Stream.of(options))
                .toArray();
        RequiredTool.require("gcc").output(arguments);
        return file;
    }

    private static Path stripped(Path file) throws Exception {
        Path stripped = file.resolveSibling(file.getFileName() + ".stripped");
        RequiredTool.require("strip").output("-o", stripped, file);
        return stripped;
    }

    private static String key(Path file, BuildId.Alias alias) throws Exception {
        return DebugInfo.read(file, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::keys).all().stream()
                .filter(key -> key.isA(alias))
                .findFirst()
                .orElseThrow()
                .toString();
    }

    private static String htl(Path file) throws Exception {
        return key(file, BuildId.Alias.HTLHASH);
    }

    private static String sha256(Path file) throws Exception {
        return key(file, BuildId.Alias.SHA256);
    }

    @Test
    void strippedProgramWithoutABuildIdHasSymbolsAndNoLayouts() throws Exception {
        Path file = stripped(library("lonely", "-Wl,--build-id=none"));

        HttpResponse<String> put = ci.putExecutable(server, htl(file), Files.readAllBytes(file));

        assertThat(put.statusCode()).as(put.body()).isEqualTo(200);
        JsonNode answer = Json.of(put);
        assertThat(answer.path("buildId").asString()).isEqualTo(sha256(file));
        assertThat(put.headers().firstValue("Location")).hasValue("/v1/builds/" + sha256(file));
        assertThat(answer.path("keys").valueStream().map(JsonNode::asString)).containsExactly(htl(file), sha256(file));
        assertThat(answer.path("layouts").asBoolean()).isFalse();
        assertThat(answer.path("symbols").asBoolean()).isTrue();

        JsonNode symbols = Json.of(server.get("/v1/symbols/" + htl(file) + "?names=lonely"));
        assertThat(symbols.path("buildId").asString()).isEqualTo(sha256(file));
        assertThat(symbols.path("names").path("lonely").path("status").asString())
                .isEqualTo("found");
        HttpResponse<String> layouts = server.offsets(htl(file), "struct lonely_t");
        assertThat(layouts.statusCode()).as(layouts.body()).isEqualTo(422);
        assertThat(Json.of(layouts).path("code").asString()).isEqualTo("no_debuginfo");
    }

    @Test
    void uploadIsStoredWithItsKeysOrNotAtAll() throws Exception {
        Path file = library("refused", "-Wl,--build-id=none");
        database.jdbc().sql("""
                        create function refuse() returns trigger language plpgsql as
                            $$ begin raise exception 'refused'; end $$;
                        create trigger refuse_keys before insert on build_aliases
                            for each statement execute function refuse()
                        """).update();
        try {
            assertThat(ci.put(server, sha256(file), Files.readAllBytes(file)).statusCode())
                    .isGreaterThanOrEqualTo(500);
        } finally {
            database.jdbc().sql("drop function refuse cascade").update();
        }
        assertThat(database.jdbc()
                        .sql("select count(*) from debug_files where build_id = :id")
                        .param("id", BuildId.parseKey(sha256(file)).toBytes())
                        .query(Integer.class)
                        .single())
                .isZero();
        assertThat(ci.put(server, sha256(file), Files.readAllBytes(file)).statusCode())
                .isEqualTo(201);
        assertThat(server.offsets(htl(file), "refused_t.y").statusCode()).isEqualTo(200);
    }

    @Test
    void everyQueryFindsABuildByItsKeys() throws Exception {
        Path file = library("found", "-Wl,--build-id=none");
        HttpResponse<String> put = ci.put(server, sha256(file), Files.readAllBytes(file));
        assertThat(put.statusCode()).as(put.body()).isEqualTo(201);
        assertThat(Json.of(put).path("buildId").asString()).isEqualTo(sha256(file));

        for (String key : List.of(sha256(file), htl(file), htl(file).replace(":", "%3A"))) {
            JsonNode offsets = Json.of(server.offsets(key, "found_t.y"));
            assertThat(offsets.path("buildId").asString()).isEqualTo(sha256(file));
            assertThat(offsets.path("offsets").path("found_t.y").path("offset").asInt())
                    .isEqualTo(8);
            // An upload makes the server query its sources, whose files outrank it.
            while (!Json.of(server.get("/v1/builds/" + key))
                    .path("state")
                    .asString()
                    .equals("extracted")) {
                Thread.sleep(20);
            }
            assertThat(Json.of(server.get("/v1/builds/" + key + "/types"))
                            .path("types")
                            .toString())
                    .contains("found_t");
            assertThat(server.get("/v1/resolve/" + key + "?expr=found_t%2B8").body())
                    .contains("\"y\"");
        }
        JsonNode batch = Json.of(server.post(
                "/v1/offsets",
                "[{\"buildId\": \"" + htl(file) + "\", \"types\": \"found_t.y\"}]",
                "Content-Type",
                "application/json"));
        JsonNode reply = batch.path("answers").get(0);
        assertThat(reply.path("status").asInt()).as(batch.toString()).isEqualTo(200);
        assertThat(reply.path("buildId").asString()).isEqualTo(htl(file));
        assertThat(reply.path("answer").path("buildId").asString()).isEqualTo(sha256(file));
        HttpResponse<String> diff =
                server.get("/v1/diff?from=" + htl(file) + "&to=" + sha256(file) + "&types=struct+found_t");
        assertThat(diff.statusCode()).as(diff.body()).isEqualTo(200);
        assertThat(server.get("/v1/builds?q=" + htl(file)).body()).contains(sha256(file));
        assertThat(server.get("/v1/builds?q=" + sha256(file)).body()).contains(sha256(file));
        assertThat(Json.of(server.get("/v1/builds/" + htl(file)))
                        .path("aliases")
                        .get(0)
                        .asString())
                .isEqualTo(htl(file));
    }

    @Test
    void layoutsOfADebugFileAnswerForTheExecutable() throws Exception {
        Path full = library("split", "-Wl,--build-id=0x5511223344556677");
        Path program = stripped(full);
        Path debug = folder.resolve("split.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", full, debug);
        String id = "5511223344556677";

        assertThat(ci.put(server, id, Files.readAllBytes(debug)).statusCode()).isEqualTo(201);
        assertThat(server.get("/v1/builds/" + htl(program)).statusCode()).isEqualTo(404);
        JsonNode answer = Json.of(ci.putExecutable(server, id, Files.readAllBytes(program)));

        assertThat(answer.path("layouts").asBoolean()).isTrue();
        JsonNode offsets = Json.of(server.offsets(htl(program), "split_t.y"));
        assertThat(offsets.path("buildId").asString()).isEqualTo(id);
        assertThat(offsets.path("complete").asBoolean()).isTrue();
    }

    @Test
    void unstrippedExecutableAlsoGivesLayouts() throws Exception {
        Path file = library("whole", "-Wl,--build-id=0x6611223344556677");

        JsonNode answer = Json.of(ci.putExecutable(server, "6611223344556677", Files.readAllBytes(file)));

        assertThat(answer.path("layouts").asBoolean()).isTrue();
        assertThat(Json.of(server.offsets(sha256(file), "whole_t.y"))
                        .path("buildId")
                        .asString())
                .isEqualTo("6611223344556677");
    }

    @Test
    void buildIdThatProgramsShareIsRefusedWithTheKeysToUse() throws Exception {
        Path one = library("one", "-Wl,--build-id=0x" + BAZEL);
        Path two = library("two", "-Wl,--build-id=0x" + BAZEL);
        for (Path file : List.of(one, two)) {
            JsonNode answer = Json.of(ci.putExecutable(server, sha256(file), Files.readAllBytes(file)));
            assertThat(answer.path("buildId").asString()).isEqualTo(sha256(file));
        }

        HttpResponse<String> refused = server.offsets(BAZEL, "one_t.y");

        assertThat(refused.statusCode()).as(refused.body()).isEqualTo(409);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("build_id_not_unique");
        assertThat(Json.of(refused).path("keys").valueStream().map(JsonNode::asString))
                .containsExactlyInAnyOrder(sha256(one), sha256(two));
        assertThat(Json.of(ci.put(server, BAZEL, Files.readAllBytes(one)))
                        .path("code")
                        .asString())
                .isEqualTo("build_id_not_unique");
        assertThat(Json.of(server.offsets(htl(one), "one_t.y")).path("complete").asBoolean())
                .isTrue();
        assertThat(Json.of(server.offsets(htl(two), "two_t.y")).path("complete").asBoolean())
                .isTrue();
    }

    @Test
    void unknownKeyIsNotFoundAndCounted() throws Exception {
        String key = "htl:00112233445566778899aabbccddeeff";

        HttpResponse<String> missing = server.offsets(key, "point");

        assertThat(missing.statusCode()).as(missing.body()).isEqualTo(404);
        assertThat(Json.of(missing).path("code").asString()).isEqualTo("build_not_found");
        assertThat(Json.of(missing).path("buildId").asString()).isEqualTo(key);
        assertThat(Json.of(missing).path("checked").size()).isZero();
        assertThat(server.get("/v1/builds").body()).contains(key);
    }

    @Test
    void keyThatTheFileDoesNotHaveIsRefused() {
        HttpResponse<String> other =
                ci.putExecutable(server, "htl:00112233445566778899aabbccddeeff", SmallBuild.debugFile());
        assertThat(other.statusCode()).isEqualTo(422);
        assertThat(Json.of(other).path("code").asString()).isEqualTo("wrong_build_id");
        assertThat(Json.of(other).path("detail").asString()).contains(SmallBuild.ID.toString(), "htl:0011");
    }

    @Test
    void debugFileIsNoExecutable() throws Exception {
        Path full = library("parted", "-Wl,--build-id=0x7711223344556677");
        Path debug = folder.resolve("parted.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", full, debug);

        HttpResponse<String> refused = ci.putExecutable(server, "7711223344556677", Files.readAllBytes(debug));

        assertThat(refused.statusCode()).isEqualTo(422);
        assertThat(Json.of(refused).path("code").asString()).isEqualTo("not_executable");
    }

    @Test
    void malformedKeyIsABadRequest() {
        HttpResponse<String> bad = server.offsets("htl:xyz", "point");
        assertThat(bad.statusCode()).isEqualTo(400);
        assertThat(Json.of(bad).path("detail").asString())
                .isEqualTo("build-id \"htl:xyz\": 3 characters after htl:; expected 32 hex digits");
    }
}
