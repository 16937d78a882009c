package dev.offsetd.server.watches;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.sun.net.httpserver.HttpServer;
import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.packages.repositories.Web;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.testkit.AdminClient;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.LoopbackRegistry;
import dev.offsetd.server.testkit.ServerProcess;
import dev.offsetd.server.testkit.SignedArchive;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.net.InetSocketAddress;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.LongStream;
import org.bouncycastle.bcpg.ArmoredInputStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.springframework.util.unit.DataSize;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** A signed archive, served over HTTP, and a folder are watched by servers on one database. */
@Timeout(180)
class WatchesIntegrationTests {

    private static final String LIBRARY = "/usr/local/lib/libruby.so.3.4.1";
    private static final AtomicInteger TESTS = new AtomicInteger();

    @TempDir
    private static Path common;

    /** Folder of builds that servers look for. */
    private static Path local;

    private static TestDatabase commonDatabase;
    private static TestServer commonServer;

    @TempDir
    private Path folder;

    private final int number = TESTS.incrementAndGet();
    private final String firstId = buildId("a1");
    private final String secondId = buildId("a2");
    private final String thirdId = buildId("a3");
    private final String fourthId = buildId("a4");
    private TestDatabase database;
    private TestServer server;
    private String authorization;
    private SignedArchive archive;
    private Path builds;

    /** Returns a build-id that no other test has. */
    private String buildId(String prefix) {
        return prefix.repeat(16) + "%08x".formatted(number);
    }

    @BeforeAll
    static void startCommonServer() {
        local = common.resolve("local");
        commonDatabase = TestDatabase.create();
        commonServer = startServer(common.resolve("data"), commonDatabase);
    }

    @AfterAll
    static void stopCommonServer() {
        commonServer.close();
    }

    @BeforeEach
    void start() throws Exception {
        database = commonDatabase;
        server = commonServer;
        authorization = adminOf(server);
        archive = SignedArchive.create(folder.resolve("archive"));
        builds = Files.createDirectories(common.resolve("builds/" + number));
        database.jdbc()
                .sql("delete from watches; delete from builds; delete from events")
                .update();
        server.forgetAnswers();
    }

    /** Starts another server for this test, with an empty database. */
    private void useServer(String... more) {
        database = TestDatabase.create();
        server = startServer(folder.resolve("data"), database, more);
        authorization = adminOf(server);
    }

    /** Starts the server of this test again with other settings. */
    private void restart(String... more) {
        server.close();
        server = startServer(folder.resolve("data"), database, more);
    }

    private static String adminOf(TestServer server) {
        return "Bearer "
                + server.bean(Tokens.class)
                        .create("admin", Set.of(Scope.ADMIN), Duration.ofHours(1), Actor.operator("test"))
                        .text();
    }

    /** Starts a server with these settings besides or in place of the usual ones. */
    private static TestServer startServer(Path data, TestDatabase database, String... more) {
        Map<String, String> settings = new LinkedHashMap<>();
        settings.put("offsetd.upstreams.urls", "");
        settings.put("offsetd.local-folders", local.toString());
        settings.put("offsetd.work.poll", "50ms");
        settings.put("offsetd.watches.poll", "50ms");
        settings.put("offsetd.watches.backoff", "1h");
        settings.put("offsetd.watches.allowed-networks", "127.0.0.0/8");
        settings.put("offsetd.watches.folders", common.resolve("builds").toString());
        for (String setting : more) {
            String[] parts = setting.split("=", 2);
            settings.put(parts[0], parts[1]);
        }
        return TestServer.start(
                data,
                database,
                settings.entrySet().stream()
                        .map(setting -> setting.getKey() + "=" + setting.getValue())
                        .toArray(String[]::new));
    }

    @AfterEach
    void stop() {
        if (server != commonServer) {
            server.close();
        }
        archive.close();
    }

    private ObjectNode draft(String name, String kind, String url) {
        ObjectNode draft = JsonMapper.shared().createObjectNode();
        draft.put("name", name).put("kind", kind).put("url", url);
        draft.putArray("typeSets").add("ruby");
        return draft;
    }

    private ObjectNode ofArchive() {
        ObjectNode draft = draft("archive", "apt", archive.url());
        draft.put("suite", "stable").put("keyring", archive.certificate());
        draft.putArray("architectures").add("amd64");
        return draft;
    }

    private String create(ObjectNode draft) {
        HttpResponse<String> response = server.post("/v1/watches", draft.toString(), headers());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        return response.headers().firstValue("Location").orElseThrow();
    }

    private String[] headers() {
        return new String[] {"Authorization", authorization, "Content-Type", "application/json"};
    }

    /** Waits for the end of a run. */
    private JsonNode awaitRun(String location, int number) throws InterruptedException {
        long end = System.nanoTime() + TimeUnit.SECONDS.toNanos(60);
        while (true) {
            boolean begun = runs() >= number;
            JsonNode watch = Json.of(server.get(location, "Authorization", authorization));
            if (begun && watch.path("lastRun").has("endedAt")) {
                return watch;
            }
            assertThat(System.nanoTime()).as(watch.toString()).isLessThan(end);
            TimeUnit.MILLISECONDS.sleep(50);
        }
    }

    private int runs() {
        return database.jdbc()
                .sql("select coalesce(sum((run + 1) / 2), 0) from watches")
                .query(Integer.class)
                .single();
    }

    private JsonNode again(String location) throws InterruptedException {
        int before = runs();
        HttpResponse<String> response = server.post(location + "/run", "", headers());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(202);
        return awaitRun(location, before + 1);
    }

    private static String outcome(JsonNode watch) {
        return watch.path("lastRun").path("outcome").asString();
    }

    private static String cause(JsonNode watch) {
        return watch.path("lastRun").path("cause").path("code").asString();
    }

    private boolean isStored(String build) {
        return database.jdbc()
                        .sql("select count(*) from catalogues where build_id = decode(:id, 'hex')")
                        .param("id", build)
                        .query(Integer.class)
                        .single()
                == 1;
    }

    private JsonNode releases() {
        HttpResponse<String> response = server.get("/v1/releases?set=ruby&since=1h");
        assertThat(response.statusCode()).as(response.body()).isEqualTo(200);
        return Json.of(response).path("releases");
    }

    private SmallRuby ruby(String build) throws IOException {
        return SmallRuby.compile(folder.resolve(build), build);
    }

