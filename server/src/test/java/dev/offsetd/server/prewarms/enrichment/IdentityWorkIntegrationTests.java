package dev.offsetd.server.prewarms.enrichment;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.DebugInfo;
import dev.offsetd.extractor.ReadOptions;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.identity.IdentityField;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.TlsAccess;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.query.item.Coverage;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.builds.identity.SetCoverage;
import dev.offsetd.server.sources.RangeUpstream;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.RealDebuginfod;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayOutputStream;
import java.net.http.HttpRequest;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** Names that only the executable states are added behind the answer. */
@Timeout(180)
class IdentityWorkIntegrationTests {

    private static final String RUBY = "5b".repeat(20);

    @TempDir
    private Path folder;

    private TestDatabase database;

    @BeforeEach
    void create() {
        database = TestDatabase.create();
    }

    private TestServer localServer() {
        return TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    private static JsonNode identity(TestServer server, Object id) {
        return Json.of(server.get("/v1/builds/" + id)).path("identity");
    }

    private static List<String> values(JsonNode identity, String kind) {
        return identity.path("fields")
                .valueStream()
                .filter(field -> field.path("kind").asString().equals(kind))
                .map(field -> field.path("value").asString())
                .toList();
    }

    private String problem(BuildId id) {
        return database.jdbc()
                .sql("select coalesce(problem, '') || coalesce(' ' || (work_due > now()), '') from build_identities"
                        + " where build_id = ?")
                .param(id.toBytes())
                .query(String.class)
                .single();
    }

    @Test
    void sonameVersionAndSetsComeFromTheExecutableInALocalFolder() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        ruby.putInto(folder.resolve("debug"));
        Files.copy(ruby.stripped(), folder.resolve("debug/.build-id/5b").resolve(RUBY.substring(2)));
        try (TestServer server = localServer()) {
            assertThat(server.offsets(RUBY, "@ruby").statusCode()).isEqualTo(200);
            assertThat(values(identity(server, RUBY), "soname")).isEmpty();
            server.bean(IdentityWork.class).workOnAll();
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
            assertThat(values(identity(server, RUBY), "version")).contains("3.4.1");
            assertThat(identity(server, RUBY).path("title").asString()).startsWith("libruby.so.3.4 3.4.1");
            assertThat(Json.of(server.get("/v1/builds?set=ruby")).path("builds").size())
                    .isEqualTo(1);
            assertThat(Json.of(server.get("/v1/builds?q=libruby+3.4"))
                            .path("builds")
                            .size())
                    .isEqualTo(1);
            assertThat(Json.of(server.get("/v1/builds?set=php")).path("builds").size())
                    .isZero();
            assertThat(AdminClient.signIn(server).get("/admin").body()).contains("@ruby", "complete");
            assertThat(problem(BuildId.parse(RUBY))).isEmpty();
        }
    }

