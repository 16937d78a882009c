package dev.offsetd.extractor;

import dev.offsetd.extractor.input.HostileText;

/**
 * A split unit that was left out because the file that holds it was not found.
 *
 * @param file path of that file as the producer wrote it
 * @param dwoId id of the unit in that file, or in a {@code .dwp}
 */
public record MissingUnit(String file, long dwoId) {

    /** Returns both, as messages have them. */
    @Override
    public String toString() {
        return "%s (DWO id %016x)".formatted(HostileText.quote(file), dwoId);
    }
}
