package dev.offsetd.packages.repositories;

import dev.offsetd.extractor.ElfFacts;
import dev.offsetd.extractor.builds.BuildId;
import java.nio.file.Path;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * An ELF file with a build-id, found in an entry.
 *
 * @param place name of the entry, and the names inside of archives after each {@code !}; untrusted text
 * @param file its copy
 * @param supplementary copy of the file in the entry into which dwz moved some of its types; null for none
 */
public record PackageFile(
        String place, Path file, ElfFacts elf, @Nullable Path supplementary) {

    /** Returns the build-id of the file. */
    public BuildId buildId() {
        return Objects.requireNonNull(elf.buildId());
    }
}
