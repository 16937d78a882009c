package dev.offsetd.server.sources;

import static dev.offsetd.server.sources.UpstreamFixture.ID;
import static dev.offsetd.server.sources.UpstreamFixture.OTHER_ID;
import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.sources.DebugFileSource.FetchProgress;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Origin;
import dev.offsetd.server.storage.objects.S3Bucket;
import dev.offsetd.server.testkit.CountingUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.S3Service;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpResponse;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Clock;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.Semaphore;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import tools.jackson.databind.JsonNode;

/** A bucket with the layout of a folder of installed debug files. */
@Timeout(180)
class S3FolderIntegrationTests {

    @TempDir
    private Path folder;

    private S3Service service;
    private UpstreamFixture upstreams;
    private CachedSource source;

    @BeforeEach
    void start() throws IOException {
        service = S3Service.create();
        upstreams = new UpstreamFixture(folder.resolve("cache"));
        source = source("");
        put("", ID, ".debug", TestElf.of(ID));
    }

    @AfterEach
    void stop() throws IOException {
        upstreams.close();
        service.close();
    }

    private CachedSource source(String prefix) {
        String[] settings = service.properties();
        S3Bucket.Location location = new S3Bucket.Location(
                URI.create(value(settings[0])),
                "us-east-1",
                value(settings[1]),
                prefix,
                true,
                "tests",
                "secret of tests");
        S3Folder downloader = new S3Folder(
                location.toString(),
                new S3Bucket(location),
                UpstreamFixture.PATIENT,
                UpstreamFixture.MAX_FILE_BYTES,
                upstreams.cache);
        UpstreamGate gate = new UpstreamGate(
                location.toString(), true, UpstreamFixture.upstreams().breaker(), Clock.systemUTC());
        return new CachedSource(
                downloader,
                new Semaphore(2),
                upstreams.cache,
                gate,
                new UpstreamMeters(upstreams.meters, location.toString(), gate));
    }

    /** Returns the settings of a server that has the bucket as S3 folder of this number. */
    private String[] folderSettings(int number, String... more) {
        return Arrays.stream(service.properties(more))
                .map(property -> property.replace("offsetd.store.s3.", "offsetd.s3-folders[" + number + "]."))
                .toArray(String[]::new);
    }

    private static String value(String property) {
        return property.split("=", 2)[1];
    }

    private void put(String prefix, BuildId id, String suffix, byte[] content) throws IOException {
        String hex = id.toString();
        Path file = service.file(prefix + ".build-id/" + hex.substring(0, 2) + "/" + hex.substring(2) + suffix);
        Files.createDirectories(file.getParent());
        Files.write(file, content);
    }

