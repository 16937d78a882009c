package dev.offsetd.extractor;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.elf.CoreFile;
import dev.offsetd.extractor.layout.Architecture;
import org.jspecify.annotations.Nullable;

/**
 * Facts from the headers and notes of an ELF file.
 *
 * @param buildId its {@code NT_GNU_BUILD_ID} note, or null
 * @param architecture from the ELF header
 * @param elfType {@code e_type}: 1 relocatable, 2 executable, 3 shared; 0 of BTF without ELF
 * @param hasDwarf whether it has a {@code .debug_info} or {@code .debug_info.dwo} section with contents
 * @param hasLines whether it has a {@code .debug_line} section with contents
 * @param hasBtf whether it has a {@code .BTF} section with contents
 * @param hasGoTypes whether it is a Go program with run-time type descriptors
 * @param hasDebugOffsets whether it is a CPython interpreter with a table of debug offsets
 * @param fileBytes size of the file
 */
public record ElfFacts(
        @Nullable BuildId buildId,
        Architecture architecture,
        int elfType,
        boolean hasDwarf,
        boolean hasLines,
        boolean hasBtf,
        boolean hasGoTypes,
        boolean hasDebugOffsets,
        long fileBytes) {

    /** Returns whether the file is BTF without ELF around it, which does not say of which build it is. */
    public boolean isRawBtf() {
        return elfType == 0 && hasBtf;
    }

    /** Returns whether the file is the memory of a process. */
    public boolean isCore() {
        return elfType == CoreFile.ET_CORE;
    }

    /** Returns whether the file has types of any source. */
    public boolean hasTypes() {
        return hasDwarf || hasBtf || describesTypes();
    }

    /** Returns whether the program itself describes some of its types, for its own use or for debuggers. */
    public boolean describesTypes() {
        return hasGoTypes || hasDebugOffsets;
    }
}
