package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.catalogue.TypeCatalogue;

/**
 * What one pass over a file found.
 *
 * @param elf the file
 * @param types the types and variables that were asked for, with all that they hold by value
 * @param units units of {@code .debug_info} that were read; 1 if the file was read for its BTF
 * @param debugInfoBytes size of {@code .debug_info}, decompressed; of {@code .BTF} if that was read
 */
public record ExtractionReport(ElfFacts elf, TypeCatalogue types, int units, long debugInfoBytes) {}
