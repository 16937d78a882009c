package dev.offsetd.server.operations.health;

import java.util.List;

/** Warnings about the settings, by which the start was not stopped. */
public record StartWarnings(List<String> texts) {

    public StartWarnings {
        texts = List.copyOf(texts);
    }
}
