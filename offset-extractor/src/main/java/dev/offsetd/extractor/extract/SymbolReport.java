package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.symbol.SymbolTable;
import dev.offsetd.extractor.symbol.TlsSegment;
import java.util.Optional;

/**
 * The symbols of a file.
 *
 * @param symbols empty if the file has none, or they are in another file
 * @param tls empty if the file has no thread-local variables
 */
public record SymbolReport(ElfFacts elf, SymbolTable symbols, Optional<TlsSegment> tls) {}
