package dev.offsetd.extractor;

import dev.offsetd.extractor.elf.ElfFile;
import dev.offsetd.extractor.input.ExtractionException;
import java.lang.foreign.MemorySegment;

/**
 * A range of a file.
 *
 * @param offset bytes from the start of the file
 * @param bytes length of the range
 */
public record FileRange(long offset, long bytes) {

    /**
     * Returns where the section header table of a file is, for callers that fetch a file in parts.
     *
     * @param start the first bytes of the file, with its program headers
     */
    public static FileRange ofSectionHeaders(byte[] start) throws ExtractionException {
        long[] table = ElfFile.sectionHeaderTable(MemorySegment.ofArray(start));
        return new FileRange(table[0], table[1]);
    }

    /** Returns the offset of the first byte after the range. */
    public long end() {
        return offset + bytes;
    }
}
