package dev.offsetd.server.tokens;

import dev.offsetd.server.access.Token;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A token and what became of it.
 *
 * @param lastUsedAt to within a minute or two; null if it never was
 */
public record TokenState(
        Token token, Instant createdAt, @Nullable Instant lastUsedAt) {}
