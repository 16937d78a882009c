package dev.offsetd.server.access.tokens;

import dev.offsetd.extractor.input.HostileText;
import dev.offsetd.server.access.Actor;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.access.TokenText;
import dev.offsetd.server.access.audit.AuditLog;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListPage;
import dev.offsetd.server.web.ListQuery;
import java.security.SecureRandom;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Issues and revokes tokens. */
@Component
public class Tokens {

    /** Default lifetime of a token. */
    public static final Duration USUAL_LIFETIME = Duration.ofDays(365);

    public static final int MAX_LABEL_LENGTH = 100;

    private static final char LIST = 'T';

    private final JdbcClient jdbc;
    private final AuditLog audit;
    private final TransactionTemplate transaction;
    private final SecureRandom random = new SecureRandom();

    Tokens(JdbcClient jdbc, AuditLog audit, PlatformTransactionManager transactions) {
        this.jdbc = jdbc;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    /**
     * A newly issued token.
     *
     * @param text the token itself, which is not stored
     */
    public record NewToken(String text, Token token) {

        /** Omits the text, which must not be logged. */
        @Override
        public String toString() {
            return "NewToken[" + token + "]";
        }
    }

    /** Returns whether a token may have this label: printable characters, without quotes and backslashes. */
    public static boolean isLabel(String text) {
        return !text.isBlank() && text.length() <= MAX_LABEL_LENGTH && HostileText.needsNoEscape(text);
    }

    public NewToken create(String label, Set<Scope> scopes, Duration lifetime, Actor actor) {
        return transaction.execute(status -> {
            String text = TokenText.random(random);
            // PostgreSQL stores microseconds: truncate, so that the lifetime is exact.
            Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
            Token token = jdbc.sql("""
                            insert into tokens (id, hash, label, scopes, created_at, expires_at)
                            values (gen_random_uuid(), :hash, :label, :scopes, :now, :expiresAt) returning *
                            """)
                    .param("hash", TokenHash.of(text).toBytes())
                    .param("label", label)
                    .param("scopes", scopes.stream().sorted().map(Scope::word).toArray(String[]::new))
                    .param("now", now.atOffset(ZoneOffset.UTC))
                    .param("expiresAt", now.plus(lifetime).atOffset(ZoneOffset.UTC))
                    .query(Tokens::token)
                    .single();
            raiseRevision();
            audit.record(actor, "token.create", token.id().toString(), null, AuditedToken.of(token));
            return new NewToken(text, token);
        });
    }

    public Optional<Token> find(UUID id) {
        return jdbc.sql("select * from tokens where id = :id")
                .param("id", id)
                .query(Tokens::token)
                .optional();
    }

    /** Returns the tokens with this label that were not revoked, oldest first. */
    public List<Token> labelled(String label) {
        return jdbc.sql("select * from tokens where label = :label and revoked_at is null order by created_at")
                .param("label", label)
                .query(Tokens::token)
                .list();
    }

    /** Returns all tokens, oldest first. */
    public List<Token> all() {
        return jdbc.sql("select * from tokens order by created_at")
                .query(Tokens::token)
                .list();
    }

    /** Returns the page of a query, the newest tokens first. */
    public ListPage<Token> page(ListQuery query) {
        CreationPosition after = query.creationPosition(LIST).orElse(CreationPosition.END);
        return ListPage.read(
                query,
                LIST,
                limit -> jdbc.sql("""
                                select * from tokens where (created_at, id) < (:at, :id)
                                order by created_at desc, id desc limit :limit
                                """)
                        .param("at", after.createdAt().atOffset(ZoneOffset.UTC))
                        .param("id", after.id())
                        .param("limit", limit)
                        .query(Tokens::token)
                        .list(),
                token -> new CreationPosition(token.createdAt(), token.id()).toBytes());
    }

    /**
     * Revokes a token. No-op if it is already revoked.
     *
     * @return the revoked token; empty if there is none with this id
     */
    public Optional<Token> revoke(UUID id, Actor actor) {
        return transaction.execute(status -> {
            Optional<Token> revoked = jdbc.sql("""
                            update tokens set revoked_at = :now where id = :id and revoked_at is null returning *
                            """)
                    .param("now", OffsetDateTime.now(ZoneOffset.UTC))
                    .param("id", id)
                    .query(Tokens::token)
                    .optional();
            revoked.ifPresent(token -> {
                raiseRevision();
                AuditedToken after = AuditedToken.of(token);
                audit.record(actor, "token.revoke", id.toString(), after.beforeRevocation(), after);
            });
            return revoked.or(() -> find(id));
        });
    }

    /**
     * The latest change of the tokens.
     *
     * @param databaseStarted tells a standby that replaced the database, which may have lost changes and assigned their numbers
     *     again
     */
    record Revision(long number, Instant databaseStarted) {}

    Revision revision(JdbcClient reserved) {
        return reserved.sql("select revision, pg_postmaster_start_time() as database_started from token_revision")
                .query((row, _) -> new Revision(row.getLong("revision"), Rows.instant(row, "database_started")))
                .single();
    }

    /** Makes every server read the tokens again after the commit. */
    private void raiseRevision() {
        jdbc.sql("update token_revision set revision = revision + 1").update();
    }

    Map<TokenHash, Token> byHash(JdbcClient reserved) {
        return reserved
                .sql("select * from tokens")
                .query((row, number) -> Map.entry(TokenHash.ofBytes(row.getBytes("hash")), token(row, number)))
                .list()
                .stream()
                .collect(Collectors.toUnmodifiableMap(Map.Entry::getKey, Map.Entry::getValue));
    }

    /** Stores a use, unless a later one than {@code unlessAfter} is stored. */
    void setLastUsed(UUID id, Instant at, Instant unlessAfter) {
        jdbc.sql("""
                        update tokens set last_used_at = :at
                        where id = :id and (last_used_at is null or last_used_at <= :unlessAfter)
                        """)
                .param("at", at.atOffset(ZoneOffset.UTC))
                .param("id", id)
                .param("unlessAfter", unlessAfter.atOffset(ZoneOffset.UTC))
                .update();
    }

    private static Token token(ResultSet row, int number) throws SQLException {
        return new Token(
                row.getObject("id", UUID.class),
                row.getString("label"),
                Rows.texts(row, "scopes").stream()
                        .flatMap(word -> Word.find(Scope.class, word).stream())
                        .collect(Collectors.toUnmodifiableSet()),
                Rows.instant(row, "created_at"),
                Rows.instant(row, "expires_at"),
                Rows.instantOrNull(row, "last_used_at"),
                Rows.instantOrNull(row, "revoked_at"));
    }

    /** A token in the audit log. */
    private record AuditedToken(
            String label,
            List<String> scopes,
            Instant expiresAt,
            @Nullable Instant revokedAt) {

        static AuditedToken of(Token token) {
            return new AuditedToken(
                    token.label(),
                    token.scopes().stream().sorted().map(Scope::word).toList(),
                    token.expiresAt(),
                    token.revokedAt());
        }

        AuditedToken beforeRevocation() {
            return new AuditedToken(label, scopes, expiresAt, null);
        }
    }
}
