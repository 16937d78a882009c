package dev.offsetd.extractor.symbols;

import org.jspecify.annotations.Nullable;

/**
 * The initial image of a file's thread-local variables, {@code PT_TLS} (gABI, "Thread-Local Storage").
 *
 * @param address {@code p_vaddr}
 * @param fileSize {@code p_filesz}: bytes of it that the program brings along, the rest being 0; null of a separate debug
 *     file, where {@code objcopy} leaves 0 and {@code eu-strip} the program's number
 * @param memorySize {@code p_memsz}: bytes for each thread
 * @param alignment {@code p_align}
 */
public record TlsSegment(long address, @Nullable Long fileSize, long memorySize, long alignment) {}
