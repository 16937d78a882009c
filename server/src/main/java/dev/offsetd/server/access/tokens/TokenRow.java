package dev.offsetd.server.access.tokens;

import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenHash;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;

/** Row of a token. */
@Entity
@Table(name = "tokens")
class TokenRow {

    @Id
    private UUID id;

    private byte[] hash;
    private String label;

    @JdbcTypeCode(SqlTypes.ARRAY)
    private String[] scopes;

    private Instant createdAt;
    private Instant expiresAt;
    private @Nullable Instant lastUsedAt;
    private @Nullable Instant revokedAt;

    /** For Hibernate, which sets the fields afterwards. */
    @SuppressWarnings("NullAway.Init")
    TokenRow() {}

    TokenRow(UUID id, TokenHash hash, String label, Set<Scope> scopes, Instant createdAt, Instant expiresAt) {
        this.id = id;
        this.hash = hash.toBytes();
        this.label = label;
        this.scopes = scopes.stream().sorted().map(Scope::word).toArray(String[]::new);
        this.createdAt = createdAt;
        this.expiresAt = expiresAt;
    }

    void revoke(Instant at) {
        revokedAt = at;
    }

    TokenHash hash() {
        return TokenHash.ofBytes(hash);
    }

    Token token() {
        return new Token(
                id,
                label,
                Arrays.stream(scopes)
                        .flatMap(word -> Scope.ofWord(word).stream())
                        .collect(Collectors.toUnmodifiableSet()),
                expiresAt,
                revokedAt);
    }

    TokenState state() {
        return new TokenState(token(), createdAt, lastUsedAt);
    }
}
