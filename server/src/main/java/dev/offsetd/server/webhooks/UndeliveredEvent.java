package dev.offsetd.server.webhooks;

import java.time.Instant;

/**
 * An event that was given up.
 *
 * @param at time of the event
 * @param problem why the last attempt failed
 */
public record UndeliveredEvent(
        String webhook, long event, String kind, String title, Instant at, Instant givenUpAt, String problem) {}
