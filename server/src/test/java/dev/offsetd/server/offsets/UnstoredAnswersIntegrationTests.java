package dev.offsetd.server.offsets;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.server.fetch.FaultServer;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Answers from types that are read and not stored yet. */
@Timeout(120)
class UnstoredAnswersIntegrationTests {

    @TempDir
    private Path folder;

    private FaultServer upstream;
    private TestDatabase database;
    private TestServer server;

    @BeforeEach
    void start() {
        upstream = FaultServer.serving(SmallBuild.debugFile(), SmallBuild.debugFile(SmallBuild.UNKNOWN_ID));
        database = TestDatabase.create();
        server = TestServer.start(
                folder.resolve("data"),
                database,
                "offsetd.upstreams.urls=" + upstream.url("ok"),
                "offsetd.extraction.retry.failed=1ms");
    }

    @AfterEach
    void stop() {
        server.close();
        upstream.close();
    }

    @Test
    void answersBeforeTheBuildIsStoredAndWithTheSameBytesAfterwards() throws SQLException {
        List<String> queries = List.of("point", "line,point.y", "pont", "point,nothing");
        List<HttpResponse<String>> before;
        try (Connection storing = preventStoring()) {
            before = queries.stream()
                    .map(items -> server.offsets(SmallBuild.ID, items))
                    .toList();
            assertThat(before).allMatch(answer -> answer.statusCode() == 200);
            storing.rollback();
        }
        assertThat(state()).isEqualTo("extracted");
        for (int i = 0; i < queries.size(); i++) {
            HttpResponse<String> stored = server.offsets(SmallBuild.ID, queries.get(i));
            assertThat(stored.body()).isEqualTo(before.get(i).body());
            assertThat(stored.headers().firstValue("ETag"))
                    .isEqualTo(before.get(i).headers().firstValue("ETag"));
            assertThat(stored.headers().firstValue("Cache-Control"))
                    .isEqualTo(before.get(i).headers().firstValue("Cache-Control"));
        }
    }

    @Test
    void itemsThatNeedSymbolsWaitUntilTheyAreStored() throws SQLException {
        try (Connection storing = preventStoring()) {
            assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
            assertThat(server.offsets(SmallBuild.ID, "symbol *", "Prefer", "wait=1")
                            .statusCode())
                    .isEqualTo(202);
            storing.rollback();
        }
        assertThat(server.offsets(SmallBuild.ID, "symbol *").statusCode()).isEqualTo(200);
    }

    @Test
    void buildThatCannotBeStoredIsExtractedAgain() {
        execute("alter table catalogues add constraint full_disk check (false)");
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(state()).isEqualTo("wanted");

        execute("alter table catalogues drop constraint full_disk");
        assertThat(server.offsets(SmallBuild.ID, "point").statusCode()).isEqualTo(200);
        assertThat(state()).isEqualTo("extracted");
    }

    private void execute(String statement) {
        database.jdbc().sql(statement).update();
    }

    /** Locks the table of catalogues, so that no transaction that stores one ends before this one. */
    private Connection preventStoring() throws SQLException {
        Connection connection = database.dataSource().getConnection();
        connection.setAutoCommit(false);
        try (Statement statement = connection.createStatement()) {
            statement.execute("lock table catalogues in share mode");
        }
        return connection;
    }

    private String state() {
        return Json.of(server.get("/v1/builds/" + SmallBuild.ID)).path("state").asString();
    }
}
