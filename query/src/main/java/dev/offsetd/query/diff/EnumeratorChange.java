package dev.offsetd.query.diff;

import org.jspecify.annotations.Nullable;

/**
 * An enumerator that is not the same on both sides.
 *
 * @param from its value as a decimal number, or null if it is new
 * @param to its value now, or null if it has gone
 */
public record EnumeratorChange(
        String name, @Nullable String from, @Nullable String to) {}
