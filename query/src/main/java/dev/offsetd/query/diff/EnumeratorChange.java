package dev.offsetd.query.diff;

import org.jspecify.annotations.Nullable;

/**
 * A changed enumerator.
 *
 * @param from its old value in decimal, {@code more than 64 bits} if it is not known, or null if it is new
 * @param to its new value likewise, or null if it was removed
 */
public record EnumeratorChange(
        String name, @Nullable String from, @Nullable String to) {}
