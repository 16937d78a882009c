package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.BuildId;

/**
 * A file's link to its supplementary file (DWARF 5 §7.3.6), which dwz moves what several debug files share to.
 *
 * @param name path as the producer wrote it; any text at all in a hostile file
 * @param buildId build-id of the supplementary file
 */
public record SupplementaryLink(String name, BuildId buildId) {}
