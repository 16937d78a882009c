package dev.offsetd.server.uploads;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.mockito.ArgumentMatchers.any;
import static org.mockito.Mockito.doAnswer;
import static org.mockito.Mockito.mock;
import static org.mockito.Mockito.when;

import dev.offsetd.extractor.identity.Identity;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.builds.BuildKeys;
import dev.offsetd.server.builds.BuildStates;
import dev.offsetd.server.builds.Builds;
import dev.offsetd.server.builds.extraction.DebugFileReader;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.builds.extraction.FrameReads;
import dev.offsetd.server.builds.extraction.KeptUploads;
import dev.offsetd.server.builds.identity.ExecutableNames;
import dev.offsetd.server.builds.identity.Identities;
import dev.offsetd.server.sources.ReceivedFiles;
import dev.offsetd.server.sources.ReceivedFiles.ReceivedFile;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.MeterRegistry;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.Socket;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Base64;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.transaction.PlatformTransactionManager;
import tools.jackson.databind.JsonNode;

/** Acceptance of uploads, and the answers from them. */
@ChecklistRow({21})
class UploadsIntegrationTests {

    private static final String ID = SmallBuild.ID.toString();
    private static final String BUILD = "/v1/builds/" + ID;
    private static final long LIMIT = 64 << 10;

