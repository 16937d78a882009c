package dev.offsetd.server.pins;

/**
 * An error or warning about a draft.
 *
 * @param place the part of the draft: {@code value.offset}
 * @param message names the part, the value and what is expected
 */
public record Diagnostic(String place, String message) {}
