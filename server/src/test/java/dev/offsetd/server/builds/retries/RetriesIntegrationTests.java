package dev.offsetd.server.builds.retries;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A retry deletes misses and unusable results for every server. */
@ChecklistRow({19})
class RetriesIntegrationTests {

    private static final String ID = SmallBuild.ID.toString();

    @TempDir
    private static Path folder;

    private static TestDatabase database;
    private static TestServer one;
    private static TestServer two;
    private static Publisher publisher;

    @BeforeAll
    static void start() {
        database = TestDatabase.create();
        one = start("one");
        two = start("two");
        publisher = Publisher.of(one, "ci");
    }

    private static TestServer start(String name) {
        return TestServer.start(
                folder.resolve(name),
                database,
                "offsetd.offline=true",
                "offsetd.local-folders=" + folder.resolve("debug"),
                "offsetd.extraction.retry.not-found=1h",
                "offsetd.extraction.retry.not-found-locally=1h");
    }

    @AfterAll
    static void stop() {
        one.close();
        two.close();
    }

    @BeforeEach
    void forget() throws Exception {
        SmallBuild.removeFrom(folder.resolve("debug"));
        awaitIdleWorkers();
        database.jdbc().sql("delete from builds").update();
        one.forgetAnswers();
        two.forgetAnswers();
    }

    @Test
    void missIsDeletedForEveryServer() throws Exception {
        assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(404);
        assertThat(two.offsets(ID, "missing").statusCode()).isEqualTo(404);
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        assertThat(two.offsets(ID, "missing").statusCode())
                .as("the miss still holds")
                .isEqualTo(404);
        HttpResponse<String> retry = publisher.retry(one, ID);
        assertThat(retry.statusCode()).as(retry.body()).isEqualTo(202);
        assertThat(retry.headers().firstValue("Location")).hasValue("/v1/builds/" + ID);
        assertAnswers(two);
    }

    @Test
    void uploadEndsAMissOnEveryServer() {
        assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(404);
        assertThat(two.offsets(ID, "missing").statusCode()).isEqualTo(404);
        assertThat(publisher.put(one, SmallBuild.debugFile()).statusCode()).isEqualTo(201);
        assertAnswers(two);
    }

