package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;

/**
 * Link of a file to its supplementary file (DWARF 5 §7.3.6), into which dwz moves what several debug files share.
 *
 * @param name path as the producer wrote it; arbitrary text in a hostile file
 * @param buildId build-id of the supplementary file
 */
public record SupplementaryLink(String name, BuildId buildId) {}
