package dev.offsetd.extractor.builds;

import org.jspecify.annotations.Nullable;

/**
 * A program or library in the memory of a process.
 *
 * @param start first address, unsigned
 * @param end behind the last address
 * @param path of its file, as the process mapped it; of a module without a file, such as the kernel's vDSO, its {@code DT_SONAME}; null if
 *     it has neither
 * @param buildId null if the core file does not have the part of it with the note
 */
public record LoadedModule(
        long start,
        long end,
        @Nullable String path,
        @Nullable BuildId buildId) {}
