package dev.offsetd.server.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * A token that was given out, without its secret.
 *
 * @param scopes as they were given; what they include comes on top
 * @param revokedAt null for one that was not revoked
 */
public record Token(
        UUID id,
        String label,
        Set<Scope> scopes,
        Instant expiresAt,
        @Nullable Instant revokedAt) {

    public Token {
        scopes = Set.copyOf(scopes);
    }
}
