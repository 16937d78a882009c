package dev.offsetd.query.diff;

import org.jspecify.annotations.Nullable;

/**
 * A changed enumerator.
 *
 * @param from its old value in decimal, or null if it is new
 * @param to its new value in decimal, or null if it was removed
 */
public record EnumeratorChange(
        String name, @Nullable String from, @Nullable String to) {}
