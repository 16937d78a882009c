package dev.offsetd.server.tokens;

import dev.offsetd.server.access.Scope;
import dev.offsetd.server.access.Token;
import dev.offsetd.server.access.TokenHash;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.Id;
import jakarta.persistence.Table;
import jakarta.persistence.Transient;
import java.time.Instant;
import java.util.Arrays;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import org.hibernate.annotations.JdbcTypeCode;
import org.hibernate.type.SqlTypes;
import org.jspecify.annotations.Nullable;
import org.springframework.data.domain.Persistable;

/** A token as it is stored. */
@Entity
@Table(name = "tokens")
class TokenRow implements Persistable<UUID> {

    @Id
    @Column(name = "id")
    private UUID id;

    @Column(name = "hash")
    private byte[] hash;

    @Column(name = "label")
    private String label;

    @JdbcTypeCode(SqlTypes.ARRAY)
    @Column(name = "scopes")
    private String[] scopes;

    @Column(name = "created_at")
    private Instant createdAt;

    @Column(name = "expires_at")
    private Instant expiresAt;

    @Column(name = "last_used_at")
    private @Nullable Instant lastUsedAt;

    @Column(name = "revoked_at")
    private @Nullable Instant revokedAt;

    @Transient
    private final boolean isNew;

    /** For Hibernate, which fills the fields after it. */
    @SuppressWarnings("NullAway.Init")
    TokenRow() {
        isNew = false;
    }

    TokenRow(UUID id, TokenHash hash, String label, Set<Scope> scopes, Instant createdAt, Instant expiresAt) {
        this.id = id;
        this.hash = hash.toBytes();
        this.label = label;
        this.scopes = scopes.stream().sorted().map(Scope::word).toArray(String[]::new);
        this.createdAt = createdAt;
        this.expiresAt = expiresAt;
        this.isNew = true;
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

    @Override
    public UUID getId() {
        return id;
    }

    /** Whether Spring Data has to insert it; without being told, it would look for one with this id first. */
    @Override
    public boolean isNew() {
        return isNew;
    }
}
