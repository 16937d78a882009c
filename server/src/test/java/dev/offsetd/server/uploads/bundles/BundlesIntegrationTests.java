package dev.offsetd.server.uploads.bundles;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.testkit.RequiredTool;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.tokens.Tokens;
import dev.offsetd.server.builds.SharedBuildIds;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.CommandLine;
import dev.offsetd.server.testkit.CommandLine.Run;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.SmallRuby;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import dev.offsetd.server.typesets.TypeSets;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ObjectNode;

/** Bundles from one server to another one and to {@code query --bundle}, signed and checked by a real ssh-keygen. */
class BundlesIntegrationTests {

    private static final String RUBY = "11".repeat(20);
    private static final String POINTS = "22".repeat(20);
    private static final String UNKNOWN = "33".repeat(20);

    /** A build with pins, of which no source has a file. */
    private static final String PINNED = "44".repeat(20);

    /** A build without debug information. */
    private static final String STRIPPED = "55".repeat(20);

    private static final String ITEMS =
            "RBasic.flags,RBasic.klass,@ruby,@small,rb_control_frame_struct.pc,tls,no_such_type";

    @TempDir
    private static Path folder;

    private static TestServer server;
    private static TestServer island;
    private static Administrator admin;
    private static Path launcher;
    private static Path bundle;
    private static Path signers;

    @BeforeAll
    static void start() throws Exception {
        RequiredTool.require("ssh-keygen");
        server = server("server");
        island = server("island");
        admin = Administrator.of(server, "alice");
        Publisher ci = Publisher.of(server, "ci");
        SmallRuby ruby = SmallRuby.compile(folder.resolve("ruby"), RUBY);
        assertThat(ci.put(server, RUBY, Files.readAllBytes(ruby.library())).statusCode())
                .isEqualTo(201);
        assertThat(ci.put(server, POINTS, SmallBuild.debugFile(BuildId.parse(POINTS)))
                        .statusCode())
                .isEqualTo(201);
        admin.pin(server, POINTS, "point.y", "{\"offset\": 4, \"size\": 2}");
        admin.pin(server, RUBY, "RBasic.klass", "{\"offset\": 8, \"size\": 4, \"type\": \"int\"}");
        admin.pin(server, PINNED, "point.y", "{\"offset\": 12, \"size\": 4}");
        byte[] stripped = Files.readAllBytes(
                SmallRuby.compile(folder.resolve("stripped"), STRIPPED).stripped());
        assertThat(ci.put(server, STRIPPED, stripped).statusCode()).isEqualTo(422);
        admin.pin(server, STRIPPED, "RBasic.flags", "{\"offset\": 0, \"size\": 8}");
        HttpResponse<String> set = server.send(
                "PUT",
                "/v1/type-sets/small",
                BodyPublishers.ofString("{\"title\": \"Small\", \"items\": [{\"item\": \"RBasic.flags\"}]}"),
                admin.authorized());
        assertThat(set.statusCode()).as(set.body()).isEqualTo(201);
        launcher = CommandLine.launcher(folder.resolve("offsetd"));
        Path key = key("alice");
        key("mallory");
        signers = Files.writeString(
                folder.resolve("allowed_signers"),
                "alice@example.com " + Files.readString(folder.resolve("alice.pub")));
        bundle = folder.resolve("site.offsetd");
        Run run = run(
                server,
                "bundle",
                "create",
                server.url(),
                "--all",
                "--build-id",
                UNKNOWN,
                "--set",
                "@small",
                "--set",
                "@ruby",
                "--key",
                key.toString(),
                "-o",
                bundle.toString());
        assertThat(run.err()).contains("build " + UNKNOWN + " left out: the server answered 404");
        assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
        assertThat(run.out()).contains("2 builds, 2 type sets").contains("signed");
    }

    private static TestServer server(String name) {
        return TestServer.start(folder.resolve(name), TestDatabase.create(), "offsetd.offline=true");
    }

    private static Path key(String name) throws Exception {
        Path file = folder.resolve(name);
        Run run = CommandLine.run(
                folder, Map.of(), "ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-C", name, "-f", file.toString());
        assertThat(run.exitCode()).as(run.err()).isZero();
        return file;
    }

