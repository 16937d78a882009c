package dev.offsetd.server.prewarms;

/**
 * Why there is no result.
 *
 * @param code names the cause for programs
 * @param detail in words, for people
 */
public record PrewarmCause(String code, String detail) {}
