package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.ElfFacts;
import java.nio.file.Path;

/**
 * An ELF file with a build-id, found in an entry.
 *
 * @param place name of the entry, and the names inside of archives after each {@code !}; untrusted text
 * @param file its copy
 */
public record PackageFile(String place, Path file, ElfFacts elf) {}
