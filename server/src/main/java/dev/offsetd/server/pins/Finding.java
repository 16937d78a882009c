package dev.offsetd.server.pins;

/**
 * Something that is wrong with a draft, or worth a second look.
 *
 * @param place the part of the draft: {@code value.offset}
 * @param message names the place, the value and what is expected
 */
public record Finding(String place, String message) {}
