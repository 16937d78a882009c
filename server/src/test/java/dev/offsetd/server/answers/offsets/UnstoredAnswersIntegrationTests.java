package dev.offsetd.server.answers.offsets;

import static dev.offsetd.extractor.testkit.Dw.*;
import static dev.offsetd.extractor.testkit.DwarfTree.*;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.offsetd.extractor.RequestedNames;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.extractor.testkit.DwarfStyle;
import dev.offsetd.extractor.testkit.DwarfWriter;
import dev.offsetd.server.builds.EarlyBuild;
import dev.offsetd.server.builds.EarlyContent.Wanted;
import dev.offsetd.server.builds.extraction.BuildStatus;
import dev.offsetd.server.builds.extraction.Extractions;
import dev.offsetd.server.storage.Catalogues;
import dev.offsetd.server.testkit.Administrator;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers from types that are read and not stored yet. */
@Timeout(120)
class UnstoredAnswersIntegrationTests {

    private static final int MANY = 60_000;

    @TempDir
    private Path folder;

    private final TestDatabase database = TestDatabase.create();
    private final GatedUpstream upstream = new GatedUpstream(debugFile());

    /** Opened to let the server store the types. */
    private final CountDownLatch stored = new CountDownLatch(1);

    private TestServer server;

    /** Returns a file of the small build with one more struct, {@code wide}, whose answer needs a share of the heap. */
    private static byte[] debugFile() {
        return DwarfWriter.write(
                        DwarfStyle.DEFAULT,
                        unit(
                                baseType("int", 4, DW_ATE_signed),
                                struct("point", 8, member("x", "int", 0), member("y", "int", 4)),
                                struct("line", 8, member("from", "int", 0), member("to", "int", 4)),
                                struct(
                                        "wide",
                                        4L * MANY,
                                        IntStream.range(0, MANY)
                                                .mapToObj(i -> member("m" + i, "int", 4L * i))
                                                .toArray(Part[]::new))))
                .toElf()
                .buildId(SmallBuild.ID.toBytes())
                .toBytes();
    }

