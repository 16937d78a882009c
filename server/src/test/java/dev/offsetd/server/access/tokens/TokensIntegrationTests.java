package dev.offsetd.server.access.tokens;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.offsetd.extractor.testkit.ChecklistRow;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.TokenDirectory;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.access.tokens.Tokens.NewToken;
import dev.offsetd.server.database.ReservedConnections;
import dev.offsetd.server.operations.timers.PeriodicTasks;
import dev.offsetd.server.testkit.Json;
import dev.offsetd.server.testkit.SmallBuild;
import dev.offsetd.server.testkit.TestDatabase;
import dev.offsetd.server.testkit.TestServer;
import java.nio.file.Path;
import java.sql.Connection;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.BooleanSupplier;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.transaction.PlatformTransactionManager;

/** Issuing and revoking tokens on one of two servers. */
@ChecklistRow(22)
@Timeout(300)
class TokensIntegrationTests {

    /** The promised second in which a revocation reaches every server, with a margin for a busy machine. */
    private static final Duration REVOKED_EVERYWHERE = Duration.ofSeconds(30);

    @TempDir
    private static Path folder;

    private static JdbcClient jdbc;
    private static TestServer one;
    private static TestServer other;

    @BeforeAll
    static void start() {
        TestDatabase database = TestDatabase.create();
        jdbc = database.jdbc();
        one = TestServer.start(folder.resolve("one"), database, "offsetd.offline=true");
        other = TestServer.start(
                folder.resolve("other"), database, "offsetd.offline=true", "offsetd.tokens.last-used=200ms");
    }

    @AfterAll
    static void stop() {
        one.close();
        other.close();
    }

    private static NewToken create(String label) {
        return one.bean(Tokens.class).create(label, Set.of(Scope.PUBLISH), Duration.ofDays(1), Actor.operator("test"));
    }

    private static int whoami(TestServer server, NewToken token) {
        return server.get("/v1/whoami", "Authorization", "Bearer " + token.text())
                .statusCode();
    }

    private static void await(BooleanSupplier condition) throws InterruptedException {
        long end = System.nanoTime() + REVOKED_EVERYWHERE.toNanos();
        while (!condition.getAsBoolean()) {
            assertThat(System.nanoTime()).isLessThan(end);
            Thread.sleep(20);
        }
    }

    @Test
    void newTokenIsValidOnEveryServerAtOnce() {
        NewToken token = create("new");
        assertThat(whoami(other, token)).isEqualTo(200);
        assertThat(whoami(one, token)).isEqualTo(200);
    }

    @Test
    void revokedTokenIsRefusedEverywhereSoon() throws InterruptedException {
        NewToken token = create("revoked");
        assertThat(whoami(other, token)).isEqualTo(200);
        one.bean(Tokens.class).revoke(token.token().id(), Actor.operator("test"));
        await(() -> whoami(other, token) == 401);
        assertThat(Json.of(other.get("/v1/whoami", "Authorization", "Bearer " + token.text()))
                        .path("detail")
                        .asString())
                .contains("revoked");
    }

    /** A standby that replaces the database may lack the latest changes, and assigns their numbers again. */
    @Test
    void tokensAreReadAgainAfterTheDatabaseWasReplaced() {
        NewToken token = create("replaced");
        AtomicReference<Instant> started = new AtomicReference<>(Instant.EPOCH);
        Tokens tokens =
                new Tokens(
                        one.bean(JdbcClient.class),
                        one.bean(AuditLog.class),
                        one.bean(PlatformTransactionManager.class)) {
                    @Override
                    Revision revision(JdbcClient reserved) {
                        return new Revision(1, started.get());
                    }
                };
        PeriodicTasks tasks = new PeriodicTasks();
        try {
            KnownTokens known = new KnownTokens(
                    tokens, one.bean(ReservedConnections.class), one.bean(TokenProperties.class), tasks);
            TokenHash hash = TokenHash.of(token.text());
            assertThat(known.find(hash).orElseThrow().revokedAt()).isNull();
            one.bean(Tokens.class).revoke(token.token().id(), Actor.operator("test"));
            started.set(Instant.now());
            assertThat(known.find(TokenHash.of("unknown"))).isEmpty();
            assertThat(known.find(hash).orElseThrow().revokedAt()).isNotNull();
        } finally {
            tasks.stop();
        }
    }

