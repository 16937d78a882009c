package dev.offsetd.server.webhooks;

import dev.offsetd.server.events.EventFilter;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/**
 * A webhook as people see it, without its secret.
 *
 * @param failures failed attempts since the last delivery
 * @param problem why the last attempt failed; null if it did not
 * @param deliveredAt time of the last delivery; null before the first
 * @param undelivered events that were given up and are still listed
 */
public record Webhook(
        String name,
        String url,
        EventFilter filter,
        Instant createdAt,
        String createdBy,
        int failures,
        @Nullable String problem,
        @Nullable Instant deliveredAt,
        int undelivered) {}