    @Test
    void buildsOfAFolderToWhichTheSetAppliesAreStoredOnce() throws Exception {
        ruby(firstId).debugPackage(builds.resolve("libruby-dbgsym.deb"));
        Files.write(builds.resolve("other.debug"), SmallBuild.debugFile());
        String watch = create(draft("folder", "folder", builds.toUri().toString()));

        JsonNode first = awaitRun(watch, 1);
        assertThat(outcome(first)).as(first.path("lastRun").toString()).isEqualTo("complete");
        assertThat(first.path("lastRun").path("storedBuilds").asInt()).isEqualTo(1);
        assertThat(isStored(firstId)).isTrue();
        assertThat(isStored(SmallBuild.ID.toString())).as("no set applies").isFalse();
        assertThat(releases()).hasSize(1);
        assertThat(releases().get(0).path("ready").asBoolean()).isTrue();

        JsonNode second = again(watch);
        assertThat(second.path("lastRun").path("storedBuilds").asInt()).isZero();
        assertThat(outcome(second)).isIn("unchanged", "complete");

        Files.delete(builds.resolve("libruby-dbgsym.deb"));
        ruby(secondId).debugPackage(builds.resolve("libruby2-dbgsym.deb"));
        assertThat(again(watch).path("lastRun").path("storedBuilds").asInt()).isEqualTo(1);
        assertThat(isStored(secondId)).isTrue();
        assertThat(isStored(firstId)).as("what was stored stays").isTrue();
    }

    @Test
    void folderThatTheOperatorDoesNotPermitIsNotRead() throws Exception {
        Path other = Files.createDirectories(folder.resolve("other"));
        ruby(firstId).debugPackage(other.resolve("libruby-dbgsym.deb"));
        Path link = builds.resolve("link");
        String watch = create(draft("link", "folder", "file://" + link + "/"));
        awaitRun(watch, 1);
        Files.createSymbolicLink(link, other);
        JsonNode run = again(watch);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("address");
        assertThat(detail(run)).contains("expected one below " + builds.getParent());
        assertThat(isStored(firstId)).isFalse();
        for (Path place : List.of(other, link, folder.resolve("none"), builds.resolve("../../none"))) {
            HttpResponse<String> refused = server.post(
                    "/v1/watches", draft("refused", "folder", "file://" + place).toString(), headers());
            assertThat(refused.statusCode()).as(place + ": " + refused.body()).isEqualTo(400);
            assertThat(refused.body()).contains("bad_watch", "expected one below " + builds.getParent());
        }
    }

    @Test
    void pageShowsTheLastRunOfEachWatchAndBeginsAnother() throws Exception {
        ruby(firstId).debugPackage(builds.resolve("libruby-dbgsym.deb"));
        awaitRun(create(draft("read", "folder", builds.toUri().toString())), 1);
        String other =
                create(draft("other", "folder", builds.resolve("none").toUri().toString()));
        awaitRun(other, 2);
        AdminClient admin = AdminClient.signIn(server);
        assertThat(admin.get("/admin/watches").body())
                .contains("complete", "failed", "expected one that exists", "Run other now")
                .endsWith("</html>\n");
        assertThat(admin.post("/admin" + other.substring("/v1".length()) + "/run", Map.of())
                        .statusCode())
                .isEqualTo(303);
        awaitRun(other, 3);
        assertThat(admin.post("/admin" + other.substring("/v1".length()) + "/remove", Map.of())
                        .statusCode())
                .isEqualTo(303);
        assertThat(admin.get("/admin/watches").body()).contains("Run read now").doesNotContain("Run other now");
    }