    @Test
    void unusableFileIsReadAgain() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.malformed());
        assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(422);
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        assertThat(two.offsets(ID, "missing").statusCode()).isEqualTo(422);
        assertThat(publisher.retry(two, ID).statusCode()).isEqualTo(202);
        assertAnswers(one);
    }

    @Test
    void backoffStartsAgain() throws Exception {
        assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(404);
        for (int i = 0; i < 3; i++) {
            assertThat(publisher.retry(one, ID).statusCode()).isEqualTo(202);
            assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(404);
            awaitIdleWorkers();
        }
        assertThat(database.jdbc()
                        .sql("select max(misses) from source_outcomes")
                        .query(Integer.class)
                        .single())
                .isEqualTo(1);
    }

    @Test
    void buildOfASourceIsNotRetried() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        assertThat(one.offsets(ID, "point").statusCode()).isEqualTo(200);
        int audited = audited();
        for (int i = 0; i < 2; i++) {
            HttpResponse<String> retry = publisher.retry(one, ID);
            assertThat(retry.statusCode()).isEqualTo(200);
            assertThat(Json.of(retry).path("state").asString()).isEqualTo("extracted");
        }
        assertThat(audited()).isEqualTo(audited);
    }

    @Test
    void retryOfAnUploadQueriesTheSources() throws Exception {
        assertThat(publisher.put(one, SmallBuild.debugFile()).statusCode()).isEqualTo(201);
        // Once they have said no, only the retry makes them be asked again.
        awaitIdleWorkers();
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.richerDebugFile());
        assertThat(two.offsets(ID, "point").statusCode()).isEqualTo(200);
        awaitIdleWorkers();
        assertThat(origin()).isEqualTo("upload");
        assertThat(publisher.retry(two, ID).statusCode()).isEqualTo(202);
        for (int i = 0; i < 1200 && !origin().equals("local"); i++) {
            Thread.sleep(50);
        }
        assertThat(origin()).isEqualTo("local");
    }

    @Test
    void unknownBuildIsRequested() {
        HttpResponse<String> retry = publisher.retry(one, SmallBuild.UNKNOWN_ID);
        assertThat(retry.statusCode()).isEqualTo(202);
        assertThat(two.offsets(SmallBuild.UNKNOWN_ID, "point").statusCode()).isEqualTo(404);
    }

    @Test
    void buildThatAnotherRequestIsAddingIsAnswered() throws Exception {
        try (ExecutorService threads = Executors.newVirtualThreadPerTaskExecutor();
                Connection connection = database.dataSource().getConnection();
                PreparedStatement insert = connection.prepareStatement("insert into builds (build_id) values (?)")) {
            connection.setAutoCommit(false);
            insert.setBytes(1, SmallBuild.UNKNOWN_ID.toBytes());
            insert.execute();
            Future<HttpResponse<String>> first =
                    threads.submit(() -> one.offsets(SmallBuild.UNKNOWN_ID, "point", "Prefer", "wait=0"));
            awaitLockWaits(1);
            Future<HttpResponse<String>> query =
                    threads.submit(() -> one.offsets(SmallBuild.UNKNOWN_ID, "point", "Prefer", "wait=0"));
            Future<HttpResponse<String>> retry = threads.submit(() -> publisher.retry(one, SmallBuild.UNKNOWN_ID));
            while (lockWaits() < 3 && !query.isDone() && !retry.isDone()) {
                Thread.sleep(10);
            }
            connection.rollback();
            for (Future<HttpResponse<String>> answer : List.of(first, query, retry)) {
                assertThat(answer.get().statusCode()).as(answer.get().body()).isIn(202, 404);
            }
        }
    }

    private static void awaitLockWaits(int count) throws InterruptedException {
        while (lockWaits() < count) {
            Thread.sleep(10);
        }
    }

    private static int lockWaits() {
        return database.jdbc()
                .sql("select count(*) from pg_stat_activity where datname = current_database()"
                        + " and wait_event_type = 'Lock'")
                .query(Integer.class)
                .single();
    }

    @Test
    void retryIsAuditedAndRequiresAToken() {
        assertThat(one.offsets(ID, "missing").statusCode()).isEqualTo(404);
        int before = audited();
        assertThat(one.post("/v1/builds/" + ID + "/retry", "").statusCode()).isEqualTo(401);
        assertThat(audited()).isEqualTo(before);
        assertThat(publisher.retry(one, ID).statusCode()).isEqualTo(202);
        assertThat(audited()).isEqualTo(before + 1);
        assertThat(database.jdbc()
                        .sql("select before->>'state' from audit where action = 'build.retry' order by id desc limit 1")
                        .query(String.class)
                        .single())
                .isEqualTo("not_found");
    }

    private static void assertAnswers(TestServer server) {
        HttpResponse<String> answer = server.offsets(ID, "point", "Prefer", "wait=30");
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    private static void awaitIdleWorkers() throws InterruptedException {
        String working = "select count(*) from builds left join extraction_lease l using (build_id)"
                + " left join debug_files f using (build_id)"
                + " where l.owner is not null or state = 'wanted'"
                + " or (state = 'extracted' and retry_at is null and origin = 'upload')";
        for (int i = 0;
                i < 3000 && database.jdbc().sql(working).query(Integer.class).single() > 0;
                i++) {
            Thread.sleep(20);
        }
    }

    private static String origin() {
        return Json.of(one.get("/v1/builds/" + ID))
                .path("provenance")
                .path("origin")
                .asString();
    }

    private static int audited() {
        return database.jdbc()
                .sql("select count(*) from audit where action = 'build.retry'")
                .query(Integer.class)
                .single();
    }
}
