package dev.offsetd.extractor;

/**
 * A section of an ELF file.
 *
 * @param inFile whether it has contents in this file, unlike the code in a separate debug file
 * @param offset bytes from the start of the file to its contents
 * @param bytes size of the contents as they are in the file, compressed or not
 */
public record ElfSection(String name, boolean inFile, long offset, long bytes) {}
