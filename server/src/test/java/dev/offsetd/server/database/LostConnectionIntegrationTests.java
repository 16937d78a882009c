package dev.offsetd.server.database;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.Publisher;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Loss of the database connection in the middle of a change. */
@Timeout(120)
class LostConnectionIntegrationTests {

    @TempDir
    private Path folder;

    /**
     * The connection is lost in the statement, so that the rollback fails too, or in the commit, whose outcome is then
     * unknown.
     */
    @ParameterizedTest
    @ValueSource(strings = {"create trigger gone", "create constraint trigger gone"})
    @ChecklistRow({17, 38})
    void changeWhoseConnectionIsLostIsUnavailable(String trigger) {
        TestDatabase database = TestDatabase.create();
        try (TestServer server = TestServer.start(folder, database, "offsetd.offline=true")) {
            String when = trigger.contains("constraint") ? " deferrable initially deferred" : "";
            database.jdbc().sql("""
                            create function gone() returns trigger language plpgsql as $$
                            begin
                                perform pg_terminate_backend(pg_backend_pid());
                                return new;
                            end $$
                            """).update();
            database.jdbc()
                    .sql(trigger + " after insert on prewarms" + when + " for each row execute function gone()")
                    .update();
            HttpResponse<String> response = server.post(
                    "/v1/prewarms",
                    "{\"builds\":[\"" + SmallBuild.ID + "\"],\"types\":[\"point\"],\"priority\":\"normal\"}",
                    Publisher.of(server, "test").authorized("Content-Type", "application/json"));

            assertThat(response.statusCode()).as(response.body()).isEqualTo(503);
            assertThat(Json.of(response).path("code").asString()).isEqualTo("database_unavailable");
            assertThat(response.headers().firstValue("Retry-After")).isPresent();
        }
    }
}
