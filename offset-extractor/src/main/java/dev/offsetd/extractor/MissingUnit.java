package dev.offsetd.extractor;

/**
 * A split unit that was left out because the file that holds it was not found.
 *
 * @param file path of that file as the producer wrote it
 * @param dwoId id of the unit in that file, or in a {@code .dwp}
 */
public record MissingUnit(String file, long dwoId) {}