    @Test
    void fileOfABuildIsFetchedOnceAndThenCached() throws Exception {
        try (CachedFile file = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
            assertThat(file.path()).hasBinaryContent(TestElf.of(ID));
            assertThat(file.source()).isEqualTo(source.name()).startsWith("s3://bucket-");
            assertThat(file.wireBytes()).isEqualTo(file.bytes());
        }
        int connections = service.connections();
        try (CachedFile again = UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE))) {
            assertThat(again.wireBytes()).isZero();
        }
        assertThat(service.connections()).isEqualTo(connections);
        assertThat(source.origin()).isEqualTo(Origin.S3);
    }

    @Test
    void folderMayHaveAPrefixInTheBucket() throws Exception {
        put("debug/fedora/", OTHER_ID, ".debug", TestElf.of(OTHER_ID));
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
        UpstreamFixture.fetched(source("debug/fedora/").fetch(OTHER_ID, FetchProgress.NONE))
                .close();
    }

    @Test
    void executableHasNoSuffix() throws Exception {
        FileRequest request = FileRequest.of(ID, FileKind.EXECUTABLE, Long.MAX_VALUE, ForwardedFor.NONE);
        assertThat(source.fetch(request)).isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
        put("", ID, "", TestElf.of(ID, 9));
        try (CachedFile file = UpstreamFixture.fetched(source.fetch(request))) {
            assertThat(file.path()).hasBinaryContent(TestElf.of(ID, 9));
        }
    }

    @Test
    void bucketHasNoSourceFiles() throws Exception {
        assertThat(source.fetch(FileRequest.ofSource(ID, "/usr/src/a.c", 1000, ForwardedFor.NONE)))
                .isEqualTo(new FetchOutcome.NotFound(FetchOutcome.Finality.FINAL));
    }

    @Test
    void fileOfAnotherBuildIsBrokenAndNotCached() throws Exception {
        put("", OTHER_ID, ".debug", TestElf.of(ID));
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        upstreams.assertNoFiles();
    }

    @Test
    void fileAboveTheLimitIsNotTransferred() throws Exception {
        put("", OTHER_ID, ".debug", new byte[(int) UpstreamFixture.MAX_FILE_BYTES + 1]);
        assertThat(source.fetch(OTHER_ID, FetchProgress.NONE)).returns("too_large", FetchOutcome::word);
        upstreams.assertNoFiles();
    }

    @Test
    void truncatedFileIsBrokenAndLeavesNoFile() throws Exception {
        service.set(S3Service.Mode.HALF);
        assertThat(source.fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        upstreams.assertNoFiles();
        service.set(S3Service.Mode.WORKS);
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
    }

    @Test
    void serviceThatRefusesIsAskedNoMoreAfterAFewFailures() throws Exception {
        service.set(S3Service.Mode.BUSY);
        for (int i = 0; i < 5; i++) {
            assertThat(source.fetch(ID, FetchProgress.NONE)).returns("refused", FetchOutcome::word);
        }
        int connections = service.connections();
        assertThat(source.fetch(ID, FetchProgress.NONE))
                .isInstanceOfSatisfying(
                        FetchOutcome.Skipped.class,
                        skipped -> assertThat(skipped.cause()).isEqualTo(Cause.UPSTREAM_REFUSED));
        assertThat(service.connections()).isEqualTo(connections);
    }

    @Test
    void serviceThatIsDownIsBroken() throws Exception {
        service.set(S3Service.Mode.DOWN);
        assertThat(source.fetch(ID, FetchProgress.NONE)).returns("broken", FetchOutcome::word);
        upstreams.assertNoFiles();
    }

    @Test
    void foldersOfOneServiceShareItsLimitOfRequests() {
        service.set(S3Service.Mode.SLOW);
        FetchConfigurationTests.context(folder.resolve("data"))
                .withPropertyValues(folderSettings(0, "offsetd.local-folders=", "offsetd.upstreams.urls="))
                .withPropertyValues(folderSettings(1, "offsetd.s3-folders[1].prefix=debug/"))
                .withPropertyValues("offsetd.upstreams.max-concurrent-per-host=1", "offsetd.upstreams.total-timeout=1s")
                .run(running -> {
                    List<DebugFileSource> folders =
                            running.getBean(DebugFileSources.class).inOrder();
                    Thread first = Thread.ofVirtual().start(() -> fetch(folders.getFirst()));
                    while (service.connections() == 0) {
                        Thread.sleep(10);
                    }
                    assertThat(fetch(folders.getLast()))
                            .isEqualTo(FetchOutcome.timedOut("other requests to this host took all of 1000 ms"));
                    first.interrupt();
                    first.join();
                });
    }

    private static FetchOutcome fetch(DebugFileSource source) {
        try {
            return source.fetch(ID, FetchProgress.NONE);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void cachedFileKeepsItsOriginWhoeverIsQueried() throws Exception {
        UpstreamFixture.fetched(source.fetch(ID, FetchProgress.NONE)).close();
        DebugFileSource offline = new FetchConfiguration.OfflineCacheSource(upstreams.cache);
        try (CachedFile file = UpstreamFixture.fetched(offline.fetch(ID, FetchProgress.NONE))) {
            assertThat(file.origin()).isEqualTo(Origin.S3);
        }
    }

    @Test
    void fileThatAnUpstreamDeliveredBeforeIsNotTheBuckets() throws Exception {
        try (CountingUpstream upstream = new CountingUpstream();
                TestServer server = TestServer.start(
                        folder.resolve("server"),
                        TestDatabase.create(),
                        folderSettings(0, "offsetd.upstreams.urls=" + upstream.url("one"), "offsetd.local-folders="))) {
            upstream.put(SmallBuild.ID, SmallBuild.debugFile());
            assertThat(server.get("/buildid/" + SmallBuild.ID + "/debuginfo").statusCode())
                    .isEqualTo(200);
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            JsonNode provenance =
                    Json.of(server.get("/v1/builds/" + SmallBuild.ID)).path("provenance");
            assertThat(provenance.path("upstream").asString()).isEqualTo(upstream.url("one"));
            assertThat(provenance.path("origin").asString()).isEqualTo("debuginfod");
        }
    }

    @Test
    void serverAnswersFromTheBucketAndShowsWhereTheFileIsFrom() throws Exception {
        put("", SmallBuild.ID, ".debug", SmallBuild.debugFile());
        String[] settings = folderSettings(0, "offsetd.upstreams.urls=", "offsetd.local-folders=");
        try (TestServer server = TestServer.start(folder.resolve("server"), TestDatabase.create(), settings)) {
            HttpResponse<String> answer = server.offsets(SmallBuild.ID, "point");
            assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
            JsonNode build = Json.of(server.get("/v1/builds/" + SmallBuild.ID));
            assertThat(build.path("provenance").path("origin").asString()).isEqualTo("s3");
            assertThat(build.path("provenance").path("upstream").asString()).startsWith("s3://bucket-");
            assertThat(server.bean(DebugFileSources.class).health())
                    .singleElement()
                    .returns("fetched", health -> health.latest().getLast().outcome());
            HttpResponse<String> missing = server.offsets(SmallBuild.UNKNOWN_ID, "point");
            assertThat(missing.statusCode()).as(missing.body()).isEqualTo(404);
        }
    }
}
