package dev.offsetd.extractor.dwarf.frame;

/**
 * A function of the symbol table.
 *
 * @param end address behind its last byte
 */
public record FunctionSymbol(String name, long start, long end) {}