    @Test
    void segmentsOfTheExecutableGiveOffsetsInItsFile() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        ruby.putInto(folder.resolve("debug"));
        Files.copy(ruby.stripped(), folder.resolve("debug/.build-id/5b").resolve(RUBY.substring(2)));
        try (TestServer server = localServer()) {
            String path = "/v1/symbols/" + RUBY + "?names=*";
            assertThat(Json.of(server.get(path)).path("noFileOffsets").asString())
                    .contains("but not their bytes", "the executable was not read");
            server.bean(IdentityWork.class).workOnAll();
            JsonNode answer = Json.of(server.get(path));
            assertThat(answer.has("noFileOffsets")).isFalse();
            FileOffsets offsets =
                    DebugInfo.read(ruby.library(), new ReadOptions(Limits.DEFAULT, 1), DebugInfo::fileOffsets);
            assertThat(answer.path("names").path("*").path("symbols").valueStream())
                    .filteredOn(symbol -> symbol.has("fileOffset"))
                    .isNotEmpty()
                    .allSatisfy(symbol -> assertThat(
                                    Long.decode(symbol.path("fileOffset").asString()))
                            .isEqualTo(offsets.ofAddress(
                                            Long.decode(symbol.path("value").asString()))
                                    .orElseThrow()));
        }
    }

    /** A library of which the server has the debug file only; its executable is at an upstream, too large for its names. */
    @Test
    void partsOfALargeExecutableAnswerWhereVariablesAre() throws Exception {
        Path source = Files.writeString(folder.resolve("library.c"), """
                struct counter { int low, high; };
                struct counter counter = {1, 2};
                static __thread struct counter current;
                char filling[300000] = {1};
                struct counter *get(void) { return &current; }
                """);
        Path library = folder.resolve("library.so");
        RequiredTool.require("gcc")
                .output(
                        "-g",
                        "-fPIC",
                        "-shared",
                        "-mtls-dialect=gnu2",
                        "-Wl,--build-id=0x" + RUBY,
                        source,
                        "-o",
                        library);
        Path debugFile = folder.resolve("library.debug");
        RequiredTool.require("objcopy").output("--only-keep-debug", library, debugFile);
        BuildId id = BuildId.parse(RUBY);
        TlsAccess tls = DebugInfo.read(library, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::tlsAccess)
                .orElseThrow();
        try (RangeUpstream upstream = new RangeUpstream();
                TestServer server = TestServer.start(
                        folder.resolve("data"),
                        database,
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.identities.max-executable=20KB")) {
            upstream.has(id, Files.readAllBytes(debugFile));
            upstream.hasExecutable(id, Files.readAllBytes(library));
            String items = "counter.high,variable counter.high,symbol counter,symbol current";
            JsonNode before =
                    Json.of(server.offsets(RUBY, items, "Prefer", "wait=30")).path("offsets");
            for (String item : List.of("variable counter.high", "symbol counter")) {
                assertThat(before.path(item).path("noFileOffsets").asString())
                        .as(item)
                        .contains("but not their bytes", "the executable was not read");
            }
            assertThat(before.path("variable counter.high").has("fileOffset")).isFalse();
            assertThat(before.path("symbol current").path("symbols").get(0).has("tlsRelocations"))
                    .isFalse();

            server.bean(IdentityWork.class).workOnAll();

            JsonNode after = Json.of(server.offsets(RUBY, items)).path("offsets");
            FileOffsets offsets = DebugInfo.read(library, new ReadOptions(Limits.DEFAULT, 1), DebugInfo::fileOffsets);
            long address = Long.decode(
                    after.path("variable counter.high").path("address").asString());
            String expected = "0x" + Long.toHexString(offsets.ofAddress(address).orElseThrow());
            assertThat(after.path("variable counter.high").path("fileOffset").asString())
                    .isEqualTo(expected);
            assertThat(after.path("symbol counter")
                            .path("symbols")
                            .get(0)
                            .path("fileOffset")
                            .asString())
                    .isEqualTo(expected);
            assertThat(after.toString()).doesNotContain("noFileOffsets");
            JsonNode relocation =
                    after.path("symbol current").path("symbols").get(0).path("tlsRelocations");
            assertThat(relocation.size()).isEqualTo(1);
            assertThat(relocation.get(0).path("type").asString()).isEqualTo("TLSDESC");
            assertThat(relocation.get(0).path("address").asString())
                    .isEqualTo(
                            "0x" + Long.toHexString(tls.relocations().getFirst().address()));
            assertThat(upstream.ranges()).contains("bytes=0-4095");
            assertThat(problem(id)).contains("Content-Length is " + Files.size(library));
        }
    }

    @Test
    void executableThatNoSourceHasDebugInformationOfIsNamed() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        Path place = Files.createDirectories(folder.resolve("debug/.build-id/5b"));
        Files.copy(ruby.stripped(), place.resolve(RUBY.substring(2)));
        try (TestServer server = localServer()) {
            assertThat(server.offsets(RUBY, "@ruby").statusCode()).isEqualTo(404);
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
            assertThat(values(identity(server, RUBY), "version")).contains("3.4.1");
            assertThat(Json.of(server.get("/v1/builds/" + RUBY)).path("aliases").toString())
                    .contains("htl:");
            server.bean(IdentityWork.class).workOnAll();
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
        }
    }

    @Test
    void executableComesFromADebuginfodAndIsNotKept() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        Path served = Files.createDirectories(folder.resolve("served"));
        Files.copy(ruby.stripped(), served.resolve("libruby.so.3.4.1"));
        Files.copy(ruby.debugFile(), served.resolve("libruby.so.3.4.1.debug"));
        try (RealDebuginfod upstream = RealDebuginfod.over(served, 2, folder);
                TestServer server = TestServer.start(
                        folder.resolve("data"), database, "offsetd.upstreams.urls=" + upstream.url())) {
            assertThat(server.offsets(RUBY, "RString", "Prefer", "wait=30").statusCode())
                    .isEqualTo(200);
            server.bean(IdentityWork.class).workOnAll();
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
            assertThat(values(identity(server, RUBY), "fileName")).contains("libruby.so.3.4.1");
        }
        try (var files = Files.walk(folder.resolve("data"))) {
            assertThat(files.filter(file -> file.toString().endsWith(".part"))).isEmpty();
        }
    }

    @Test
    void packageOfAnUploadNamesTheBuild() {
        try (TestServer server = TestServer.start(folder.resolve("data"), database, "offsetd.offline=true")) {
            String path = "/v1/builds/" + SmallBuild.ID
                    + "/debuginfo?name=pool/r/ruby3.4/libruby3.4-dbgsym_3.4.1-1_amd64.deb";
            assertThat(server.send(
                                    "PUT",
                                    path,
                                    HttpRequest.BodyPublishers.ofByteArray(SmallBuild.debugFile()),
                                    Publisher.of(server, "ci").authorized())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(values(identity(server, SmallBuild.ID), "package")).containsExactly("libruby3.4");
            assertThat(values(identity(server, SmallBuild.ID), "packageVersion"))
                    .containsExactly("3.4.1-1");
        }
    }

    @Test
    void slimUploadOfAProgramHasItsVersion() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        ByteArrayOutputStream slim = new ByteArrayOutputStream();
        DebugInfo.read(ruby.library(), new ReadOptions(Limits.DEFAULT, 1), info -> info.writeSlim(slim));
        try (TestServer server = TestServer.start(folder.resolve("data"), database, "offsetd.offline=true")) {
            assertThat(server.send(
                                    "PUT",
                                    "/v1/builds/" + RUBY + "/debuginfo",
                                    HttpRequest.BodyPublishers.ofByteArray(slim.toByteArray()),
                                    Publisher.of(server, "ci").authorized())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
            assertThat(values(identity(server, RUBY), "version")).containsExactly("3.4.1");
        }
    }

    @Test
    void keptUploadOfAProgramIsReadAndNoSourceIsAsked() throws Exception {
        SmallRuby ruby = SmallRuby.compile(folder.resolve("made"), RUBY);
        try (TestServer server = TestServer.start(
                folder.resolve("data"), database, "offsetd.offline=true", "offsetd.uploads.keep=true")) {
            upload(server, RUBY, Files.readAllBytes(ruby.library()));
            database.jdbc()
                    .sql("update build_identities set fields = '[]', title = '', work_due = now()")
                    .update();
            server.bean(IdentityWork.class).workOnAll();
            assertThat(values(identity(server, RUBY), "soname")).containsExactly("libruby.so.3.4");
            assertThat(values(identity(server, RUBY), "version")).contains("3.4.1");
            assertThat(problem(BuildId.parse(RUBY))).isEmpty();

            upload(server, SmallBuild.ID.toString(), SmallBuild.debugFile());
            server.bean(IdentityWork.class).workOnAll();
            assertThat(problem(SmallBuild.ID)).isEqualTo("no source has the executable true");
        }
    }

    private static void upload(TestServer server, String id, byte[] file) {
        assertThat(server.send(
                                "PUT",
                                "/v1/builds/" + id + "/debuginfo",
                                HttpRequest.BodyPublishers.ofByteArray(file),
                                Publisher.of(server, "ci " + id).authorized())
                        .statusCode())
                .isEqualTo(201);
    }

    @Test
    void missingExecutableIsLookedForAgainLater() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = localServer()) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            server.bean(IdentityWork.class).workOnAll();
            assertThat(problem(SmallBuild.ID)).isEqualTo("no source has the executable true");
            database.jdbc()
                    .sql("update build_identities set attempts = 5, work_due = now()")
                    .update();
            server.bean(IdentityWork.class).workOnAll();
            assertThat(problem(SmallBuild.ID)).isEqualTo("no source has the executable");
        }
    }

    /** The server ended in the midst of the last attempt, so it ended the work of the build no more. */
    @Test
    void executableThatEndsServersIsNotReadForEver() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = localServer()) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            database.jdbc()
                    .sql("update build_identities set attempts = 6, work_due = now()")
                    .update();
            server.bean(IdentityWork.class).workOnAll();
            assertThat(problem(SmallBuild.ID)).isEqualTo("each attempt was cut off before its end");
        }
    }

    @Test
    void oneServerClaimsTheWorkAndAnotherTakesItOverWhenTheClaimExpires() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = localServer()) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            Identities identities = server.bean(Identities.class);
            Identities.Work first = identities.claim(Duration.ofMinutes(5)).orElseThrow();
            assertThat(first.id()).isEqualTo(SmallBuild.ID);
            assertThat(identities.claim(Duration.ofMinutes(5))).isEmpty();
            database.jdbc().sql("update build_identities set work_due = now()").update();
            Identities.Work second = identities.claim(Duration.ofMinutes(5)).orElseThrow();
            identities.end(first, null, null);
            assertThat(problem(SmallBuild.ID)).isEqualTo(" true");
            identities.end(second, null, null);
            assertThat(problem(SmallBuild.ID)).isEmpty();
        }
    }

    @Test
    void workOnAnEarlierFileChangesNothing() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try (TestServer server = localServer()) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            Identities identities = server.bean(Identities.class);
            Identities.Work stale = identities.claim(Duration.ofMinutes(5)).orElseThrow();
            Identities.NamedFile file = identities.findFile(SmallBuild.ID).orElseThrow();
            Architecture architecture = Objects.requireNonNull(file.architecture());
            identities.store(SmallBuild.ID, architecture, file.identity());
            Identities.Work current = identities.claim(Duration.ofMinutes(5)).orElseThrow();
            assertThat(current.attempts()).isEqualTo(stale.attempts());

            List<SetCoverage> sets =
                    List.of(new SetCoverage("ruby", new Coverage.Share(1, 1), new Coverage.Share(0, 0)));
            Identity name = new Identity(
                    List.of(new IdentityField(IdentityField.Kind.SONAME, "libearlier.so", ".dynamic", false)));
            identities.storeSets(stale, sets);
            identities.add(stale, architecture, name);
            identities.end(stale, "no source has the executable", null);
            assertThat(values(identity(server, SmallBuild.ID), "soname")).isEmpty();
            assertThat(identities.coverage(List.of(SmallBuild.ID)).get(SmallBuild.ID))
                    .isEmpty();
            assertThat(problem(SmallBuild.ID)).isEqualTo(" true");

            identities.storeSets(current, sets);
            identities.add(current, architecture, name);
            assertThat(values(identity(server, SmallBuild.ID), "soname")).containsExactly("libearlier.so");
            assertThat(identities.coverage(List.of(SmallBuild.ID)).get(SmallBuild.ID))
                    .hasSize(1);
        }
    }
}