    /** Beginning of a body, also of JSON, that gives its sender a place. */
    private static final byte[] BEGINNING = " ".repeat(20_000).getBytes(StandardCharsets.US_ASCII);

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer server;
    private static Publisher ci;
    private static Publisher other;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.extraction.retry.not-found-locally=1h",
                "offsetd.uploads.max-size=" + LIMIT + "B",
                "offsetd.uploads.max-concurrent=4");
        ci = Publisher.of(server, "ci");
        other = Publisher.of(server, "other");
    }

    @AfterAll
    static void stop() {
        server.close();
    }

    @BeforeEach
    void forget() throws Exception {
        awaitIdleWorkers();
        database.jdbc().sql("delete from builds").update();
        server.forgetAnswers();
    }

    /** A push is repeated, so it would end one server after the other. */
    @Test
    @ChecklistRow(36)
    void uploadWhoseReadingEndsAServerIsToBlame() throws Exception {
        endServer(SmallBuild.debugFile(), readerThatEndsTheServer(), server.bean(FrameReads.class));
        assertWaits(SmallBuild.debugFile());

        endPause();
        endServer(SmallBuild.debugFile(), readerThatEndsTheServer(), server.bean(FrameReads.class));
        assertRefused(SmallBuild.debugFile());

        // Another round of the sources sets the time of the next one, which pauses nothing.
        database.jdbc()
                .sql("update builds set retry_at = retry_at + interval '1 hour'")
                .update();
        assertThat(ci.put(server, SmallBuild.debugFile()).statusCode()).isEqualTo(201);
    }

    @Test
    @ChecklistRow(36)
    void uploadForAStoredBuildThatEndsAServerIsToBlame() throws Exception {
        ci.put(server, SmallBuild.debugFile());
        awaitIdleWorkers();
        endServer(SmallBuild.richerDebugFile(), readerThatEndsTheServer(), server.bean(FrameReads.class));
        assertWaits(SmallBuild.richerDebugFile());
        assertThat(status("point")).isEqualTo("found");

        endPause();
        endServer(SmallBuild.richerDebugFile(), readerThatEndsTheServer(), server.bean(FrameReads.class));
        assertRefused(SmallBuild.richerDebugFile());

        endPause();
        HttpResponse<String> richer = ci.put(server, SmallBuild.richerDebugFile());
        assertThat(Json.of(richer).path("result").asString()).isEqualTo("replaced");
    }

    @Test
    @ChecklistRow(36)
    void uploadWhoseFunctionsEndAServerIsToBlame() throws Exception {
        ci.put(server, SmallBuild.debugFile());
        awaitIdleWorkers();
        FrameReads frames = mock(FrameReads.class);
        doAnswer(reading ->
                        endServer(reading.<DebugFileReader.Turn>getArgument(4).begun()))
                .when(frames)
                .takeUpload(any(), any(), any(), any(), any());
        endServer(SmallBuild.debugFile(), server.bean(DebugFileReader.class), frames);
        assertWaits(SmallBuild.richerDebugFile());
    }

    @Test
    @ChecklistRow(36)
    void executableWhoseNamesEndAServerIsToBlame() throws Exception {
        ci.put(server, SmallBuild.debugFile());
        awaitIdleWorkers();
        ExecutableNames names = mock(ExecutableNames.class);
        when(names.in(any(), any())).thenAnswer(reading -> {
            assertThat(server.bean(BuildStates.class).recordProcessEnd(Duration.ofDays(1)))
                    .as("work that waits for its turn")
                    .isEmpty();
            return endServer(reading.<Runnable>getArgument(1));
        });
        ExecutableUploads executables = new ExecutableUploads(
                server.bean(Uploads.class),
                server.bean(Builds.class),
                server.bean(BuildKeys.class),
                server.bean(Identities.class),
                names,
                server.bean(AuditLog.class),
                server.bean(PlatformTransactionManager.class));
        try (ReceivedFile file = server.bean(ReceivedFiles.class)
                .receive(new ByteArrayInputStream(SmallBuild.debugFile()), LIMIT, Duration.ofMinutes(1))) {
            IdentifiedFile upload = IdentifiedFile.of(file, SmallBuild.ID);
            assertThatThrownBy(() -> executables.take(upload, Identity.UNKNOWN, Actor.operator("test")))
                    .hasMessage("the server ends");
        }
        HttpResponse<String> executable = ci.putExecutable(server, SmallBuild.ID, SmallBuild.debugFile());
        assertThat(executable.statusCode()).as(executable.body()).isEqualTo(503);
    }

    private static void endPause() {
        database.jdbc().sql("update builds set retry_at = now()").update();
    }

    /** The second server that a build ends makes it wait for long. */
    private static void assertRefused(byte[] file) {
        HttpResponse<String> repeated = ci.put(server, file);
        assertThat(repeated.statusCode()).as(repeated.body()).isEqualTo(422);
        assertThat(Json.of(repeated).path("code").asString()).isEqualTo("limit_exceeded");
    }

    private static DebugFileReader readerThatEndsTheServer() throws Exception {
        DebugFileReader reader = mock(DebugFileReader.class);
        when(reader.read(any(), any(), any(), any()))
                .thenAnswer(reading ->
                        endServer(reading.<DebugFileReader.Turn>getArgument(3).begun()));
        return reader;
    }

    /** Counts the attempts that the end of the server counts, in the midst of reading a file. */
    private static Object endServer(Runnable begun) throws IOException {
        begun.run();
        assertThat(server.bean(BuildStates.class).recordProcessEnd(Duration.ofDays(1)))
                .containsExactly(SmallBuild.ID);
        throw new IOException("the server ends");
    }

    private static void endServer(byte[] content, DebugFileReader reader, FrameReads frames) throws Exception {
        Uploads uploads = new Uploads(
                server.bean(Builds.class),
                server.bean(UploadStore.class),
                server.bean(Extractions.class),
                reader,
                server.bean(KeptUploads.class),
                server.bean(BuildKeys.class),
                frames,
                server.bean(SymbolizeProperties.class),
                server.bean(UploadProperties.class));
        try (ReceivedFile file = server.bean(ReceivedFiles.class)
                .receive(new ByteArrayInputStream(content), LIMIT, Duration.ofMinutes(1))) {
            IdentifiedFile upload = IdentifiedFile.of(file, SmallBuild.ID);
            assertThatThrownBy(() -> uploads.store(upload, Identity.UNKNOWN, Actor.operator("test")))
                    .hasMessage("the server ends");
        }
    }

    private static void assertWaits(byte[] file) {
        HttpResponse<String> again = ci.put(server, file);
        assertThat(again.statusCode()).as(again.body()).isEqualTo(503);
        assertThat(again.headers().firstValueAsLong("Retry-After").orElseThrow())
                .isGreaterThan(60);
        JsonNode advice = Json.of(ci.precheck(server, SmallBuild.ID, "?sha256=" + sha256(file)));
        assertThat(advice.path("upload").asBoolean()).as(advice.toString()).isFalse();
        assertThat(advice.path("retryAfter").asLong()).isGreaterThan(60);
    }

    @Test
    void firstUploadIsStoredAndAnswersAtOnce() throws Exception {
        HttpResponse<String> response = ci.put(server, SmallBuild.debugFile());
        assertThat(response.statusCode()).as(response.body()).isEqualTo(201);
        assertThat(response.headers().firstValue("Location")).hasValue(BUILD);
        assertThat(Json.of(response).path("result").asString()).isEqualTo("taken");
        assertThat(Json.of(response).path("sha256").asString()).isEqualTo(sha256(SmallBuild.debugFile()));

        HttpResponse<String> answer = server.offsets(ID, "point.y");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
        JsonNode provenance = Json.of(answer).path("provenance").path("p1");
        assertThat(provenance.path("origin").asString()).isEqualTo("upload");
        assertThat(provenance.path("upstream").asString()).isEqualTo("upload");
        assertThat(provenance.path("token").path("label").asString()).isEqualTo("ci");
        assertThat(provenance.path("token").path("id").asString()).hasSize(36);
        assertThat(build().path("provenance").path("token")).isEqualTo(provenance.path("token"));
        assertThat(build().path("conflicts").size()).isZero();
        assertThat(incoming()).isEmpty();
    }

    @Test
    void repeatedUploadChangesNothing() throws Exception {
        ci.put(server, SmallBuild.debugFile());
        awaitIdleWorkers();
        long generation = generation();
        int audited = audited("build.upload");
        for (Publisher publisher : List.of(ci, other)) {
            HttpResponse<String> again = publisher.put(server, SmallBuild.debugFile());
            assertThat(again.statusCode()).isEqualTo(200);
            assertThat(Json.of(again).path("result").asString()).isEqualTo("same_file");
        }
        assertThat(generation()).isEqualTo(generation);
        assertThat(audited("build.upload")).isEqualTo(audited);
        assertThat(build().path("provenance").path("token").path("label").asString())
                .isEqualTo("ci");
    }

    @Test
    void fileOfTheSameTokenWithMoreDebugInformationReplacesTheOther() {
        ci.put(server, SmallBuild.debugFile());
        HttpResponse<String> richer = ci.put(server, SmallBuild.richerDebugFile());
        assertThat(richer.statusCode()).as(richer.body()).isEqualTo(200);
        assertThat(Json.of(richer).path("result").asString()).isEqualTo("replaced");
        assertThat(status("circle")).isEqualTo("found");
        JsonNode conflict = build().path("conflicts").get(0);
        assertThat(conflict.path("sha256").asString()).isEqualTo(sha256(SmallBuild.debugFile()));
        assertThat(conflict.path("layoutsDiffer").asBoolean()).isTrue();

        assertConflict(ci.put(server, SmallBuild.debugFile()), "not_richer", true);
        assertThat(status("circle")).isEqualTo("found");
    }

    @Test
    void uploaderCanRenewAFileOfAnEarlierExtractor() {
        ci.put(server, SmallBuild.debugFile());
        database.jdbc().sql("update debug_files set extractor_version = 1").update();
        assertThat(Json.of(other.put(server, SmallBuild.debugFile()))
                        .path("result")
                        .asString())
                .isEqualTo("same_file");
        assertThat(Json.of(ci.precheck(server, ID, "?sha256=" + sha256(SmallBuild.debugFile())))
                        .path("upload")
                        .asBoolean())
                .isTrue();
        assertThat(Json.of(ci.put(server, SmallBuild.debugFile()))
                        .path("result")
                        .asString())
                .isEqualTo("replaced");
        assertThat(build().path("provenance").path("extractor").asString()).isNotEqualTo("1");
        assertThat(build().path("conflicts").size()).isZero();
    }

    @Test
    void uploadOfAnotherTokenStaysAndTheConflictIsRecorded() {
        ci.put(server, SmallBuild.debugFile());
        assertConflict(other.put(server, SmallBuild.richerDebugFile()), "other_token", true);
        assertConflict(other.put(server, SmallBuild.paddedDebugFile()), "other_token", false);
        JsonNode build = build();
        assertThat(build.path("provenance").path("token").path("label").asString())
                .isEqualTo("ci");
        assertThat(build.path("conflicts").size()).isEqualTo(2);
        JsonNode last = build.path("conflicts").get(0);
        assertThat(last.path("origin").asString()).isEqualTo("upload");
        assertThat(last.path("token").path("label").asString()).isEqualTo("other");
        assertThat(last.path("layoutsDiffer").asBoolean()).isFalse();
        assertThat(audited("build.conflict")).isPositive();
    }

    @Test
    void conflictsOfABuildAreBounded() {
        ci.put(server, SmallBuild.debugFile());
        byte[] file = SmallBuild.otherLayouts();
        for (int i = 1; i <= 18; i++) {
            assertThat(other.put(server, Arrays.copyOf(file, file.length + i)).statusCode())
                    .isEqualTo(409);
        }
        assertThat(build().path("conflicts").size()).isEqualTo(16);
    }

    @Test
    @ChecklistRow({28})
    void fileForAnotherProcessorIsRefused() {
        ci.put(server, SmallBuild.debugFile());
        assertConflict(ci.put(server, SmallBuild.otherMachine()), "other_architecture", true);
        JsonNode answer = Json.of(server.offsets(ID, "point,circle"));
        assertThat(answer.path("arch").path("machine").asString()).isEqualTo("x86_64");
        assertThat(answer.path("offsets").path("circle").path("status").asString())
                .isEqualTo("type_not_found");
        assertThat(build().path("conflicts").get(0).path("arch").path("machine").asString())
                .isEqualTo("aarch64");
    }

    @Test
    @ChecklistRow({29})
    void answerWithAMissingItemIsIncomplete() {
        ci.put(server, SmallBuild.debugFile());
        assertThat(Json.of(server.offsets(ID, "point,line.to")).path("complete").asBoolean())
                .isTrue();
        for (String missing : List.of("circle", "point.z", "line.to.x", "enumerator NONE")) {
            assertThat(Json.of(server.offsets(ID, "point," + missing))
                            .path("complete")
                            .asBoolean())
                    .as(missing)
                    .isFalse();
        }
    }

    @Test
    void fileOfALocalFolderStays() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        try {
            assertThat(server.offsets(ID, "point").statusCode()).isEqualTo(200);
            assertConflict(ci.put(server, SmallBuild.otherLayouts()), "local_folder_has_it", true);
            assertThat(build().path("provenance").path("origin").asString()).isEqualTo("local");
            assertThat(offsetOfY(server)).isEqualTo(4);
            assertAdvice(ci, "", false, "local_folder_has_it");
        } finally {
            SmallBuild.removeFrom(folder.resolve("debug"));
        }
    }

    @Test
    void fileOfAnotherBuildIsRefused() {
        assertRefused(ci.put(server, SmallBuild.debugFile(SmallBuild.UNKNOWN_ID)), 422, "wrong_build_id");
        assertThat(server.get(BUILD).statusCode()).isEqualTo(404);
    }

    @Test
    void digestMismatchIsRefused() {
        byte[] file = SmallBuild.debugFile();
        String wrong = digest(SmallBuild.richerDebugFile());
        assertRefused(ci.put(server, ID, file, "Content-Digest", wrong), 422, "digest_mismatch");
        assertRefused(ci.put(server, ID, file, "Content-Digest", "sha-256=abc"), 400, "bad_digest");
        assertThat(server.get(BUILD).statusCode()).isEqualTo(404);
        assertThat(ci.put(server, ID, file, "Content-Digest", digest(file)).statusCode())
                .isEqualTo(201);
    }

    @Test
    void nameOfAFileThatIsNotStoredIsAClaimOfItsBuildOnly() {
        String name = "?name=debs/app_1.0-1_amd64.deb!./usr/bin/app";
        server.offsets(ID, "point");
        server.offsets(SmallBuild.UNKNOWN_ID, "point");

        assertRefused(putNamed(ID, name, SmallBuild.withoutDebugInfo()), 422, "no_debuginfo");
        HttpResponse<String> ofAnother = putNamed(SmallBuild.UNKNOWN_ID, name, SmallBuild.withoutDebugInfo());
        assertThat(Json.of(ofAnother).path("code").asString()).isEqualTo("wrong_build_id");

        assertThat(build().path("claimedName").asString()).isEqualTo("debs/app_1.0-1_amd64.deb!./usr/bin/app");
        assertThat(build().path("claimedPackage").asString()).isEqualTo("app 1.0-1");
        assertThat(build().path("claimedBy").asString()).isEqualTo("push");
        assertThat(Json.of(server.get("/v1/builds/" + SmallBuild.UNKNOWN_ID)).has("claimedName"))
                .isFalse();
    }

    private static HttpResponse<String> putNamed(Object id, String query, byte[] file) {
        return server.send(
                "PUT", "/v1/builds/" + id + "/debuginfo" + query, BodyPublishers.ofByteArray(file), ci.authorized());
    }

    @Test
    void unusableFileIsRefusedWithTheLocation() throws Exception {
        assertRefused(ci.put(server, SmallBuild.withoutDebugInfo()), 422, "no_debuginfo");
        assertRefused(ci.put(server, "<html>not found</html>".getBytes(StandardCharsets.UTF_8)), 422, "malformed");
        assertRefused(ci.put(server, new byte[0]), 422, "malformed");
        HttpResponse<String> archive = ci.put(server, ("!<arch>\n" + "x".repeat(60)).getBytes(StandardCharsets.UTF_8));
        assertRefused(archive, 422, "unsupported");
        assertThat(archive.body()).contains("expected an ELF file; this is an ar archive");
        byte[] file = SmallBuild.debugFile();
        assertRefused(ci.put(server, Arrays.copyOf(file, file.length / 2)), 422, "malformed");
        HttpResponse<String> response = ci.put(server, SmallBuild.malformed());
        assertThat(response.statusCode()).isEqualTo(422);
        assertThat(Json.of(response).path("section").asString()).isEqualTo(".debug_info");
        assertThat(Json.of(response).path("offset").asInt()).isEqualTo(4);
        assertThat(server.offsets(ID, "point").statusCode())
                .as("a file that was refused does not answer")
                .isEqualTo(404);
        assertThat(incoming()).isEmpty();
    }

    @Test
    void tooLargeBodyIsRefusedWhetherAnnouncedOrNot() throws Exception {
        byte[] large = new byte[(int) LIMIT + 1];
        HttpResponse<String> announced = ci.put(server, large);
        HttpResponse<String> chunked = server.send(
                "PUT",
                BUILD + "/debuginfo",
                BodyPublishers.ofInputStream(() -> new ByteArrayInputStream(large)),
                ci.authorized());
        for (HttpResponse<String> response : List.of(announced, chunked)) {
            assertRefused(response, 413, "too_large");
            assertThat(Json.of(response).path("limit").asLong()).isEqualTo(LIMIT);
        }
        assertThat(incoming()).isEmpty();
    }

    @Test
    void announcedSizeIsRefusedBeforeTheBody() throws Exception {
        try (Socket socket = begin("Content-Length: " + (LIMIT + 1))) {
            assertThat(line(socket)).startsWith("HTTP/1.1 413 ");
        }
    }

    @Test
    void formsAndCodedBodiesAreRefused() {
        byte[] file = SmallBuild.debugFile();
        HttpResponse<String> coded = ci.put(server, ID, file, "Content-Encoding", "gzip");
        assertRefused(coded, 415, "unsupported_coding");
        assertThat(Json.of(coded).path("accepted").get(0).asString()).isEqualTo("identity");
        String form = "multipart/form-data; boundary=x";
        assertRefused(ci.put(server, ID, file, "Content-Type", form), 415, "unsupported_media_type");
        assertThat(ci.put(server, ID, file, "Content-Type", "application/x-www-form-urlencoded")
                        .statusCode())
                .as("curl says so of any body unless told otherwise")
                .isEqualTo(201);
    }

    @Test
    void truncatedBodyLeavesNoFile() throws Exception {
        try (Socket socket = begin("Content-Length: " + 2 * BEGINNING.length)) {
            socket.getOutputStream().write(BEGINNING);
            awaitIncoming(1);
        }
        awaitIncoming(0);
        assertThat(server.get(BUILD).statusCode()).isEqualTo(404);
    }

    @Test
    void concurrentUploadsAreBounded() throws Exception {
        try (Socket one = begin("Content-Length: " + 2 * BEGINNING.length);
                Socket two = begin("Content-Length: " + 2 * BEGINNING.length)) {
            for (Socket slow : List.of(one, two)) {
                slow.getOutputStream().write(BEGINNING);
            }
            awaitIncoming(2);
            for (Publisher publisher : List.of(ci, other)) {
                HttpResponse<String> third = publisher.put(server, SmallBuild.debugFile());
                assertRefused(third, 503, "busy");
                assertThat(third.headers().firstValue("Retry-After")).isPresent();
            }
        }
        awaitIncoming(0);
        assertThat(ci.put(server, SmallBuild.debugFile()).statusCode()).isEqualTo(201);
    }

    @Test
    @ChecklistRow(42)
    void sendersOfFewBytesDisturbNobodyAndLoseTheirPlaces() throws Exception {
        List<Socket> slow = new ArrayList<>();
        try {
            for (String target : List.of(
                    "PUT " + BUILD + "/debuginfo",
                    "PUT " + BUILD + "/debuginfo",
                    "POST /v1/offsets",
                    "POST /v1/exports/" + ID + "/btf")) {
                Socket socket = begin(
                        InetAddress.getLoopbackAddress(),
                        target,
                        ci,
                        "Content-Type: application/" + (target.endsWith("btf") ? "octet-stream" : "json")
                                + "\r\nContent-Length: 60000");
                slow.add(socket);
                socket.getOutputStream().write(BEGINNING);
            }
            awaitIncoming(2);

            byte[] file = SmallBuild.debugFile();
            try (Socket elsewhere = begin(
                    InetAddress.ofLiteral("127.0.0.2"),
                    "PUT " + BUILD + "/debuginfo",
                    other,
                    "Content-Length: " + file.length)) {
                elsewhere.getOutputStream().write(file);
                assertThat(line(elsewhere)).startsWith("HTTP/1.1 201 ");
            }

            for (int i = 0; i < 600 && slow.stream().anyMatch(UploadsIntegrationTests::isUnanswered); i++) {
                for (Socket socket : slow) {
                    if (isUnanswered(socket)) {
                        socket.getOutputStream().write('[');
                    }
                }
                Thread.sleep(100);
            }
            for (Socket socket : slow) {
                assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                        .startsWith("HTTP/1.1 408 ")
                        .contains("\"code\":\"too_slow\"");
            }
            awaitIncoming(0);
        } finally {
            for (Socket socket : slow) {
                socket.close();
            }
        }
    }

    @Test
    @ChecklistRow(42)
    void silentSenderIsAnswered() throws Exception {
        try (Socket socket = begin("Content-Length: 1000")) {
            assertThat(new String(socket.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                    .startsWith("HTTP/1.1 408 ")
                    .contains("\"code\":\"too_slow\"");
        }
    }

    private static boolean isUnanswered(Socket socket) {
        try {
            return socket.getInputStream().available() == 0;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    @Test
    void precheckNamesTheReason() {
        assertAdvice(ci, "", true, "unknown_build");
        assertThat(server.offsets(ID, "point").statusCode()).isEqualTo(404);
        assertAdvice(ci, "?size=" + LIMIT, true, "no_source_has_it");
        assertAdvice(ci, "?size=" + (LIMIT + 1), false, "too_large");
        ci.put(server, SmallBuild.debugFile());
        String sha256 = sha256(SmallBuild.debugFile());
        assertAdvice(ci, "?sha256=" + sha256, false, "same_file");
        assertAdvice(other, "?sha256=" + sha256.toUpperCase(Locale.ROOT), false, "same_file");
        assertAdvice(ci, "", true, "own_upload");
        assertAdvice(other, "", false, "other_token");
        for (String query : List.of("?sha256=abc", "?size=-1", "?size=x", "?sha=1", "?size=1&size=2")) {
            assertThat(ci.precheck(server, ID, query).statusCode()).as(query).isEqualTo(400);
        }
    }

    @Test
    void uploadAndPrecheckRequireAToken() {
        HttpResponse<String> response =
                server.send("PUT", BUILD + "/debuginfo", BodyPublishers.ofByteArray(SmallBuild.debugFile()));
        assertThat(response.statusCode()).isEqualTo(401);
        assertThat(server.get(BUILD + "/debuginfo/precheck").statusCode()).isEqualTo(401);
        assertThat(server.get(BUILD).statusCode()).isEqualTo(404);
    }

    @Test
    void everyUploadIsAudited() {
        int before = audited("build.upload");
        ci.put(server, ID, SmallBuild.debugFile(), "X-Request-ID", "upload-1");
        assertThat(audited("build.upload")).isEqualTo(before + 1);
        assertThat(database.jdbc()
                        .sql("select after->>'sha256' from audit where request_id = 'upload-1' and subject = :id")
                        .param("id", ID)
                        .query(String.class)
                        .single())
                .isEqualTo(sha256(SmallBuild.debugFile()));
    }

    /** Happens when a query finds that the stored types are damaged. */
    @Test
    void uploadDiscardedWhileSourcesAreQueriedIsLookedForAgain() throws Exception {
        TestDatabase own = TestDatabase.create();
        try (GatedUpstream upstream = new GatedUpstream(new byte[100]);
                TestServer online = TestServer.start(
                        folder.resolve("discarded"),
                        own,
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=30s");
                ExecutorService threads = Executors.newSingleThreadExecutor()) {
            assertThat(Publisher.of(online, "ci")
                            .put(online, SmallBuild.debugFile())
                            .statusCode())
                    .isEqualTo(201);
            while (upstream.hits() == 0) {
                Thread.sleep(10);
            }
            long generation = own.jdbc()
                    .sql("select generation from builds")
                    .query(Long.class)
                    .single();
            online.bean(Builds.class).discard(SmallBuild.ID, generation);
            Counter sharing = online.bean(MeterRegistry.class)
                    .get("offsetd.extraction.coalesced")
                    .counter();
            double before = sharing.count();
            Future<HttpResponse<String>> answer = threads.submit(() -> online.offsets(ID, "point.y"));
            while (sharing.count() == before) {
                Thread.sleep(10);
            }
            upstream.open();
            assertThat(answer.get().statusCode()).as(answer.get().body()).isEqualTo(502);
        }
    }

    @Test
    void fileOfASourceReplacesAnUpload() throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.otherLayouts());
                TestServer online = TestServer.start(
                        folder.resolve("online"),
                        TestDatabase.create(),
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=30s")) {
            Publisher publisher = Publisher.of(online, "ci");
            assertThat(publisher.put(online, SmallBuild.debugFile()).statusCode())
                    .isEqualTo(201);
            assertThat(offsetOfY(online))
                    .as("until an upstream is known to have the build, the upload answers")
                    .isEqualTo(4);
            upstream.open();
            JsonNode build = Json.of(online.get(BUILD));
            for (int i = 0; i < 1200 && !origin(build).equals("debuginfod"); i++) {
                Thread.sleep(50);
                build = Json.of(online.get(BUILD));
            }
            assertThat(build.path("provenance").path("upstream").asString()).isEqualTo(upstream.url());
            assertThat(build.path("provenance").path("token").isMissingNode()).isTrue();
            JsonNode conflict = build.path("conflicts").get(0);
            assertThat(conflict.path("token").path("label").asString()).isEqualTo("ci");
            assertThat(conflict.path("layoutsDiffer").asBoolean()).isTrue();
            assertThat(Json.item(online.offsets(ID, "point.y,line"), "point.y")
                            .path("offset")
                            .asInt())
                    .isZero();
            assertConflict(publisher.put(online, SmallBuild.richerDebugFile()), "upstream_has_it", true);
            assertThat(upstream.hits()).isEqualTo(1);
        }
    }

    @Test
    void sourceIsCheckedAgainWhileTheSameQueryIsAnsweredFromMemory() throws Exception {
        Path debug = folder.resolve("checked-again");
        try (TestServer checking = TestServer.start(
                folder.resolve("checking"),
                TestDatabase.create(),
                "offsetd.offline=true",
                "offsetd.local-folders=" + debug,
                "offsetd.extraction.retry.not-found-locally=1s")) {
            assertThat(Publisher.of(checking, "ci")
                            .put(checking, SmallBuild.debugFile())
                            .statusCode())
                    .isEqualTo(201);
            assertThat(offsetOfY(checking)).isEqualTo(4);
            SmallBuild.putInto(debug, SmallBuild.otherLayouts());
            for (int i = 0; i < 1200 && offsetOfY(checking) != 0; i++) {
                Thread.sleep(50);
            }
            assertThat(offsetOfY(checking)).isZero();
        }
    }

    @Test
    void uploadThatAnotherFileReplacedIsNotKept() throws Exception {
        ci.put(server, SmallBuild.debugFile());
        ci.put(server, SmallBuild.richerDebugFile());
        // The request of the first one keeps its file after the lease has ended.
        try (ReceivedFile first = server.bean(ReceivedFiles.class)
                .receive(new ByteArrayInputStream(SmallBuild.debugFile()), LIMIT, Duration.ofMinutes(1))) {
            server.bean(KeptUploads.class).keep(SmallBuild.ID, first);
        }
        assertThat(database.jdbc()
                        .sql("select count(*) from kept_uploads")
                        .query(Integer.class)
                        .single())
                .isZero();
    }

    private static void assertAdvice(Publisher publisher, String query, boolean upload, String reason) {
        JsonNode advice = Json.of(publisher.precheck(server, ID, query));
        assertThat(advice.path("reason").asString()).isEqualTo(reason);
        assertThat(advice.path("upload").asBoolean()).isEqualTo(upload);
        assertThat(advice.path("limit").asLong()).isEqualTo(LIMIT);
    }

    private static void assertConflict(HttpResponse<String> response, String reason, boolean layoutsDiffer) {
        assertRefused(response, 409, "build_has_another_file");
        assertThat(Json.of(response).path("reason").asString()).isEqualTo(reason);
        assertThat(Json.of(response).path("layoutsDiffer").asBoolean()).isEqualTo(layoutsDiffer);
    }

    private static void assertRefused(HttpResponse<String> response, int status, String code) {
        assertThat(response.statusCode()).as(response.body()).isEqualTo(status);
        assertThat(Json.of(response).path("code").asString()).isEqualTo(code);
        assertThat(Json.of(response).path("buildId").asString()).isEqualTo(ID);
    }

    private static JsonNode build() {
        return Json.of(server.get(BUILD));
    }

    private static String origin(JsonNode build) {
        return build.path("provenance").path("origin").asString();
    }

    private static String status(String item) {
        return Json.item(server.offsets(ID, item), item).path("status").asString();
    }

    private static int offsetOfY(TestServer queried) {
        return Json.item(queried.offsets(ID, "point.y"), "point.y")
                .path("offset")
                .asInt();
    }

    private static long generation() {
        return database.jdbc()
                .sql("select generation from builds")
                .query(Long.class)
                .single();
    }

    private static int audited(String action) {
        return database.jdbc()
                .sql("select count(*) from audit where action = :action")
                .param("action", action)
                .query(Integer.class)
                .single();
    }

    /** Waits until the sources have been queried after an upload, so that no test ends or counts in between. */
    private static void awaitIdleWorkers() throws InterruptedException {
        String working = "select count(*) from builds left join extraction_lease l using (build_id)"
                + " left join debug_files f using (build_id)"
                + " where l.owner is not null or (state = 'extracted' and retry_at is null and origin = 'upload')";
        for (int i = 0;
                i < 3000 && database.jdbc().sql(working).query(Integer.class).single() > 0;
                i++) {
            Thread.sleep(20);
        }
    }

    /** Sends the headers of an upload without its body. */
    private static Socket begin(String header) throws IOException {
        return begin(InetAddress.getLoopbackAddress(), "PUT " + BUILD + "/debuginfo", ci, header);
    }

    private static Socket begin(InetAddress from, String target, Publisher publisher, String header)
            throws IOException {
        Socket socket = new Socket(InetAddress.ofLiteral("127.0.0.1"), server.port(), from, 0);
        socket.setSoTimeout(30_000);
        OutputStream out = socket.getOutputStream();
        out.write((target + " HTTP/1.1\r\nHost: x\r\nAuthorization: "
                        + publisher.authorized()[1] + "\r\n" + header + "\r\n\r\n")
                .getBytes(StandardCharsets.US_ASCII));
        out.flush();
        return socket;
    }

    private static String line(Socket socket) throws IOException {
        StringBuilder line = new StringBuilder();
        InputStream in = socket.getInputStream();
        for (int c = in.read(); c >= 0 && c != '\r'; c = in.read()) {
            line.append((char) c);
        }
        return line.toString();
    }

    private static void awaitIncoming(int count) throws Exception {
        for (int i = 0; i < 1200 && incoming().size() != count; i++) {
            Thread.sleep(50);
        }
        assertThat(incoming()).hasSize(count);
    }

    private static List<Path> incoming() throws IOException {
        try (Stream<Path> files = Files.list(folder.resolve("data/cache/tmp"))) {
            return files.toList();
        }
    }

    private static String sha256(byte[] file) {
        return HexFormat.of().formatHex(hash(file));
    }

    private static String digest(byte[] file) {
        return "sha-256=:" + Base64.getEncoder().encodeToString(hash(file)) + ":";
    }

    private static byte[] hash(byte[] file) {
        try {
            return MessageDigest.getInstance("SHA-256").digest(file);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
