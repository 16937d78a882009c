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

    /** Precedes a name inside of a package. */
    private static final char INSIDE = '!';

    private static final int ET_EXEC = 2;
    private static final int ET_DYN = 3;

    boolean hasDebugInfo() {
        return elf.hasDwarf() || elf.hasBtf();
    }

    String fileName() {
        return place.substring(Math.max(place.lastIndexOf('/'), place.lastIndexOf(INSIDE)) + 1);
    }

    /** Returns the path that the user named, or found in a folder that the user named: that of a package for its files. */
    String namedPath() {
        int inside = place.indexOf(INSIDE);
        return inside < 0 ? place : place.substring(0, inside);
    }

    /**
     * Returns whether a folder or package is pushed for files like this.
     *
     * @param executables whether for stripped executables, too
     */
    boolean isUploadable(boolean executables) {
        return hasDebugInfo() ? elf.buildId() != null || isLinked() : executables && isLinked();
    }

    /** Returns whether this is an executable or library. Object files are parts of others. */
    boolean isLinked() {
        return elf.elfType() == ET_EXEC || elf.elfType() == ET_DYN;
    }
}
