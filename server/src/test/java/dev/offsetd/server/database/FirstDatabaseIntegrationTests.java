package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.OffsetExtractor;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.GatedUpstream;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import org.flywaydb.core.Flyway;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.core.io.ClassPathResource;
import org.springframework.jdbc.datasource.init.ResourceDatabasePopulator;

/** The database of the first server becomes one of the newest, with all that was in it, and goes on answering. */
@Timeout(180)
@ChecklistRow(31)
class FirstDatabaseIntegrationTests {

    /** Newest migration of the first server that was used. */
    private static final String FIRST = "5";

    private static final String KILLED_AT = "bb".repeat(20);

    @TempDir
    private Path folder;

    private final TestDatabase database = TestDatabase.empty();

    @BeforeEach
    void fill() {
        Flyway.configure()
                .dataSource(database.dataSource())
                .target(FIRST)
                .load()
                .migrate();
        new ResourceDatabasePopulator(new ClassPathResource("first-server.sql", FirstDatabaseIntegrationTests.class))
                .execute(database.dataSource());
    }

    @Test
    void everyValueIsKept() {
        Map<String, String> tables = new LinkedHashMap<>();
        for (String table : List.of("builds", "extraction_lease", "catalogues", "source_outcomes")) {
            tables.put(
                    table,
                    database.jdbc()
                            .sql("""
                                    select string_agg(quote_ident(column_name), ', ' order by ordinal_position)
                                    from information_schema.columns where table_name = :table
                                    """)
                            .param("table", table)
                            .query(String.class)
                            .single());
        }
        Map<String, List<String>> before = rows(tables);
        assertThat(before.get("builds")).hasSize(4);
        assertThat(before.get("catalogues")).hasSize(1);
        Flyway.configure().dataSource(database.dataSource()).load().migrate();
        assertThat(rows(tables)).isEqualTo(before);
    }

    /** Rows as text, by the columns that the tables had. */
    private Map<String, List<String>> rows(Map<String, String> tables) {
        Map<String, List<String>> rows = new LinkedHashMap<>();
        tables.forEach((table, columns) -> rows.put(
                table,
                database.jdbc()
                        .sql("select row(" + columns + ")::text from " + table + " order by 1")
                        .query((row, number) -> row.getString(1))
                        .list()));
        return rows;
    }

    @Test
    void itsAnswersAreServedAsStaleAndRenewed() throws Exception {
        try (GatedUpstream upstream = new GatedUpstream(SmallBuild.debugFile());
                TestServer server = TestServer.start(
                        folder,
                        database,
                        "offsetd.upstreams.urls=" + upstream.url(),
                        "offsetd.upstreams.headers-timeout=60s",
                        "offsetd.extraction.renewal.poll=100ms",
                        "offsetd.changes.poll=100ms")) {
            HttpResponse<String> old = server.offsets(SmallBuild.ID, "point,line.to");
            assertThat(old.statusCode()).as(old.body()).isEqualTo(200);
            assertThat(Json.of(old).has("stale")).isTrue();
            assertThat(Json.item(old, "line.to").path("offset").asInt()).isEqualTo(4);
            assertThat(old.body()).contains("\"upstream\":\"/usr/lib/debug\"", "\"extractor\":\"2\"");
            upstream.open();
            HttpResponse<String> renewed = old;
            while (Json.of(renewed).has("stale")) {
                Thread.sleep(20);
                renewed = server.offsets(SmallBuild.ID, "point,line.to");
            }
            assertThat(Json.of(renewed).path("offsets")).isEqualTo(Json.of(old).path("offsets"));
            assertThat(renewed.body()).contains("\"extractor\":\"" + OffsetExtractor.VERSION + '"');
            assertThat(server.get("/v1/builds/" + KILLED_AT).statusCode())
                    .as("the build that the first server died over")
                    .isEqualTo(200);
            assertThat(server.offsets(KILLED_AT, "point").statusCode())
                    .as("is taken over: its lease ran out, and the upstream has another build")
                    .isIn(404, 502);
        }
    }
}
