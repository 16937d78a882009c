package dev.offsetd.server.access;

import java.time.Instant;

/**
 * One place where a user is signed in.
 *
 * @param handle names the session; no secret, unlike its id
 * @param userAgent what the browser calls itself; hostile text
 * @param address IP address that it was begun from
 * @param current whether it is that of the request at hand
 */
public record UserSession(
        String handle, String userAgent, String address, Instant signedInAt, Instant lastUsedAt, boolean current) {}
