package dev.offsetd.server.access.tokens;

import dev.offsetd.server.access.Token;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token, as administrators see it.
 *
 * @param lastUsedAt accurate to about a minute; null if the token was never used
 */
public record TokenState(
        Token token, Instant createdAt, @Nullable Instant lastUsedAt) {

    /** Whether requests with a token are accepted, and why not. */
    public enum Status {
        ACTIVE,
        EXPIRED,
        REVOKED
    }

    public Status status(Instant now) {
        if (token.revokedAt() != null) {
            return Status.REVOKED;
        }
        return token.expiresAt().isAfter(now) ? Status.ACTIVE : Status.EXPIRED;
    }
}
