package dev.offsetd.server.access;

import java.time.Instant;

/**
 * A session of a signed-in user.
 *
 * @param handle identifies the session; unlike its id, not a secret
 * @param userAgent of the browser; untrusted text
 * @param address IP address of the sign-in
 * @param current whether it is the session of the current request
 */
public record UserSession(
        String handle, String userAgent, String address, Instant signedInAt, Instant lastUsedAt, boolean current) {}
