package dev.offsetd.server.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An issued token, without its secret.
 *
 * @param scopes as issued, without those they include
 * @param lastUsedAt as stored when the token was read, accurate to about a minute; null if the token was never used
 * @param revokedAt null if the token was not revoked
 */
public record Token(
        UUID id,
        String label,
        Set<Scope> scopes,
        Instant createdAt,
        Instant expiresAt,
        @Nullable Instant lastUsedAt,
        @Nullable Instant revokedAt) {

    public Token {
        scopes = Set.copyOf(scopes);
    }

    /** Whether requests with a token are accepted, and why not. */
    public enum Status {
        ACTIVE,
        EXPIRED,
        REVOKED
    }

    public Status status(Instant now) {
        if (revokedAt != null) {
            return Status.REVOKED;
        }
        return expiresAt.isAfter(now) ? Status.ACTIVE : Status.EXPIRED;
    }
}
