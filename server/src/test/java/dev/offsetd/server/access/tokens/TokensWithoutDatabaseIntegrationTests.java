package dev.offsetd.server.access.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.TokenText;
import dev.offsetd.server.database.EmbeddedDatabase;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestServer;
import java.net.http.HttpResponse;
import java.nio.file.Path;
import java.security.SecureRandom;
import java.time.Duration;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Without its database, a server accepts the tokens in its memory and answers 503 to others. */
@ChecklistRow({17, 22})
@Timeout(300)
class TokensWithoutDatabaseIntegrationTests {

    @TempDir
    private Path folder;

    @Test
    void knownTokensAreAcceptedWithoutTheDatabase() throws Exception {
        SmallBuild.putInto(folder.resolve("debug"), SmallBuild.debugFile());
        EmbeddedDatabase database = EmbeddedDatabase.start(folder.resolve("database"));
        try (TestServer server = start("data", database, "24h");
                TestServer strict = start("strict", database, "1s")) {
            String known = token(server);
            String revoked = token(server);
            server.bean(Tokens.class)
                    .revoke(server.bean(Tokens.class).all().getLast().id(), Actor.operator("test"));
            // The server may have read the token before it was revoked; it notices with its next poll.
            while (server.get("/v1/whoami", "Authorization", revoked).statusCode() != 401) {
                Thread.sleep(50);
            }
            HttpResponse<String> before = server.offsets(SmallBuild.ID, "point", "Authorization", known);
            assertThat(before.statusCode()).isEqualTo(200);
            assertThat(strict.get("/v1/whoami", "Authorization", known).statusCode())
                    .isEqualTo(200);

            database.close();

            // The answer is marked stale if the database took long to stop.
            HttpResponse<String> after = server.offsets(SmallBuild.ID, "point", "Authorization", known);
            assertThat(after.statusCode()).isEqualTo(200);
            assertThat(Json.of(after).path("offsets")).isEqualTo(Json.of(before).path("offsets"));
            assertThat(server.get("/v1/whoami", "Authorization", revoked).statusCode())
                    .isEqualTo(401);
            HttpResponse<String> unknown =
                    server.get("/v1/whoami", "Authorization", "Bearer " + TokenText.random(new SecureRandom()));
            assertThat(unknown.statusCode()).isEqualTo(503);
            assertThat(Json.of(unknown).path("code").asString()).isEqualTo("database_unavailable");
            assertThat(unknown.headers().firstValue("Retry-After")).isPresent();
            // The checksum refuses it without the database.
            assertThat(server.get("/v1/whoami", "Authorization", "Bearer x").statusCode())
                    .isEqualTo(401);

            // After the configured time, the token may have been revoked in the meantime.
            while (strict.get("/v1/whoami", "Authorization", known).statusCode() != 503) {
                Thread.sleep(50);
            }
        }
    }

    /** @param outage how long the server accepts known tokens without the database */
    private TestServer start(String data, EmbeddedDatabase database, String outage) {
        return TestServer.start(
                folder.resolve(data),
                database.getJdbcUrl(),
                database.getUsername(),
                database.getPassword(),
                "spring.datasource.hikari.connection-timeout=250",
                "offsetd.offline=true",
                "offsetd.read-auth=true",
                "offsetd.tokens.outage=" + outage,
                "offsetd.local-folders=" + folder.resolve("debug"));
    }

    private static String token(TestServer server) {
        return "Bearer "
                + server.bean(Tokens.class)
                        .create("ci", Set.of(Scope.READ), Duration.ofHours(1), Actor.operator("test"))
                        .text();
    }
}
