package dev.offsetd.extractor;

import dev.offsetd.extractor.input.HostileText;
import org.jspecify.annotations.Nullable;

/**
 * A split unit that was left out because the file that holds it was not found.
 *
 * @param file path of that file as the producer wrote it
 * @param dwoId id of the unit in that file, or in a {@code .dwp}
 * @param obstacle what keeps that file from being read, if it is not just missing; else null
 */
public record MissingUnit(String file, long dwoId, @Nullable String obstacle) {

    /** Returns all, as messages have them. */
    @Override
    public String toString() {
        return "%s (DWO id %016x; %s)"
                .formatted(HostileText.quote(file), dwoId, obstacle == null ? "not found" : obstacle);
    }
}