    @BeforeEach
    void start() {
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.upstreams.urls=" + upstream.url(),
                "offsetd.extraction.answer-unstored-from=0B");
    }

    @AfterEach
    void stop() {
        stored.countDown();
        server.close();
        upstream.close();
    }

    /** Starts the extraction, and holds it up when the types are read. */
    private CompletableFuture<?> readTypes() throws Exception {
        return read(RequestedNames.NONE, BuildStatus.InProgress::allTypes);
    }

    /** Starts the extraction, and holds it up when the types of these names are read, before all others. */
    private CompletableFuture<?> readFirst(String... types) throws Exception {
        return read(new RequestedNames(Set.of(types), Set.of()), BuildStatus.InProgress::first);
    }

    private CompletableFuture<?> read(
            RequestedNames first, Function<BuildStatus.InProgress, CompletableFuture<Optional<EarlyBuild>>> awaited)
            throws Exception {
        BuildStatus.InProgress running =
                (BuildStatus.InProgress) server.bean(Extractions.class).request(SmallBuild.ID, Wanted.of(first), null);
        CountDownLatch read = new CountDownLatch(1);
        CompletableFuture<Void> held = awaited.apply(running).thenAccept(types -> {
            read.countDown();
            awaitUninterrupted(stored);
        });
        upstream.open();
        read.await();
        return running.result().thenCombine(held, (build, nothing) -> build);
    }

    private static void awaitUninterrupted(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Test
    @ChecklistRow(13)
    void unstoredTypesGiveTheAnswerOfTheStoredOnes() throws Exception {
        Administrator.of(server, "alice").pin(server, SmallBuild.ID, "point.y", "{\"offset\": 4, \"size\": 2}");
        CompletableFuture<?> result = readTypes();
        HttpResponse<String> early = server.offsets(SmallBuild.ID, "point,line.to", "Prefer", "wait=30");
        assertThat(early.statusCode()).as(early.body()).isEqualTo(200);
        assertThat(early.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
        assertThat(Json.of(early).path("pinned").isEmpty()).isFalse();
        assertThat(Json.of(server.get("/v1/builds/" + SmallBuild.ID))
                        .path("status")
                        .asString())
                .isNotEqualTo("extracted");

        stored.countDown();
        result.get();
        HttpResponse<String> late = server.offsets(SmallBuild.ID, "point,line.to");
        assertThat(late.body()).isEqualTo(early.body());
        assertThat(late.headers().firstValue("ETag")).isEqualTo(early.headers().firstValue("ETag"));
        HttpResponse<String> unpinned = server.offsets(SmallBuild.ID, "line.to");
        assertThat(unpinned.headers().firstValue("Cache-Control").orElseThrow()).contains("max-age=60");
    }

    @Test
    void typesThatAQueryWaitsForAreReadAndAnsweredFirst() throws Exception {
        CompletableFuture<?> result = readFirst("point", "point.no_such", "no_such");
        HttpResponse<String> early = server.offsets(SmallBuild.ID, "point,point.no_such", "Prefer", "wait=30");
        assertThat(early.statusCode()).as(early.body()).isEqualTo(200);
        assertThat(early.headers().firstValue("Cache-Control")).hasValue("public, max-age=10");
        for (String others : new String[] {"point,line", "point,no_such_type", "point,symbol main"}) {
            assertThat(server.offsets(SmallBuild.ID, others, "Prefer", "wait=0").statusCode())
                    .as(others)
                    .isEqualTo(202);
        }

        stored.countDown();
        result.get();
        HttpResponse<String> late = server.offsets(SmallBuild.ID, "point,point.no_such");
        assertThat(late.body()).isEqualTo(early.body());
        assertThat(late.headers().firstValue("ETag")).isEqualTo(early.headers().firstValue("ETag"));
        assertThat(server.offsets(SmallBuild.ID, "point,line").statusCode()).isEqualTo(200);
    }

    @Test
    void largeAnswerWaitsForHeap() throws Exception {
        CompletableFuture<?> result = readTypes();
        CountDownLatch taken = new CountDownLatch(1);
        CountDownLatch end = new CountDownLatch(1);
        CompletableFuture<Integer> other = CompletableFuture.supplyAsync(
                () -> server.bean(Catalogues.class).listing(Integer.MAX_VALUE, () -> {
                    taken.countDown();
                    awaitUninterrupted(end);
                    return 0;
                }));
        taken.await();
        CompletableFuture<HttpResponse<String>> answer =
                CompletableFuture.supplyAsync(() -> server.offsets(SmallBuild.ID, "wide", "Prefer", "wait=30"));
        assertThat(server.offsets(SmallBuild.ID, "point", "Prefer", "wait=30").statusCode())
                .isEqualTo(200);
        assertThatThrownBy(() -> answer.get(3, TimeUnit.SECONDS)).isInstanceOf(TimeoutException.class);

        end.countDown();
        assertThat(answer.get().statusCode()).isEqualTo(200);
        other.get();
        stored.countDown();
        result.get();
    }

    @Test
    void pinnedBuildsAreAnsweredFromAllTypes() throws Exception {
        Administrator.of(server, "alice").pin(server, SmallBuild.ID, "point.y", "{\"offset\": 4, \"size\": 2}");
        CompletableFuture<?> result = readFirst("point", "point.no_such", "no_such");
        assertThat(server.offsets(SmallBuild.ID, "point", "Prefer", "wait=0").statusCode())
                .isEqualTo(202);
        stored.countDown();
        result.get();
        assertThat(Json.of(server.offsets(SmallBuild.ID, "point"))
                        .path("pinned")
                        .isEmpty())
                .isFalse();
    }

    @Test
    void queriesOfOtherThingsWaitUntilTheTypesAreStored() throws Exception {
        CompletableFuture<?> result = readTypes();
        for (String path : new String[] {
            "/v1/offsets/" + SmallBuild.ID + "?types=point,symbol%20main",
            "/v1/symbols/" + SmallBuild.ID + "?names=main",
            "/v1/builds/" + SmallBuild.ID + "/types"
        }) {
            assertThat(server.get(path, "Prefer", "wait=0").statusCode())
                    .as(path)
                    .isEqualTo(202);
        }
        stored.countDown();
        result.get();
        assertThat(server.offsets(SmallBuild.ID, "point,symbol main").statusCode())
                .isEqualTo(200);
    }

    @Test
    @ChecklistRow(17)
    void typesThatCouldNotBeStoredAreReadAgain() throws Exception {
        CompletableFuture<?> result = readTypes();
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        database.jdbc().sql("alter table catalogues rename to catalogues_away").update();
        stored.countDown();
        assertThat(result.handle((build, failure) -> failure).get()).isNotNull();

        database.jdbc().sql("alter table catalogues_away rename to catalogues").update();
        HttpResponse<String> again = server.offsets(SmallBuild.ID, "point", "Prefer", "wait=30");
        assertThat(again.statusCode()).as(again.body()).isEqualTo(200);
        assertThat(server.get("/v1/builds/" + SmallBuild.ID + "/types", "Prefer", "wait=30")
                        .statusCode())
                .isEqualTo(200);
        assertThat(database.jdbc()
                        .sql("select count(*) from catalogues")
                        .query(Long.class)
                        .single())
                .isEqualTo(1);
    }
}
