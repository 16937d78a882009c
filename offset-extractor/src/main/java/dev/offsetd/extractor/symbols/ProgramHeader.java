package dev.offsetd.extractor.symbols;

import java.util.OptionalLong;

/**
 * An entry of the program header table (gABI, "Program Header").
 *
 * @param type {@code p_type}
 * @param flags {@code p_flags}
 * @param address {@code p_vaddr}
 * @param memorySize {@code p_memsz}
 * @param alignment {@code p_align}
 * @param offset {@code p_offset}; empty of a separate debug file or a copy without code, whose bytes are elsewhere than those
 *     of the program
 * @param fileSize {@code p_filesz}; empty likewise
 */
public record ProgramHeader(
        long type,
        long flags,
        long address,
        long memorySize,
        long alignment,
        OptionalLong offset,
        OptionalLong fileSize) {}
