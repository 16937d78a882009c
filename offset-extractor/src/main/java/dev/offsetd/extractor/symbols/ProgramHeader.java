package dev.offsetd.extractor.symbols;

import org.jspecify.annotations.Nullable;

/**
 * An entry of the program header table (gABI, "Program Header").
 *
 * @param type {@code p_type}
 * @param flags {@code p_flags}
 * @param address {@code p_vaddr}
 * @param memorySize {@code p_memsz}
 * @param alignment {@code p_align}
 * @param offset {@code p_offset}; null of a separate debug file or a copy without code, whose bytes are elsewhere than those
 *     of the program
 * @param fileSize {@code p_filesz}; null likewise
 */
public record ProgramHeader(
        long type,
        long flags,
        long address,
        long memorySize,
        long alignment,
        @Nullable Long offset,
        @Nullable Long fileSize) {

    /** Most entries of the table of a program: Linux loads none whose table has more than 64 KiB, of entries of 32 bytes. */
    public static final int MOST = 2_048;
}
