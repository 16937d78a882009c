package dev.offsetd.cli.push;

import dev.offsetd.extractor.ElfFacts;
import java.nio.file.Path;

/**
 * An ELF file to push.
 *
 * @param place the path that the user knows, with the names inside of packages after each {@code !}
 * @param file the file, or its copy from a package
 */
record Candidate(String place, Path file, ElfFacts elf) {

    boolean hasDebugInfo() {
        return elf.hasDwarf() || elf.hasBtf();
    }

    /** Returns whether a folder or package is pushed for files like this. */
    boolean isUploadable() {
        return hasDebugInfo() && elf.buildId().isPresent();
    }
}