    @AfterAll
    static void stop() {
        server.close();
        island.close();
    }

    private static Run run(TestServer of, String... arguments) throws Exception {
        String token = of.bean(Tokens.class)
                .create(
                        "importer " + System.nanoTime(),
                        Set.of(Scope.ADMIN),
                        Duration.ofHours(1),
                        Actor.operator("test"))
                .text();
        List<String> command = new ArrayList<>(List.of(launcher.toString()));
        command.addAll(List.of(arguments));
        return CommandLine.run(folder, Map.of("OFFSETD_TOKEN", token), command.toArray(String[]::new));
    }

    /** Answers of two servers are equal but for the source of the debug file, and the identity and time of pins. */
    private static JsonNode withoutProvenance(String answer) {
        ObjectNode json = (ObjectNode) JsonMapper.shared().readTree(answer);
        json.remove("provenance");
        return json;
    }

    @Test
    void sshKeygenVerifiesTheManifest() throws Exception {
        Path unpacked = Files.createDirectories(folder.resolve("unpacked"));
        Run tar = CommandLine.run(folder, Map.of(), "tar", "xvf", bundle.toString(), "-C", unpacked.toString());
        assertThat(tar.out().lines())
                .containsExactly(
                        "builds/" + RUBY + "/build.json",
                        "builds/" + RUBY + "/types",
                        "builds/" + RUBY + "/symbols",
                        "builds/" + POINTS + "/build.json",
                        "builds/" + POINTS + "/types",
                        "builds/" + POINTS + "/symbols",
                        "sets/small.json",
                        "sets/ruby.json",
                        "manifest.json",
                        "manifest.json.sig");

        Run verified = CommandLine.run(
                unpacked,
                Map.of(),
                "sh",
                "-c",
                "ssh-keygen -Y verify -f " + signers + " -I alice@example.com -n offsetd-bundle -s manifest.json.sig"
                        + " < manifest.json");

        assertThat(verified.exitCode()).as(verified.err()).isZero();
        assertThat(verified.out()).contains("Good \"offsetd-bundle\" signature for alice@example.com");
    }

    @Test
    void verifyShowsSignerAndBuilds() throws Exception {
        Run run = run(server, "bundle", "verify", bundle.toString(), "--signers", signers.toString());

        assertThat(run.exitCode()).as(run.err()).isZero();
        assertThat(run.out())
                .contains("signed by alice@example.com, ED25519 key SHA256:")
                .contains("type sets: @small, @ruby")
                .contains(RUBY + "  libruby.so.3.4")
                .contains("upload upload  1 pins");
    }

