package dev.offsetd.server.storage;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;

/** Servers that keep uploads in an object store. */
@Timeout(180)
@ChecklistRow(41)
class KeptObjectsIntegrationTests {

    private static final String DEBUGINFO = "/buildid/" + SmallBuild.ID + "/debuginfo";

    /** Bytes behind the sections, so that the file has several chunks and every chunk is another object. */
    private static final int MORE = 5 << 19;

    private static final int CHUNKS = 3;

    @TempDir
    private Path folder;

    private ObjectServers servers;
    private TestDatabase database;
    private S3Service service;
    private byte[] file;

    @BeforeEach
    void start() throws IOException {
        servers = ObjectServers.in(folder);
        database = servers.database();
        service = servers.service();
        byte[] small = SmallBuild.debugFile();
        file = new byte[small.length + MORE];
        new Random(1).nextBytes(file);
        System.arraycopy(small, 0, file, 0, small.length);
    }

    @AfterEach
    void stop() {
        servers.close();
    }

    private TestServer server(String name, String... more) {
        return servers.start(
                name,
                Stream.concat(Stream.of("offsetd.uploads.keep=true"), Stream.of(more))
                        .toArray(String[]::new));
    }

    private static int upload(TestServer server, byte[] file) {
        return Publisher.of(server, "ci").put(server, file).statusCode();
    }

    /** Returns the objects of the chunks, in order. */
    private List<@Nullable String> chunks() {
        return database.jdbc()
                .sql("select encode(object, 'hex') from kept_uploads where content is null order by part")
                .query(String.class)
                .list();
    }

    private int rows() {
        return database.jdbc()
                .sql("select count(*) from kept_uploads")
                .query(Integer.class)
                .single();
    }

    private void sends(TestServer server) {
        HttpResponse<byte[]> answer = server.file("GET", DEBUGINFO);
        assertThat(answer.statusCode()).isEqualTo(200);
        assertThat(answer.body()).isEqualTo(file);
    }

    @Test
    void anyServerSendsTheFileFromItsObjects() throws IOException {
        try (TestServer first = server("first");
                TestServer second = server("second");
                TestServer third = server("third")) {
            assertThat(upload(first, file)).isEqualTo(201);
            assertThat(chunks()).hasSize(CHUNKS);
            assertThat(service.objects()).containsAll(chunks()).hasSize(CHUNKS + 2);
            sends(second);
            service.set(S3Service.Mode.DOWN);
            HttpResponse<byte[]> answer = third.file("GET", DEBUGINFO);
            assertThat(answer.statusCode()).isEqualTo(503);
            assertThat(new String(answer.body(), StandardCharsets.UTF_8)).contains("store_unreachable");
            assertThat(answer.headers().firstValue("Retry-After")).isPresent();
            sends(second);
            service.set(S3Service.Mode.WORKS);
            while (third.file("GET", DEBUGINFO).statusCode() == 503) {
                Thread.onSpinWait();
            }
            sends(third);
            assertThat(chunks()).hasSize(CHUNKS);
        }
    }

    @Test
    void fileWithADamagedObjectIsNotSentUntilItIsUploadedAgain() throws IOException {
        try (TestServer first = server("first");
                TestServer second = server("second")) {
            assertThat(upload(first, file)).isEqualTo(201);
            Path damaged = service.file(chunks().get(1));
            byte[] bytes = Files.readAllBytes(damaged);
            bytes[bytes.length / 2] ^= 1;
            Files.write(damaged, bytes);
            assertThat(second.file("GET", DEBUGINFO).statusCode()).isEqualTo(404);
            assertThat(second.offsets(SmallBuild.ID, "point.y").statusCode()).isEqualTo(200);
            assertThat(rows()).isEqualTo(CHUNKS - 1);
            assertThat(upload(first, file)).isEqualTo(200);
            sends(second);
        }
    }

    @Test
    void objectsOfAReplacedUploadAreDeletedAfterAWhile() throws IOException {
        try (TestServer server = server("first")) {
            Publisher ci = Publisher.of(server, "ci");
            assertThat(ci.put(server, file).statusCode()).isEqualTo(201);
            List<@Nullable String> before = chunks();
            ObjectRows objects = server.bean(ObjectRows.class);
            assertThat(objects.deleteUnused(Duration.ZERO)).isZero();
            byte[] larger = Arrays.copyOf(file, file.length + 1);
            assertThat(ci.put(server, larger).statusCode()).isEqualTo(200);
            List<@Nullable String> after = chunks();
            assertThat(after).hasSize(CHUNKS).isNotEqualTo(before);
            assertThat(objects.deleteUnused(Duration.ofHours(1))).isZero();
            assertThat(service.objects()).containsAll(before);
            // Both files have the first two chunks.
            assertThat(objects.deleteUnused(Duration.ZERO)).isEqualTo(1);
            assertThat(service.objects()).containsAll(after).doesNotContain(before.getLast());
            file = larger;
            sends(server);
        }
    }

    @Test
    void chunksMoveBothWays() throws Exception {
        try (TestServer server = server("first", "offsetd.store.write-to=database")) {
            assertThat(upload(server, file)).isEqualTo(201);
            assertThat(chunks()).isEmpty();
            JdbcClient jdbc = database.jdbc();
            // Objects as the previous release has written them.
            jdbc.sql("update kept_uploads set bytes = null").update();
            ObjectStore store = S3Service.store(service.properties());
            ObjectRows objects = new ObjectRows(jdbc, store);
            BlobMoves moves = new BlobMoves(jdbc, objects, store);
            BlobMoves.Moved moved = moves.toObjects((table, blobs, bytes) -> {});
            assertThat(moved.blobs()).isEqualTo(CHUNKS + 2);
            assertThat(moved.bytes()).isGreaterThan(file.length);
            assertThat(chunks()).hasSize(CHUNKS);
            try (TestServer reader = server("from-objects")) {
                sends(reader);
            }
            assertThat(moves.toRows((table, blobs, bytes) -> {}).blobs()).isEqualTo(CHUNKS + 2);
            assertThat(objects.deleteUnused(Duration.ZERO)).isEqualTo(CHUNKS + 2);
            assertThat(service.objects()).isEmpty();
        }
        try (TestServer reader =
                TestServer.start(folder.resolve("without-objects"), database, "offsetd.offline=true")) {
            sends(reader);
        }
    }

    @Test
    void laterExtractorReadsTheFileFromItsObjects() throws InterruptedException {
        try (TestServer first = server("first")) {
            assertThat(upload(first, file)).isEqualTo(201);
        }
        database.jdbc()
                .sql("update debug_files set extractor_version = :version")
                .param("version", PartVersions.TYPES - 1)
                .update();
        database.jdbc().sql("update builds set retry_at = null").update();
        try (TestServer second = server("second")) {
            while (Json.of(second.offsets(SmallBuild.ID, "point")).path("stale").asBoolean()) {
                Thread.sleep(20);
            }
        }
        assertThat(database.jdbc()
                        .sql("select extractor_version from debug_files")
                        .query(Integer.class)
                        .single())
                .isEqualTo(PartVersions.TYPES);
    }
}