    @Test
    void missingFolderOfTheSettingKeepsNoOtherFromBeingRead() throws Exception {
        Path missing = folder.resolve("missing");
        useServer("offsetd.watches.folders=" + missing + "," + builds);
        ruby(firstId).debugPackage(builds.resolve("libruby-dbgsym.deb"));
        assertThat(outcome(
                        awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 1)))
                .isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
        assertThat(server.post(
                                "/v1/watches",
                                draft("other", "folder", folder.toUri().toString())
                                        .toString(),
                                headers())
                        .body())
                .contains(missing + " (offsetd.watches.folders has it; expected a folder that exists) or " + builds);
        assertThat(detail(
                        awaitRun(create(draft("none", "folder", missing.toUri().toString())), 2)))
                .contains("folder \"" + missing + "\"; expected one that exists");
    }

    private static String detail(JsonNode watch) {
        return watch.path("lastRun").path("cause").path("detail").asString();
    }

    @Test
    void relativeFolderIsRefused() {
        assertThatThrownBy(() -> new WatchProperties(
                        false,
                        Duration.ofSeconds(1),
                        Duration.ofSeconds(1),
                        DataSize.ofGigabytes(1),
                        1,
                        Duration.ofDays(1),
                        List.of(),
                        List.of(Path.of("builds")),
                        List.of()))
                .hasMessageContaining("offsetd.watches.folders has builds; expected an absolute path");
    }

    @Test
    void readinessNamesWatchesThatHaveNotReadEverythingAndWhy() throws Exception {
        ruby(firstId).debugPackage(builds.resolve("libruby-dbgsym.deb"));
        awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 1);
        assertThat(ready().exitCode()).isZero();

        awaitRun(create(draft("none", "folder", builds.resolve("none").toUri().toString())), 2);
        CommandLine.Run failed = ready();
        assertThat(failed.exitCode()).isEqualTo(3);
        assertThat(failed.out()).contains(firstId);
        assertThat(failed.err()).contains("watch none: failed: folder", "expected one that exists");

        database.jdbc()
                .sql("update watches set outcome = 'partial', cause_code = 'budget', cause_detail = 'the limit is 1'"
                        + " where name = 'none'")
                .update();
        CommandLine.Run partial = ready();
        assertThat(partial.exitCode()).isEqualTo(3);
        assertThat(partial.err()).contains("watch none: partial: the limit is 1");

        database.jdbc()
                .sql("update watches set outcome = 'complete', cause_code = 'missing', cause_detail = 'no linux/arm64'"
                        + " where name = 'none'")
                .update();
        CommandLine.Run complete = ready();
        assertThat(complete.exitCode())
                .as("a platform that the place lacks is shown")
                .isZero();
        assertThat(complete.err()).contains("watch none: complete: no linux/arm64");
    }

    private CommandLine.Run ready() throws Exception {
        return CommandLine.run(
                folder,
                Map.of(),
                CommandLine.launcher(folder.resolve("offsetd")).toString(),
                "ready",
                server.url(),
                "@ruby",
                "--since",
                "1h");
    }

    @Test
    void packagesOfASignedArchiveAreReadOnceAndNewOnesAreFound() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.publish();
        String watch = create(ofArchive());

        JsonNode first = awaitRun(watch, 1);
        assertThat(outcome(first)).as(first.path("lastRun").toString()).isEqualTo("complete");
        assertThat(first.path("bytesToday").asLong()).isPositive();
        assertThat(isStored(firstId)).isTrue();
        assertThat(outcome(again(watch))).isEqualTo("unchanged");

        archive.add("libruby3.4-dbgsym", "3.4.2-1", ruby(secondId));
        archive.publish();
        JsonNode third = again(watch);
        assertThat(outcome(third)).as(third.path("lastRun").toString()).isEqualTo("complete");
        assertThat(isStored(secondId)).isTrue();
        assertThat(archive.requests("libruby3.4-dbgsym_3.4.1-1_amd64.deb")).isEqualTo(1);
        assertThat(archive.requests("libruby3.4-dbgsym_3.4.2-1_amd64.deb")).isEqualTo(1);
        assertThat(releases().findValuesAsString("version")).containsExactly("3.4.2-1", "3.4.1-1");

        CommandLine.Run ready = ready();
        assertThat(ready.exitCode()).as(ready.out() + ready.err()).isZero();
        assertThat(ready.out()).contains(firstId, secondId, "3.4.2-1", "ready");
    }

    @Test
    void packagesOfASignedRpmRepositoryAreReadOnceAndNewOnesAreFound() throws Exception {
        archive.addRpm("ruby3.3-debuginfo", "3.3.1", ruby(firstId));
        archive.publishRpm();
        String watch = create(draft("rpm", "rpm", archive.rpmUrl()).put("keyring", archive.certificate()));

        JsonNode first = awaitRun(watch, 1);
        assertThat(outcome(first)).as(first.path("lastRun").toString()).isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
        assertThat(outcome(again(watch))).isEqualTo("unchanged");

        TimeUnit.SECONDS.sleep(1); // The time of an index has seconds.
        archive.addRpm("ruby3.4-debuginfo", "3.4.1", ruby(secondId));
        archive.publishRpm();
        JsonNode third = again(watch);
        assertThat(outcome(third)).as(third.path("lastRun").toString()).isEqualTo("complete");
        assertThat(isStored(secondId)).isTrue();
        assertThat(archive.requests("ruby3.3-debuginfo-3.3.1-1.x86_64.rpm")).isEqualTo(1);
        assertThat(releases().findValuesAsString("version")).containsExactly("3.4.1-1", "3.3.1-1");
        assertThat(releases().get(0).path("ready").asBoolean()).isTrue();
    }

    @Test
    void tagsOfARegistryAreReadAndNoLayerTwice() throws Exception {
        try (LoopbackRegistry registry = LoopbackRegistry.start(folder.resolve("registry"))) {
            registry.push(
                    "library/ruby",
                    "3.3",
                    LIBRARY,
                    Map.of("amd64", ruby(firstId).library()));
            String watch = create(ofRegistry(registry));

            JsonNode first = awaitRun(watch, 1);
            assertThat(outcome(first)).as(first.path("lastRun").toString()).isEqualTo("complete");
            assertThat(cause(first)).as("the image has no arm64").isEqualTo("missing");
            assertThat(isStored(firstId)).isTrue();
            long downloads = registry.downloads();
            JsonNode unchanged = again(watch);
            assertThat(outcome(unchanged)).isEqualTo("unchanged");
            assertThat(detail(unchanged)).as("it still has none").contains("3.3 has no platform linux/arm64");
            assertThat(registry.downloads()).isEqualTo(downloads);

            registry.push(
                    "library/ruby",
                    "3.4",
                    LIBRARY,
                    Map.of("amd64", ruby(secondId).library()));
            registry.tag("library/ruby", "3.3", "3.3-again");
            assertThat(outcome(again(watch))).isEqualTo("complete");
            assertThat(isStored(secondId)).isTrue();
            assertThat(registry.downloads()).as("the layer of the new build").isEqualTo(downloads + 1);

            registry.tag("library/ruby", "3.4", "3.3");
            assertThat(outcome(again(watch))).as("a moved tag").isEqualTo("complete");
            assertThat(registry.downloads()).isEqualTo(downloads + 1);
            assertThat(releases().findValuesAsString("version")).containsExactly("3.4", "3.3");
        }
    }

    private ObjectNode ofRegistry(LoopbackRegistry registry) {
        ObjectNode draft = draft("images", "oci", "http://" + registry.host() + "/library/ruby");
        draft.putArray("names").add("3.*");
        return draft;
    }

    /** Debian's and Fedora's packages have a file of the types and functions that their debug files share. */
    @Test
    void whatDwzMovedToAnotherFileOfThePackageIsRead() throws Exception {
        Path root = Files.createDirectories(folder.resolve("root/usr/lib/debug/.dwz"));
        RequiredTool dwz = RequiredTool.require("dwz");
        SmallRuby first = rubyWithInlinedFunction(firstId);
        Path one = first.debugFile();
        Path two = rubyWithInlinedFunction(secondId).debugFile();
        dwz.output("-m", root.resolve("ruby.debug"), "-M", "/usr/lib/debug/.dwz/ruby.debug", one, two);
        Map<String, Path> files = Map.of(firstId, one, secondId, two);
        for (Map.Entry<String, Path> file : files.entrySet()) {
            assertThat(RequiredTool.require("readelf").output("-SW", file.getValue()))
                    .contains(".gnu_debugaltlink");
            Files.copy(file.getValue(), root.resolveSibling(file.getKey() + ".debug"));
        }
        RequiredTool.require("tar").output("-C", folder.resolve("root"), "-cf", builds.resolve("ruby-debug.tar"), ".");

        JsonNode run = awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 1);

        assertThat(outcome(run)).as(run.toString()).isEqualTo("complete");
        assertThat(run.path("lastRun").path("storedBuilds").asInt()).isEqualTo(2);
        assertThat(releases().get(0).path("ready").asBoolean())
                .as(releases().toString())
                .isTrue();
        String entry = RequiredTool.require("nm")
                .output("-D", first.library())
                .lines()
                .filter(line -> line.endsWith(" rb_vm_exec"))
                .findFirst()
                .orElseThrow();
        long address = Long.parseLong(entry.substring(0, entry.indexOf(' ')), 16);
        HttpResponse<String> frames = server.get("/v1/symbolize/" + firstId + "?addresses="
                + LongStream.range(address, address + 40)
                        .mapToObj(each -> "0x" + Long.toHexString(each))
                        .collect(Collectors.joining(",")));
        assertThat(frames.body()).contains("\"inlined_and_moved_by_dwz\"");
    }

    private SmallRuby rubyWithInlinedFunction(String build) throws IOException {
        return SmallRuby.compile(
                folder.resolve(build),
                build,
                source -> source.replace("VALUE rb_vm_exec(", """
                                static inline __attribute__((always_inline)) VALUE inlined_and_moved_by_dwz(VALUE *p) {
                                  return p[1] * p[2]; }
                                VALUE rb_vm_exec(""").replace("return ec->cfp->pc[0];", """
                                return inlined_and_moved_by_dwz((VALUE *) ec->cfp->pc);"""));
    }

    @Test
    void packageWhoseBuildASourceHasIsNotDownloaded() throws Exception {
        SmallRuby ruby = ruby(firstId);
        ruby.putInto(local);
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby);
        archive.publish();

        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).as(run.toString()).isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
        assertThat(archive.requests("libruby3.4-dbgsym_3.4.1-1_amd64.deb")).isZero();
        assertThat(database.jdbc()
                        .sql("select origin from debug_files")
                        .query(String.class)
                        .single())
                .isEqualTo("local");
    }

    /** An archive has packages of other programs, and so do the sources. */
    @Test
    void buildThatASourceHasAndToWhichNoSetAppliesIsNotStored() throws Exception {
        SmallRuby other = otherProgram(firstId);
        other.putInto(local);
        archive.add("other-dbgsym", "1.0-1", other);
        archive.publish();

        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).as(run.toString()).isEqualTo("complete");
        assertThat(run.path("lastRun").path("storedBuilds").asInt()).isZero();
        assertThat(isStored(firstId)).isFalse();
        assertThat(database.jdbc()
                        .sql("select count(*) from events")
                        .query(Integer.class)
                        .single())
                .isZero();
        assertThat(archive.requests("other-dbgsym_1.0-1_amd64.deb"))
                .as("the file of the source tells")
                .isZero();
    }

    @ParameterizedTest
    @CsvSource({"symbol, symbol rb_vm_exec", "pointer, string.as.heap.ptr", "variable, ruby_current_ec->cfp->pc"})
    void symbolsVariablesAndPointersCountForASetOfThem(String set, String item) throws Exception {
        HttpResponse<String> created = server.send(
                "PUT",
                "/v1/type-sets/" + set,
                HttpRequest.BodyPublishers.ofString("{\"title\": \"Loop\", \"items\": [{\"item\": \"" + item + "\"}]}"),
                headers());
        assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
        ruby(firstId).putInto(local);
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.add("other-dbgsym", "1.0-1", otherProgram(thirdId, "struct other { int a; } other;"));
        archive.publish();
        ObjectNode draft = ofArchive();
        draft.putArray("typeSets").add(set);
        JsonNode run = awaitRun(create(draft), 1);
        assertThat(run.path("lastRun").path("storedBuilds").asInt())
                .as(run.toString())
                .isEqualTo(2);
        assertThat(archive.requests("libruby3.3-dbgsym_3.3.1-1_amd64.deb")).isZero();
    }

    @Test
    void watchMayHaveSetsOfMoreItemsThanAQuery() throws Exception {
        ObjectNode draft = draft("folder", "folder", builds.toUri().toString());
        ArrayNode names = draft.putArray("typeSets");
        for (int i = 0; i < 5; i++) {
            String set = "large" + i;
            String items = IntStream.range(0, 450)
                    .mapToObj(number -> "{\"item\": \"" + set + "_" + number + "\"}")
                    .collect(Collectors.joining(","));
            HttpResponse<String> created = server.send(
                    "PUT",
                    "/v1/type-sets/" + set,
                    HttpRequest.BodyPublishers.ofString("{\"title\": \"Large\", \"items\": [" + items + "]}"),
                    headers());
            assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
            names.add(set);
        }
        names.add("ruby");
        ruby(firstId).debugPackage(builds.resolve("libruby-dbgsym.deb"));
        JsonNode run = awaitRun(create(draft), 1);
        assertThat(outcome(run)).as(run.toString()).isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
    }

    private SmallRuby otherProgram(String build) throws IOException {
        return otherProgram(build, "struct other { int a; } other; int rb_vm_exec(void) { return 1; }");
    }

    private SmallRuby otherProgram(String build, String source) throws IOException {
        return SmallRuby.compile(folder.resolve(build), build, _ -> source);
    }

    @Test
    void buildsAndBytesOfUpstreamsCountForTheBudgets() throws Exception {
        try (CountingUpstream upstream = new CountingUpstream()) {
            useServer("offsetd.upstreams.urls=" + upstream.url("upstream"), "offsetd.watches.builds-per-run=1");
            long size = 0;
            for (SmallRuby ruby : List.of(ruby(firstId), ruby(secondId), otherProgram(thirdId))) {
                byte[] file = Files.readAllBytes(ruby.debugFile());
                upstream.put(BuildId.parse(ruby.buildId()), file);
                archive.add("lib" + ruby.buildId() + "-dbgsym", "1.0-1", ruby);
                size += file.length;
            }
            archive.publish();
            String watch = create(ofArchive());
            JsonNode first = awaitRun(watch, 1);
            assertThat(outcome(first)).as(first.toString()).isEqualTo("partial");
            assertThat(first.path("lastRun").path("storedBuilds").asInt()).isEqualTo(1);
            JsonNode second = again(watch);
            assertThat(outcome(second)).as(second.toString()).isEqualTo("partial");
            JsonNode last = again(watch);
            assertThat(outcome(last)).as(last.toString()).isEqualTo("complete");
            assertThat(last.path("bytesToday").asLong()).isGreaterThan(size);
            assertThat(archive.requests("lib" + firstId + "-dbgsym_1.0-1_amd64.deb"))
                    .isZero();
            assertThat(upstream.hits(BuildId.parse(firstId))).as("downloads").isEqualTo(1);

            SmallRuby ruby = ruby(fourthId);
            upstream.put(BuildId.parse(fourthId), Files.readAllBytes(ruby.debugFile()));
            ruby.debugPackage(builds.resolve("libruby-dbgsym.deb"));
            JsonNode ofFolder =
                    awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 4);
            assertThat(isStored(fourthId)).as(ofFolder.toString()).isTrue();
            assertThat(ofFolder.path("bytesToday").asLong()).isEqualTo(Files.size(ruby.debugFile()));
        }
    }

    @Test
    void indexThatAnotherKeySignedIsAFailedRunAndAnEvent() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.publish();
        try (SignedArchive other = SignedArchive.create(folder.resolve("other-archive"))) {
            String watch = create(ofArchive().put("keyring", other.certificate()));
            JsonNode run = awaitRun(watch, 1);
            assertThat(outcome(run)).isEqualTo("failed");
            assertThat(cause(run)).isEqualTo("signature");
            assertThat(run.path("failures").asInt()).isEqualTo(1);
            assertThat(database.jdbc()
                            .sql("select title from events where kind = 'watch_failed'")
                            .query(String.class)
                            .list())
                    .singleElement()
                    .asString()
                    .contains("archive");
        }
        assertThat(isStored(firstId)).isFalse();
    }

    @ParameterizedTest
    @CsvSource({"partial", "failed", "complete"})
    void olderIndexIsAFailedRunHoweverTheRunBeforeItEnded(String ended) throws Exception {
        if (ended.equals("partial")) {
            useServer("offsetd.watches.builds-per-run=1");
        }
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        if (ended.equals("failed")) {
            archive.damage("libruby3.3-dbgsym_3.3.1-1_amd64.deb");
        }
        String watch = create(ofArchive());
        assertThat(outcome(awaitRun(watch, 1))).isEqualTo(ended);

        archive.goBack(Duration.ofDays(30));
        archive.add("libruby3.2-dbgsym", "3.2.1-1", ruby(thirdId));
        archive.publish();
        JsonNode run = again(watch);
        assertThat(outcome(run)).as(run.toString()).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("replayed");
        assertThat(isStored(thirdId)).isFalse();
    }

    @Test
    void packageThatDiffersFromItsIndexStoresNothingAndTheOthersAreRead() throws Exception {
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        archive.damage("libruby3.3-dbgsym_3.3.1-1_amd64.deb");

        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("hash");
        assertThat(isStored(firstId)).isFalse();
        assertThat(isStored(secondId)).isTrue();
    }

    @Test
    void packageWhoseDownloadIsCutOffKeepsNoOtherFromBeingRead() throws Exception {
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        archive.cutOff("libruby3.3-dbgsym_3.3.1-1_amd64.deb");
        String watch = create(ofArchive());
        JsonNode first = awaitRun(watch, 1);
        assertThat(outcome(first)).isEqualTo("failed");
        assertThat(cause(first)).isEqualTo("unreachable");
        for (int run = 2; run <= 9; run++) {
            assertThat(outcome(again(watch))).as("run " + run).isEqualTo("failed");
            assertThat(isStored(secondId)).isTrue();
        }
        archive.cutOff("none");
        assertThat(outcome(again(watch))).isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
    }

    @Test
    void entryThatWasGivenUpIsTheCauseOfEveryRunUntilThePlaceChangesIt() throws Exception {
        String broken = "libruby3.3-dbgsym_3.3.1-1_amd64.deb";
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        archive.damage(broken);
        String watch = create(ofArchive());
        awaitRun(watch, 1);
        for (int attempt = 2; attempt <= 8; attempt++) {
            assertThat(outcome(again(watch))).as("attempt " + attempt).isEqualTo("failed");
        }
        for (String outcome : List.of("complete", "unchanged")) {
            JsonNode run = again(watch);
            assertThat(outcome(run)).as(run.toString()).isEqualTo(outcome);
            assertThat(cause(run)).isEqualTo("given_up");
            assertThat(detail(run))
                    .startsWith("libruby3.3-dbgsym 3.3.1-1 is left alone after 8 attempts: ")
                    .contains("SHA-256");
        }
        assertThat(archive.requests(broken)).isEqualTo(8);
        assertThat(offsetd("list").out()).contains("is left alone after 8 attempts");
        assertThat(AdminClient.signIn(server).get("/admin/watches").body()).contains("is left alone after 8 attempts");
        assertThat(ready().err()).contains("watch archive: unchanged: libruby3.3-dbgsym");

        archive.remove(broken);
        archive.add("libruby3.3-dbgsym", "3.3.1-2", ruby(thirdId));
        archive.publish();
        JsonNode run = again(watch);
        assertThat(outcome(run)).isEqualTo("complete");
        assertThat(cause(run)).isEmpty();
    }

    @Test
    void decompressionBombIsAFailedRunAndNothingIsStored() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.addLines("\n".repeat(40 << 20));
        archive.publish();
        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("limit");
        assertThat(detail(run)).contains("the limit is a ratio of 100");
        assertThat(isStored(firstId)).isFalse();
    }

    @Test
    void packageWithAnotherBuildThanItsIndexIsAFailedRunAndNothingIsStored() throws Exception {
        SmallRuby ruby = ruby(firstId);
        archive.add(
                "libruby3.4-dbgsym",
                "3.4.1-1",
                new SmallRuby(secondId, ruby.library(), ruby.stripped(), ruby.debugFile()));
        archive.publish();
        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("build_id");
        assertThat(detail(run)).contains(firstId + ", which the index does not list");
        assertThat(isStored(firstId)).isFalse();
        assertThat(isStored(secondId)).isFalse();
    }

    @Test
    void faultOfTheDiskIsNoneOfThePlace() throws Exception {
        Path place = common.resolve("data/watches");
        Files.deleteIfExists(place);
        Files.createFile(place);
        JsonNode run = awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 1);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("disk_failed");
        assertThat(detail(run)).startsWith(place.toString());
        Files.delete(place);
    }

    @Test
    void pauseAfterEachFailureIsTwiceTheOneBeforeUntilARunSucceeds() throws Exception {
        Path place = builds.resolve("later");
        String watch = create(draft("folder", "folder", "file://" + place + "/"));
        assertThat(pause(awaitRun(watch, 1))).isEqualTo(Duration.ofHours(1));
        for (int hours : List.of(2, 4, 8, 16, 24, 24)) {
            JsonNode run = again(watch);
            assertThat(outcome(run)).isEqualTo("failed");
            assertThat(pause(run)).isEqualTo(Duration.ofHours(hours));
        }
        Files.createDirectory(place);
        assertThat(outcome(again(watch))).isNotEqualTo("failed");
        Files.delete(place);
        assertThat(pause(again(watch))).isEqualTo(Duration.ofHours(1));
    }

    private static Duration pause(JsonNode watch) {
        return Duration.between(
                Instant.parse(watch.path("lastRun").path("endedAt").asString()),
                Instant.parse(watch.path("nextRunAt").asString()));
    }

    @Test
    void defaultsAreWatchedByOneSetting() {
        useServer("offsetd.watches.defaults=true", "offsetd.offline=true");
        JsonNode watches = Json.of(server.get("/v1/watches", "Authorization", authorization))
                .path("watches");
        List<String> shown = new ArrayList<>();
        for (JsonNode watch : watches) {
            assertThat(watch.path("builtIn").asBoolean()).isTrue();
            assertThat(watch.path("architectures").valueStream().map(JsonNode::asString))
                    .containsExactly("amd64", "arm64");
            shown.add(String.join(
                    " ",
                    watch.path("name").asString(),
                    watch.path("url").asString(),
                    watch.path("suite").asString(""),
                    watch.path("typeSets").path(0).asString()));
        }
        assertThat(shown)
                .containsExactlyInAnyOrder(
                        "debian-glibc http://deb.debian.org/debian stable glibc",
                        "debian-python http://deb.debian.org/debian stable python",
                        "debian-perl http://deb.debian.org/debian stable perl",
                        "debian-ruby http://deb.debian.org/debian-debug stable-debug ruby",
                        "debian-php http://deb.debian.org/debian-debug stable-debug php",
                        "debian-luajit http://deb.debian.org/debian-debug stable-debug luajit",
                        "image-ruby https://registry-1.docker.io/library/ruby  ruby",
                        "image-python https://registry-1.docker.io/library/python  python",
                        "image-php https://registry-1.docker.io/library/php  php",
                        "image-perl https://registry-1.docker.io/library/perl  perl");
    }

    @Test
    void offlineServerSkipsURLsWithoutAFailure() throws Exception {
        useServer("offsetd.offline=true");
        JsonNode run = awaitRun(create(ofArchive()), 1);
        assertThat(outcome(run)).isEqualTo("partial");
        assertThat(cause(run)).isEqualTo("offline");
        assertThat(run.path("failures").asInt()).isZero();
        assertThat(outcome(
                        awaitRun(create(draft("folder", "folder", builds.toUri().toString())), 2)))
                .isEqualTo("complete");
    }

    @Test
    void budgetsEndARunAndTheNextOneGoesOn() throws Exception {
        useServer("offsetd.watches.builds-per-run=1");
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        String watch = create(ofArchive());

        JsonNode first = awaitRun(watch, 1);
        assertThat(outcome(first)).isEqualTo("partial");
        assertThat(cause(first)).isEqualTo("budget");
        assertThat(outcome(again(watch))).isEqualTo("complete");
        assertThat(isStored(firstId)).isTrue();
        assertThat(isStored(secondId)).isTrue();

        server.bean(WatchTable.class)
                .addBytes(server.bean(WatchTable.class).all().getFirst(), 20L << 30);
        archive.add("libruby3.5-dbgsym", "3.5.1-1", ruby(thirdId));
        archive.publish();
        JsonNode third = again(watch);
        assertThat(outcome(third)).isEqualTo("partial");
        assertThat(cause(third)).isEqualTo("budget");

        restart("offsetd.watches.bytes-per-day=1B");
        JsonNode fourth = again(watch);
        assertThat(outcome(fourth)).isEqualTo("failed");
        assertThat(cause(fourth)).isEqualTo("limit");
        assertThat(isStored(thirdId)).isFalse();
    }

    @Test
    void removedWatchGivesBackNothingOfTheDailyBudget() throws Exception {
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.publish();
        String watch = create(ofArchive());
        awaitRun(watch, 1);
        WatchTable table = server.bean(WatchTable.class);
        long used = table.bytesToday();
        assertThat(used).isPositive();
        assertThat(server.send("DELETE", watch, HttpRequest.BodyPublishers.noBody(), "Authorization", authorization)
                        .statusCode())
                .isEqualTo(204);
        assertThat(table.bytesToday()).isEqualTo(used);
    }

    @Test
    void lostRunIsRepeatedAtOnceAndASecondOneWaits() throws Exception {
        useServer("offsetd.watches.poll=1h");
        String watch = create(draft("folder", "folder", builds.toUri().toString()));
        awaitRun(watch, 1);
        database.jdbc()
                .sql("update watches set run = run + 1, started_at = now(), ended_at = null, failures = 2,"
                        + " next_run_at = now() + interval '1 day'")
                .update();
        WatchRuns runs = server.bean(WatchRuns.class);
        runs.abandoned("recurring");
        assertThat(lastRun()).isEqualTo("partial server_lost 2 true");
        assertThat(failedEvents()).isZero();
        database.jdbc()
                .sql("update watches set run = run + 1, started_at = now(), ended_at = null,"
                        + " next_run_at = now() + interval '1 day'")
                .update();
        runs.abandoned("recurring");
        assertThat(lastRun()).isEqualTo("failed server_lost 3 false");
        assertThat(failedEvents()).isEqualTo(1);
    }

    /** A server that runs the next watch ends the run that it, or the server of a restored backup, could not end. */
    @Test
    void runThatWasNotEndedIsRepeated() throws Exception {
        String watch = create(draft("folder", "folder", builds.toUri().toString()));
        awaitRun(watch, 1);
        database.jdbc()
                .sql("update watches set run = run + 1, started_at = now(), ended_at = null,"
                        + " next_run_at = now() + interval '1 day'")
                .update();
        assertThat(outcome(awaitRun(watch, 3))).isIn("complete", "unchanged");
        assertThat(failedEvents()).isZero();
    }

    private String lastRun() {
        return database.jdbc()
                .sql("select concat_ws(' ', outcome, cause_code, failures,"
                        + " case when next_run_at <= now() then 'true' else 'false' end) from watches")
                .query(String.class)
                .single();
    }

    private int failedEvents() {
        return database.jdbc()
                .sql("select count(*) from events where kind = 'watch_failed'")
                .query(Integer.class)
                .single();
    }

    @Test
    void packageThatTheArchiveRemovedLongAgoIsForgotten() throws Exception {
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        String watch = create(ofArchive());
        awaitRun(watch, 1);
        database.jdbc()
                .sql("update watch_entries set seen_at = seen_at - interval '91 days'")
                .update();
        archive.remove("libruby3.3-dbgsym_3.3.1-1_amd64.deb");
        archive.add("libruby3.5-dbgsym", "3.5.1-1", ruby(thirdId));
        archive.publish();

        assertThat(outcome(again(watch))).isEqualTo("complete");
        assertThat(entries()).containsExactly("libruby3.4-dbgsym", "libruby3.5-dbgsym");
        assertThat(archive.requests("libruby3.4-dbgsym_3.4.1-1_amd64.deb"))
                .as("a package that is still there is not read again")
                .isEqualTo(1);
    }

    @Test
    void oldestOfTooManyEntriesAreForgotten() throws Exception {
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        awaitRun(create(ofArchive()), 1);
        WatchTable table = server.bean(WatchTable.class);
        table.prune(table.all().getFirst(), null, Duration.ofDays(90), 1);
        assertThat(entries()).containsExactly("libruby3.4-dbgsym");
    }

    private List<@Nullable String> entries() {
        return database.jdbc()
                .sql("select name from watch_entries order by name")
                .query(String.class)
                .list();
    }

    @ParameterizedTest
    @CsvSource({"http://127.0.0.1:1/debian, address", "http://localhost:1/debian, address"})
    void privateHostIsNotCalledUnlessTheOperatorPermitsIt(String url, String code) throws Exception {
        useServer();
        String watch = create(ofArchive().put("url", url));
        awaitRun(watch, 1);
        restart("offsetd.watches.allowed-networks=10.255.255.0/24");
        JsonNode run = again(watch);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo(code);
        assertThat(detail(run)).contains(url + "/dists/stable/InRelease", "neither public nor in offsetd.watches");
    }

    @ParameterizedTest
    @CsvSource({
        "http://10.0.0.1/debian, 10.0.0.1",
        "http://[::1]:8080/debian, 0:0:0:0:0:0:0:1",
        "http://169.254.169.254/, 169.254.169.254"
    })
    void watchOfAnAddressThatTheOperatorDoesNotPermitIsNotCreated(String url, String address) {
        HttpResponse<String> response =
                server.post("/v1/watches", ofArchive().put("url", url).toString(), headers());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(400);
        assertThat(Json.of(response).path("place").asString()).isEqualTo("url");
        assertThat(Json.of(response).path("detail").asString())
                .isEqualTo("url \"" + url + "\" leads to the address " + address
                        + ", which is neither public nor in offsetd.watches.allowed-networks; expected one of these");
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "http://127.0.0.1:9/debian     | its host refuses connections; expected a web server",
                "http://nosuch.invalid/debian  | its host has no address; expected one that is in DNS"
            })
    void causeOfAPlaceThatCannotBeReachedNamesItAndWhatIsExpected(String url, String expected) throws Exception {
        JsonNode run = awaitRun(create(ofArchive().put("url", url)), 1);
        assertThat(cause(run)).isEqualTo("unreachable");
        assertThat(detail(run)).contains(url + "/dists/stable/InRelease", expected);
    }

    @Test
    void redirectToAPrivateHostIsNotFollowedAlsoIfTheUrlMayLeadThere() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.publish();
        JsonNode run = awaitRun(create(ofArchive().put("url", archive.redirectingUrl())), 1);
        assertThat(outcome(run)).isEqualTo("failed");
        assertThat(cause(run)).isEqualTo("address");
        assertThat(isStored(firstId)).isFalse();
    }

    @Test
    void tokensComeFromAnotherHostOnlyIfTheCredentialsNameIt() throws Exception {
        useServer(
                "offsetd.watches.allowed-networks=127.0.0.0/8,::1/128",
                "offsetd.watches.credentials[0].host=127.0.0.1",
                "offsetd.watches.credentials[0].username=reader",
                "offsetd.watches.credentials[0].password=secret",
                "offsetd.watches.credentials[0].token-host=localhost");
        WatchWeb web = server.bean(WatchWeb.class);
        HttpServer http = HttpServer.create(new InetSocketAddress(0), 0);
        http.createContext("/", exchange -> {
            List<String> sent = exchange.getRequestHeaders().getOrDefault("Authorization", List.of("none"));
            exchange.getResponseHeaders().set("X-Sent", sent.getFirst());
            exchange.sendResponseHeaders(200, -1);
        });
        http.start();
        try {
            String port = ":" + http.getAddress().getPort() + "/";
            URI registry = URI.create("http://127.0.0.1" + port);
            URI tokens = URI.create("http://localhost" + port);
            String basic = "Basic cmVhZGVyOnNlY3JldA==";
            assertThat(sent(web, new Web.Request(registry, Map.of(), false, null)))
                    .isEqualTo(basic);
            assertThat(sent(web, new Web.Request(tokens, Map.of(), true, "127.0.0.1")))
                    .isEqualTo(basic);
            assertThat(sent(web, new Web.Request(tokens, Map.of(), false, null)))
                    .isEqualTo("none");
            assertThatThrownBy(() -> sent(web, new Web.Request(tokens, Map.of(), true, null)))
                    .as("the target of a redirect")
                    .isInstanceOf(WatchWeb.ForbiddenPlaceException.class);
            assertThatThrownBy(() -> sent(web, new Web.Request(tokens, Map.of(), true, "registry.example")))
                    .as("tokens of another registry")
                    .isInstanceOf(WatchWeb.ForbiddenPlaceException.class);
            assertThatThrownBy(() -> sent(web, new Web.Request(registry, Map.of(), true, "127.0.0.1")))
                    .as("a host that issues no tokens")
                    .isInstanceOf(WatchWeb.ForbiddenPlaceException.class);
        } finally {
            http.stop(0);
        }
    }

    private static String sent(Web web, Web.Request request) throws IOException {
        try (Web.Response response = web.get(request)) {
            return response.header("X-Sent").orElseThrow();
        }
    }

    @ParameterizedTest
    @CsvSource(
            delimiter = '|',
            value = {
                "url            | \"ftp://127.0.0.1/debian\"",
                "url            | \"http://user:secret@example.org/debian\"",
                "url            | \"http://user:sec/ret@example.org/ debian\"",
                "url            | \"http://example.org/debian?token=secret\"",
                "url            | \"http://127.0.0.1:99999/\"",
                "kind           | \"git\"",
                "name           | \"a b\"",
                "typeSets       | [\"nonsense\"]",
                "typeSets       | []",
                "intervalSeconds| 1",
                "intervalSeconds| \"1h\"",
                "suite          | 3",
                "names[0]       | [3]"
            })
    void faultOfAWatchIsNamedByItsPlace(String member, String value) {
        ObjectNode draft = ofArchive();
        draft.set(member.replace("[0]", ""), JsonMapper.shared().readTree(value));
        HttpResponse<String> response = server.post("/v1/watches", draft.toString(), headers());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_watch");
        assertThat(Json.of(response).path("place").asString()).isEqualTo(member);
        assertThat(response.body()).doesNotContain("secret", "sec/ret");
    }

    @Test
    void urlThatIsNoPathOfAFolderIsRefused() {
        HttpResponse<String> response = server.post(
                "/v1/watches", draft("folder", "folder", "file:///x%00").toString(), headers());
        assertThat(response.statusCode()).isEqualTo(400);
        assertThat(Json.of(response).path("place").asString()).isEqualTo("url");
    }

    @Test
    void onlyAdministratorsManageWatches() {
        String publisher = "Bearer "
                + server.bean(Tokens.class)
                        .create("ci", Set.of(Scope.PUBLISH), Duration.ofHours(1), Actor.operator("test"))
                        .text();
        assertThat(server.get("/v1/watches", "Authorization", publisher).statusCode())
                .isEqualTo(403);
        assertThat(server.post(
                                "/v1/watches",
                                ofArchive().toString(),
                                "Authorization",
                                publisher,
                                "Content-Type",
                                "application/json")
                        .statusCode())
                .isEqualTo(403);
    }

    @Test
    void commandsManageWatches() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.publish();
        // Keyrings of distributions are binary.
        Path key = folder.resolve("archive.gpg");
        try (InputStream binary = new ArmoredInputStream(
                new ByteArrayInputStream(archive.certificate().getBytes(StandardCharsets.US_ASCII)))) {
            Files.copy(binary, key);
        }
        CommandLine.Run added = offsetd(
                "add",
                "archive",
                "apt",
                archive.url(),
                "--suite",
                "stable",
                "--architecture",
                "amd64",
                "--keyring",
                key.toString(),
                "--set",
                "@ruby");
        assertThat(added.exitCode()).as(added.out() + added.err()).isZero();
        awaitRun("/v1/watches/" + added.out().strip(), 1);
        CommandLine.Run listed = offsetd("list");
        assertThat(listed.out()).contains("archive", "apt", "@ruby", "complete", archive.url());
        CommandLine.Run ran = offsetd("run", "archive");
        assertThat(ran.exitCode()).as(ran.out() + ran.err()).isZero();
        assertThat(ran.out()).contains("unchanged");
        assertThat(offsetd("run", "nonsense").exitCode()).isEqualTo(1);
        CommandLine.Run again =
                offsetd("add", "archive", "folder", builds.toUri().toString(), "--set", "ruby");
        assertThat(again.exitCode()).as("the name is taken: " + again.err()).isEqualTo(2);
        assertThat(offsetd("remove", "archive").exitCode()).isZero();
        assertThat(offsetd("list").out()).doesNotContain("archive");
        assertThat(isStored(firstId)).as("what was stored stays").isTrue();
    }

    private CommandLine.Run offsetd(String command, String... arguments) throws Exception {
        List<String> words = new java.util.ArrayList<>(
                List.of(CommandLine.launcher(folder.resolve("offsetd")).toString(), "watch", command, server.url()));
        words.addAll(List.of(arguments));
        return CommandLine.run(
                folder,
                Map.of("OFFSETD_TOKEN", authorization.substring("Bearer ".length())),
                words.toArray(String[]::new));
    }

    @Test
    @ChecklistRow(14)
    void runOfAKilledServerIsFinishedByAnotherWithoutReadingAnEntryTwice() throws Exception {
        useServer();
        server.close();
        archive.add("libruby3.3-dbgsym", "3.3.1-1", ruby(firstId));
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(secondId));
        archive.publish();
        CountDownLatch inTheMiddle = archive.hangOnce("libruby3.4-dbgsym_3.4.1-1_amd64.deb");
        Map<String, String> environment = new HashMap<>(ServerProcess.on(database));
        environment.put("DEBUGINFOD_URLS", "");
        environment.put("OFFSETD_UPSTREAMS_URLS", "");
        environment.put("OFFSETD_WORK_POLL", "50ms");
        environment.put("OFFSETD_WORK_HEARTBEAT", "1500ms");
        environment.put("OFFSETD_WATCHES_ALLOWEDNETWORKS", "127.0.0.0/8");
        try (ServerProcess killed =
                        ServerProcess.start(folder.resolve("killed"), folder.resolve("killed.log"), environment);
                HttpClient http = HttpClient.newHttpClient()) {
            HttpResponse<String> created = http.send(
                    HttpRequest.newBuilder(URI.create(killed.url() + "/v1/watches"))
                            .headers(headers())
                            .POST(HttpRequest.BodyPublishers.ofString(
                                    ofArchive().toString()))
                            .build(),
                    BodyHandlers.ofString());
            assertThat(created.statusCode()).as(created.body()).isEqualTo(201);
            assertThat(inTheMiddle.await(60, TimeUnit.SECONDS)).isTrue();
            restart("offsetd.work.heartbeat=1500ms");
            assertThat(isStored(firstId)).isTrue();
            assertThat(isStored(secondId)).isFalse();
            killed.process().destroyForcibly().onExit().join();

            String location = created.headers().firstValue("Location").orElseThrow();
            JsonNode watch = awaitRun(location, 2);
            assertThat(outcome(watch)).as(watch.toString()).isEqualTo("complete");
            assertThat(isStored(secondId)).isTrue();
            assertThat(archive.requests("libruby3.3-dbgsym_3.3.1-1_amd64.deb")).isEqualTo(1);
            assertThat(archive.requests("libruby3.4-dbgsym_3.4.1-1_amd64.deb")).isEqualTo(2);
            assertThat(failedEvents()).as("the run went on").isZero();
        }
    }

    @Test
    void serverThatLostItsRunChangesNothing() throws Exception {
        archive.add("libruby3.4-dbgsym", "3.4.1-1", ruby(firstId));
        archive.publish();
        CountDownLatch inTheMiddle = archive.hangOnce("libruby3.4-dbgsym_3.4.1-1_amd64.deb");
        String watch = create(ofArchive());
        assertThat(inTheMiddle.await(60, TimeUnit.SECONDS)).isTrue();
        // Looks as if another server had taken the run over, and ended it.
        database.jdbc()
                .sql("update watches set run = run + 1, ended_at = now(), outcome = 'complete',"
                        + " next_run_at = now() + interval '1 hour'")
                .update();
        archive.release();
        assertThat(outcome(again(watch))).isEqualTo("complete");
        assertThat(database.jdbc()
                        .sql("select count(*) from watch_entries")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
        assertThat(database.jdbc()
                        .sql("select outcome from watches")
                        .query(String.class)
                        .single())
                .isEqualTo("complete");
    }
}
