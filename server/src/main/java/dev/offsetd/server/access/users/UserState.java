package dev.offsetd.server.access.users;

import dev.offsetd.server.access.User;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A user, as administrators see it.
 *
 * @param issuer OpenID Connect provider of the user; null for a user with a password
 * @param lastSignInAt null if the user never signed in
 */
public record UserState(
        User user,
        boolean enabled,
        @Nullable String issuer,
        Instant createdAt,
        @Nullable Instant lastSignInAt) {}