    @Test
    void revokedTokenIsRefusedWhileRequestsUseAllConnections() throws Exception {
        NewToken token = create("exhausted");
        TokenDirectory known = one.bean(TokenDirectory.class);
        TokenHash hash = TokenHash.of(token.text());
        assertThat(known.find(hash).orElseThrow().revokedAt()).isNull();
        HikariDataSource pool = one.bean(HikariDataSource.class);
        List<Connection> taken = new ArrayList<>();
        try {
            for (int i = 0; i < pool.getMaximumPoolSize(); i++) {
                taken.add(pool.getConnection());
            }
            other.bean(Tokens.class).revoke(token.token().id(), Actor.operator("test"));
            await(() -> known.find(hash).orElseThrow().revokedAt() != null);
        } finally {
            for (Connection connection : taken) {
                connection.close();
            }
        }
    }

    @Test
    void revokingTwiceIsANoOp() {
        NewToken token = create("twice");
        Tokens tokens = one.bean(Tokens.class);
        Instant first = tokens.revoke(token.token().id(), Actor.operator("test"))
                .orElseThrow()
                .revokedAt();
        assertThat(tokens.revoke(token.token().id(), Actor.operator("test"))
                        .orElseThrow()
                        .revokedAt())
                .isEqualTo(first);
        assertThat(tokens.revoke(UUID.randomUUID(), Actor.operator("test"))).isEmpty();
        assertThat(audited(token, "token.revoke")).isEqualTo(1);
    }

    @Test
    void tokenIsNotInTheDatabase() {
        NewToken token = create("secret");
        assertThat(jdbc.sql("select t::text from tokens t where label = 'secret'")
                        .query(String.class)
                        .single())
                .doesNotContain(token.text())
                .doesNotContain(token.text().substring(10, 30));
        assertThat(token.toString()).doesNotContain(token.text());
    }

    @Test
    void useIsRecorded() throws InterruptedException {
        NewToken token = create("used");
        Tokens tokens = one.bean(Tokens.class);
        assertThat(tokens.find(token.token().id()).orElseThrow().lastUsedAt()).isNull();
        Instant before = Instant.now().minusMillis(1);
        assertThat(whoami(other, token)).isEqualTo(200);
        await(() -> tokens.find(token.token().id()).orElseThrow().lastUsedAt() != null);
        assertThat(tokens.find(token.token().id()).orElseThrow().lastUsedAt()).isBetween(before, Instant.now());
    }

    @Test
    void refusedTokenIsNotUsed() throws InterruptedException {
        NewToken token = create("unused");
        one.bean(Tokens.class).revoke(token.token().id(), Actor.operator("test"));
        await(() -> whoami(other, token) == 401);
        // Once this later use is stored, a use of the first token would be stored too.
        NewToken later = create("later");
        assertThat(whoami(other, later)).isEqualTo(200);
        Tokens tokens = one.bean(Tokens.class);
        await(() -> tokens.find(later.token().id()).orElseThrow().lastUsedAt() != null);
        assertThat(tokens.find(token.token().id()).orElseThrow().lastUsedAt()).isNull();
    }

    @Test
    void creationAndRevocationAreAudited() {
        NewToken token = create("audited");
        one.bean(Tokens.class).revoke(token.token().id(), Actor.operator("request-7"));
        assertThat(jdbc.sql("""
                                select who, address, action, before is null as is_new, after->>'label' as label,
                                    after->'scopes'->>0 as scope, jsonb_exists(after, 'revokedAt') as revoked, request_id
                                from audit where subject = :id order by id
                                """)
                        .param("id", token.token().id().toString())
                        .query()
                        .listOfRows())
                .containsExactly(
                        Map.of(
                                "who", "operator",
                                "address", "local",
                                "action", "token.create",
                                "is_new", true,
                                "label", "audited",
                                "scope", "publish",
                                "revoked", false,
                                "request_id", "test"),
                        Map.of(
                                "who", "operator",
                                "address", "local",
                                "action", "token.revoke",
                                "is_new", false,
                                "label", "audited",
                                "scope", "publish",
                                "revoked", true,
                                "request_id", "request-7"));
    }

    private static long audited(NewToken token, String action) {
        return jdbc.sql("select count(*) from audit where subject = :id and action = :action")
                .param("id", token.token().id().toString())
                .param("action", action)
                .query(Long.class)
                .single();
    }

    @Test
    void invalidTokenIsRefusedOnOpenRoutes() {
        assertThat(one.get("/livez").statusCode()).isEqualTo(200);
        assertThat(one.get("/livez", "Authorization", "Bearer x").statusCode()).isEqualTo(401);
        assertThat(one.offsets(SmallBuild.UNKNOWN_ID, "point", "Authorization", "Bearer x")
                        .statusCode())
                .isEqualTo(401);
    }
}
