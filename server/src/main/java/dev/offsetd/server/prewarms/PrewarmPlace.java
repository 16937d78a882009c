package dev.offsetd.server.prewarms;

import java.time.Instant;
import java.util.UUID;

/** Where a batch stands among all, the newest first. */
public record PrewarmPlace(Instant createdAt, UUID id) {}
