package dev.offsetd.server.access;

import java.time.Instant;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * An issued token, without its secret.
 *
 * @param scopes as issued, without those they include
 * @param revokedAt null if the token was not revoked
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
