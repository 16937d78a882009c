package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.BuildId;

/**
 * The right to work on a build, until it runs out or is taken over.
 *
 * @param attempt fencing number: whoever takes a lease over gets a higher one
 */
public record Lease(BuildId id, String owner, long attempt) {}
