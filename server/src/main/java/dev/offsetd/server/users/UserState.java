package dev.offsetd.server.users;

import dev.offsetd.server.access.User;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user and what became of it.
 *
 * @param enabled whether the user may sign in
 * @param issuer the OpenID Connect provider that the user comes from; null for one with a password
 * @param lastSignInAt null if the user never did
 */
public record UserState(
        User user,
        boolean enabled,
        @Nullable String issuer,
        Instant createdAt,
        @Nullable Instant lastSignInAt) {}
