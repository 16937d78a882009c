package dev.offsetd.server.web;

import java.util.Optional;
import java.util.UUID;

/** Ids in paths. */
public final class Ids {

    private Ids() {}

    /** Parses an id; empty if the text is not one, and so names nothing. */
    public static Optional<UUID> uuid(String text) {
        try {
            return Optional.of(UUID.fromString(text));
        } catch (IllegalArgumentException e) {
            return Optional.empty();
        }
    }
}
