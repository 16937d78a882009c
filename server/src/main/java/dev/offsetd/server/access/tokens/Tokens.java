package dev.offsetd.server.access.tokens;

import dev.offsetd.server.access.Caller;
import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenHash;
import dev.offsetd.server.access.TokenText;
import dev.offsetd.server.access.audit.AuditLog;
import java.security.SecureRandom;
import java.time.Clock;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;
import org.springframework.transaction.PlatformTransactionManager;
import org.springframework.transaction.support.TransactionTemplate;

/** Issues and revokes tokens. */
@Component
public class Tokens {

    /** Default lifetime of a token. */
    public static final Duration USUAL_LIFETIME = Duration.ofDays(365);

    public static final int MAX_LABEL_LENGTH = 100;

    private final TokenRows rows;
    private final AuditLog audit;
    private final TransactionTemplate transaction;
    private final Clock clock = Clock.systemUTC();
    private final SecureRandom random = new SecureRandom();

    Tokens(TokenRows rows, AuditLog audit, PlatformTransactionManager transactions) {
        this.rows = rows;
        this.audit = audit;
        this.transaction = new TransactionTemplate(transactions);
    }

    public NewToken create(String label, Set<Scope> scopes, Duration lifetime, Caller who, String requestId) {
        return transaction.execute(status -> {
            String text = TokenText.random(random);
            // PostgreSQL stores microseconds: truncate, so that this value equals the one read later.
            Instant now = clock.instant().truncatedTo(ChronoUnit.MICROS);
            TokenRow row = rows.save(
                    new TokenRow(UUID.randomUUID(), TokenHash.of(text), label, scopes, now, now.plus(lifetime)));
            rows.raiseRevision();
            Token token = row.token();
            audit.record(who, "token.create", token.id().toString(), null, AuditedToken.of(token), requestId);
            return new NewToken(text, token);
        });
    }

    public Optional<TokenState> find(UUID id) {
        return rows.findById(id).map(TokenRow::state);
    }

    /** Returns the tokens with this label that were not revoked, oldest first. */
    public List<TokenState> labelled(String label) {
        return rows.findByLabelAndRevokedAtIsNullOrderByCreatedAt(label).stream()
                .map(TokenRow::state)
                .toList();
    }

    /** Returns all tokens, oldest first. */
    public List<TokenState> all() {
        return rows.findAllByOrderByCreatedAt().stream().map(TokenRow::state).toList();
    }

    /**
     * Revokes a token. No-op if it is already revoked.
     *
     * @return the revoked token; empty if there is none with this id
     */
    public Optional<TokenState> revoke(UUID id, Caller who, String requestId) {
        return transaction.execute(status -> {
            Optional<TokenRow> found = rows.findById(id);
            found.filter(row -> row.token().revokedAt() == null).ifPresent(row -> {
                Token before = row.token();
                row.revoke(clock.instant().truncatedTo(ChronoUnit.MICROS));
                rows.raiseRevision();
                audit.record(
                        who,
                        "token.revoke",
                        id.toString(),
                        AuditedToken.of(before),
                        AuditedToken.of(row.token()),
                        requestId);
            });
            return found.map(TokenRow::state);
        });
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
    }
}
