package dev.offsetd.server.prewarms;

/**
 * Reason of a failure.
 *
 * @param code for programs
 * @param detail in words
 */
public record PrewarmCause(String code, String detail) {}
