package dev.offsetd.server.operations.health;

/**
 * The process is about to end itself, because work that it has begun leaves no thread for requests. Listeners have seconds, and no
 * virtual threads.
 */
public record ProcessEndsEvent(String reason) {}