    @Test
    void signatureOfAnotherKeyIsRefused() throws Exception {
        Path others = Files.writeString(
                folder.resolve("other_signers"),
                "mallory@example.com " + Files.readString(folder.resolve("mallory.pub")));

        for (String command : List.of("verify", "import")) {
            List<String> words = new ArrayList<>(List.of("bundle", command, bundle.toString()));
            if (command.equals("import")) {
                words.add(island.url());
            }
            words.addAll(List.of("--signers", others.toString()));
            Run run = run(island, words.toArray(String[]::new));
            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.err()).contains("the signature of the bundle is not valid");
        }
    }

    @Test
    void changedManifestIsRefused() throws Exception {
        byte[] bytes = Files.readAllBytes(bundle);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        bytes[text.indexOf(server.url()) + "http://127.0.0.".length()] = '2';
        Path changed = Files.write(folder.resolve("changed.offsetd"), bytes);

        Run run = run(server, "bundle", "verify", changed.toString(), "--signers", signers.toString());

        assertThat(run.exitCode()).isEqualTo(3);
        assertThat(run.err()).contains("the signature of the bundle is not valid");
    }

    @Test
    void changedTypesAreNeitherImportedNorUsed() throws Exception {
        byte[] bytes = Files.readAllBytes(bundle);
        String text = new String(bytes, StandardCharsets.ISO_8859_1);
        bytes[text.indexOf("types\0") + 512 + 40] ^= 1;
        Path changed = Files.write(folder.resolve("tampered.offsetd"), bytes);

        Run imported =
                run(island, "bundle", "import", changed.toString(), island.url(), "--signers", signers.toString());
        Run queried = run(server, "query", "--bundle", changed.toString(), RUBY, "RBasic");

        assertThat(imported.err()).contains("damaged or changed");
        assertThat(imported.exitCode()).isEqualTo(3);
        assertThat(queried.err()).contains("damaged or changed");
        assertThat(queried.exitCode()).isEqualTo(3);
    }

    @Test
    void queryOfABundleAnswersAsTheServer() throws Exception {
        for (String view : List.of("fields", "members", "flat")) {
            for (String items : List.of(ITEMS, "symbol ruby*,RBasic.flgas")) {
                Run asked = run(server, "query", server.url(), RUBY, items, "--json", "--view", view);
                Run offline = run(
                        server,
                        "query",
                        "--bundle",
                        bundle.toString(),
                        "--signers",
                        signers.toString(),
                        RUBY,
                        items,
                        "--json",
                        "--view",
                        view);
                assertThat(offline.out())
                        .isEqualTo(withoutExecutable(asked.out()))
                        .contains("\"provenance\"");
                assertThat(offline.exitCode()).isEqualTo(asked.exitCode());
            }
        }
        Run asked = run(server, "query", server.url(), POINTS, "point");
        Run offline = run(server, "query", "--bundle", bundle.toString(), POINTS, "point");
        assertThat(offline.out()).isEqualTo(asked.out()).contains("pin");
        Run map = run(server, "query", "--bundle", bundle.toString(), RUBY, "@ruby", "--view", "map", "--json");
        assertThat(map.out())
                .isEqualTo(run(server, "query", server.url(), RUBY, "@ruby", "--view", "map", "--json")
                        .out());
    }

    @Test
    void unknownBuildOfABundleIsNotFound() throws Exception {
        Run run = run(server, "query", "--bundle", bundle.toString(), UNKNOWN, "point");

        assertThat(run.exitCode()).isEqualTo(1);
        assertThat(run.err()).contains("has no build " + UNKNOWN);
    }

    @Test
    void importedBuildsAnswerAsBeforeAndImportingAgainChangesNothing() throws Exception {
        String[] words = {"bundle", "import", bundle.toString(), island.url(), "--signers", signers.toString()};

        Run first = run(island, words);
        Run again = run(island, words);

        assertThat(first.err()).isEmpty();
        assertThat(first.out()).contains("2 builds imported, 0 replaced, 0 already there, 0 left out; 2 pins added");
        assertThat(first.exitCode()).isZero();
        assertThat(again.out()).contains("0 builds imported, 0 replaced, 2 already there, 0 left out; 0 pins added");
        assertThat(again.exitCode()).isZero();
        for (String id : List.of(RUBY, POINTS)) {
            String items = id.equals(RUBY) ? ITEMS : "point,line.to";
            HttpResponse<String> answer = island.offsets(id, items);
            assertThat(withoutProvenance(answer.body()))
                    .isEqualTo(withoutProvenance(
                            withoutExecutable(server.offsets(id, items).body())));
            JsonNode provenance = Json.of(answer).path("provenance");
            assertThat(provenance.path("p1").path("upstream").asString()).isEqualTo("bundle");
            assertThat(provenance.path("p1").path("token").path("label").asString())
                    .isEqualTo("bundle signed by alice@example.com");
            assertThat(provenance.path("p1").path("verified").asString()).isEqualTo("build-id note, upload upload");
            assertThat(provenance.path("p2").path("author").asString()).isEqualTo("alice");
        }
        assertThat(island.get("/v1/symbols/" + RUBY + "?names=ruby*").body()).contains("ruby");
        assertThat(Json.of(island.get("/v1/builds/" + RUBY)).path("identity"))
                .isEqualTo(Json.of(server.get("/v1/builds/" + RUBY)).path("identity"));
    }

    @Test
    void buildsWithPinsOrSymbolsOnlyAnswerAsBefore() throws Exception {
        Path bare = folder.resolve("bare.offsetd");
        Run create = run(
                server,
                "bundle",
                "create",
                server.url(),
                "--build-id",
                PINNED,
                "--build-id",
                STRIPPED,
                "--key",
                folder.resolve("alice").toString(),
                "-o",
                bare.toString());
        assertThat(create.exitCode()).as(create.err()).isZero();
        Run verified = run(server, "bundle", "verify", bare.toString(), "--signers", signers.toString());
        assertThat(verified.exitCode()).as(verified.err()).isZero();
        assertThat(verified.out())
                .contains(PINNED + "  -  no debug file  1 pins")
                .contains("upload upload  1 pins");
        assertVerifiedBySshKeygen(bare, "bare");

        for (String[] query : new String[][] {{PINNED, "point.y,line"}, {STRIPPED, "RBasic.flags"}}) {
            Run asked = run(server, "query", server.url(), query[0], query[1], "--json");
            Run offline = run(server, "query", "--bundle", bare.toString(), query[0], query[1], "--json");
            assertThat(offline.out()).as(offline.err()).isEqualTo(asked.out()).contains("\"pin\"");
            assertThat(offline.exitCode()).isEqualTo(asked.exitCode());
        }
        Run symbols = run(server, "query", "--bundle", bare.toString(), STRIPPED, "symbol ruby*");
        assertThat(symbols.out()).contains("ruby_");

        try (TestServer other = server("bare")) {
            String[] words = {"bundle", "import", bare.toString(), other.url(), "--signers", signers.toString()};
            Run first = run(other, words);
            assertThat(first.out())
                    .as(first.err())
                    .contains("2 builds imported, 0 replaced, 0 already there, 0 left out; 2 pins added");
            assertThat(run(other, words).out()).contains("0 builds imported, 0 replaced, 2 already there");
            for (String[] query : new String[][] {{PINNED, "point.y,line"}, {STRIPPED, "RBasic.flags"}}) {
                assertThat(withoutProvenance(other.offsets(query[0], query[1]).body()))
                        .isEqualTo(withoutProvenance(
                                server.offsets(query[0], query[1]).body()));
            }
            HttpResponse<String> known = server.get("/v1/symbols/" + STRIPPED + "?names=ruby*");
            assertThat(known.statusCode()).isEqualTo(200);
            assertThat(withoutProvenance(other.get("/v1/symbols/" + STRIPPED + "?names=ruby*")
                            .body()))
                    .isEqualTo(withoutProvenance(known.body()));
        }
    }

    @Test
    void retiredSetsAreBundledAndImported() throws Exception {
        try (TestServer from = server("retiring");
                TestServer to = server("retired")) {
            for (TestServer each : List.of(from, to)) {
                HttpResponse<String> set = each.send(
                        "PUT",
                        "/v1/type-sets/old",
                        BodyPublishers.ofString("{\"title\": \"Old\", \"items\": [{\"item\": \"point.x\"}]}"),
                        Administrator.of(each, "bob").authorized());
                assertThat(set.statusCode()).as(set.body()).isEqualTo(201);
                each.bean(TypeSets.class).retire("old", true, Actor.operator("test"));
            }
            Publisher.of(from, "ci").put(from, POINTS, SmallBuild.debugFile(BuildId.parse(POINTS)));
            Path old = folder.resolve("old.offsetd");
            Run create = run(from, "bundle", "create", from.url(), "--all", "--set", "@old", "-o", old.toString());
            assertThat(create.exitCode()).as(create.err()).isZero();

            Run verified = run(from, "bundle", "verify", old.toString());
            assertThat(verified.exitCode()).as(verified.err()).isZero();
            Run query = run(from, "query", "--bundle", old.toString(), POINTS, "@old");
            assertThat(query.out()).as(query.err()).contains("point.x");
            Run imported = run(to, "bundle", "import", old.toString(), to.url(), "--any-signer");
            assertThat(imported.out()).as(imported.err()).contains("1 builds imported");
            assertThat(imported.exitCode()).isZero();
        }
    }

    @Test
    void demandThatPinsMeetInPartIsBundled() throws Exception {
        assertThat(server.offsets(PINNED, "line").statusCode()).isEqualTo(200);
        long end = System.nanoTime() + Duration.ofSeconds(30).toNanos();
        while (!server.get("/v1/demand").body().contains(PINNED)) {
            assertThat(System.nanoTime()).as("PINNED is in demand").isLessThan(end);
            Thread.sleep(100);
        }
        Path demanded = folder.resolve("demanded.offsetd");
        Run create = run(server, "bundle", "create", server.url(), "--demand", "-o", demanded.toString());
        assertThat(create.out()).as(create.err()).contains(" builds, ");
        Run verified = run(server, "bundle", "verify", demanded.toString());
        assertThat(verified.out()).as(verified.err()).contains(PINNED).doesNotContain(POINTS);
    }

    private static void assertVerifiedBySshKeygen(Path bundle, String name) throws Exception {
        Path unpacked = Files.createDirectories(folder.resolve("unpacked-" + name));
        Run verified = CommandLine.run(
                unpacked,
                Map.of(),
                "sh",
                "-c",
                "tar xf " + bundle + " && ssh-keygen -Y verify -f " + signers + " -I alice@example.com"
                        + " -n offsetd-bundle -s manifest.json.sig < manifest.json");
        assertThat(verified.exitCode()).as(verified.err()).isZero();
    }

    @Test
    void signatureOfAnotherNamespaceIsRefused() throws Exception {
        Path work = Files.createDirectories(folder.resolve("namespace"));
        // Exactly as long as the real one, so that the signature has the same size.
        Run signed = CommandLine.run(
                work,
                Map.of(),
                "sh",
                "-c",
                "tar xf " + bundle + " manifest.json manifest.json.sig && mv manifest.json.sig good"
                        + " && ssh-keygen -q -Y sign -f " + folder.resolve("alice")
                        + " -n another-bundle manifest.json");
        assertThat(signed.exitCode()).as(signed.err()).isZero();
        String good = Files.readString(work.resolve("good"), StandardCharsets.ISO_8859_1);
        String other = Files.readString(work.resolve("manifest.json.sig"), StandardCharsets.ISO_8859_1);
        assertThat(other).hasSameSizeAs(good).isNotEqualTo(good);
        Path changed = Files.write(
                work.resolve("site.offsetd"),
                new String(Files.readAllBytes(bundle), StandardCharsets.ISO_8859_1)
                        .replace(good, other)
                        .getBytes(StandardCharsets.ISO_8859_1));

        for (String[] words : new String[][] {
            {"bundle", "verify", changed.toString(), "--signers", signers.toString()},
            {"bundle", "verify", changed.toString()},
            {"query", "--bundle", changed.toString(), RUBY, "RBasic"}
        }) {
            Run run = run(server, words);
            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.err()).contains("the signature of the bundle is not valid", "namespace does not match");
        }
    }

    @Test
    void betterSourceStays() throws Exception {
        Path local = Files.createDirectories(folder.resolve("local"));
        BuildId id = BuildId.parse(POINTS);
        Path file = local.resolve(".build-id").resolve(POINTS.substring(0, 2)).resolve(POINTS.substring(2) + ".debug");
        Files.createDirectories(file.getParent());
        Files.write(file, SmallBuild.largeDebugFile(id));
        try (TestServer other = TestServer.start(
                folder.resolve("other"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + local)) {
            assertThat(other.offsets(POINTS, "point.y").statusCode()).isEqualTo(200);

            Run run = run(other, "bundle", "import", bundle.toString(), other.url(), "--any-signer");

            assertThat(run.exitCode()).isEqualTo(3);
            assertThat(run.err()).contains("build " + POINTS + " left out: a local folder of the server has the build");
            assertThat(run.out()).contains("1 builds imported, 0 replaced, 0 already there, 1 left out");
            assertThat(Json.of(other.offsets(POINTS, "line.to"))
                            .path("provenance")
                            .path("p1")
                            .path("origin")
                            .asString())
                    .isEqualTo("local");
        }
    }

    @Test
    void buildThatTheServerRefusesDoesNotKeepOthersFromBeingImported() throws Exception {
        try (TestServer other = server("shared")) {
            assertThat(other.offsets(RUBY, "RBasic.flags").statusCode()).isEqualTo(404);
            new TransactionTemplate(other.bean(PlatformTransactionManager.class))
                    .executeWithoutResult(status ->
                            other.bean(SharedBuildIds.class).add(BuildId.parse(RUBY), SharedBuildIds.Evidence.LAYOUTS));

            Run run = run(other, "bundle", "import", bundle.toString(), other.url(), "--any-signer");

            assertThat(run.exitCode()).as(run.err()).isEqualTo(3);
            assertThat(run.err()).contains("build " + RUBY + " left out: " + RUBY + " does not identify a program");
            assertThat(run.out()).contains("1 builds imported").contains("1 left out");
            assertThat(other.offsets(POINTS, "point.y").statusCode()).isEqualTo(200);
        }
    }

    @Test
    void hostileArchivesAreRefusedByTheServer() throws Exception {
        Administrator importer = Administrator.of(island, "hostile " + System.nanoTime());
        byte[] archive = server.file("GET", "/v1/builds/" + RUBY + "/bundle").body();
        byte[] noise = archive.clone();
        // Within the directory of the types.
        for (int i = 0; i < noise.length - 4096; i += 64) {
            noise[2048 + i] ^= 0x55;
        }

        HttpResponse<String> otherBuild = put(island, importer, UNKNOWN, archive, "");
        HttpResponse<String> damaged = put(island, importer, RUBY, noise, "");
        HttpResponse<String> empty = put(island, importer, RUBY, new byte[0], "");
        HttpResponse<String> badSigner = put(island, importer, RUBY, archive, "?signer=a%0Ab");
        HttpResponse<String> badParameter = put(island, importer, RUBY, archive, "?singer=a");
        HttpResponse<String> publisher = island.send(
                "PUT",
                "/v1/builds/" + RUBY + "/bundle",
                BodyPublishers.ofByteArray(archive),
                Publisher.of(island, "ci " + System.nanoTime()).authorized());

        assertThat(List.of(otherBuild, damaged, empty)).allSatisfy(response -> {
            assertThat(response.statusCode()).as(response.body()).isEqualTo(422);
            assertThat(Json.of(response).path("code").asString()).isEqualTo("bad_bundle");
        });
        assertThat(badSigner.statusCode()).isEqualTo(400);
        assertThat(Json.of(badParameter).path("code").asString()).isEqualTo("unknown_parameter");
        assertThat(publisher.statusCode()).isEqualTo(403);
    }

    private static HttpResponse<String> put(TestServer to, Administrator who, String id, byte[] archive, String query) {
        return to.send(
                "PUT", "/v1/builds/" + id + "/bundle" + query, BodyPublishers.ofByteArray(archive), who.authorized());
    }

    @Test
    void unsignedBundleNeedsAWordOfTheImporter() throws Exception {
        Path unsigned = folder.resolve("unsigned.offsetd");
        Run create = run(server, "bundle", "create", server.url(), "--build-id", POINTS, "-o", unsigned.toString());
        Run refused = run(island, "bundle", "import", unsigned.toString(), island.url());
        Run required = run(island, "bundle", "verify", unsigned.toString(), "--signers", signers.toString());

        assertThat(create.exitCode()).as(create.err()).isZero();
        assertThat(refused.exitCode()).isEqualTo(2);
        assertThat(refused.err()).contains("--signers is missing");
        assertThat(required.exitCode()).isEqualTo(3);
        assertThat(required.err()).contains("the bundle is not signed");
    }

    /** A bundle does not carry what a server knows of the executable. */
    private static String withoutExecutable(String answer) {
        int start = answer.indexOf("\"tlsRelocations\"");
        if (start < 0) {
            return answer;
        }
        int end = answer.indexOf("],", start) + "],".length();
        return withoutExecutable(answer.substring(0, start) + answer.substring(end));
    }
}
