package dev.offsetd.extractor;

import dev.offsetd.extractor.layout.Omission;
import dev.offsetd.extractor.symbols.ProgramHeader;
import dev.offsetd.extractor.symbols.Symbol;
import dev.offsetd.extractor.symbols.TlsSegment;
import dev.offsetd.extractor.symbols.ValueRule;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The symbols of a file.
 *
 * @param tables symbols of each symbol table, in the order of the tables; a symbol in several tables is in each of them
 * @param values what the values of the symbols are relative to
 * @param tls null if the file has no thread-local variables
 * @param programHeaders the program header table; empty if the file has none
 * @param omissions the symbol tables that cannot be read
 */
public record SymbolReport(
        ElfFacts elf,
        List<List<Symbol>> tables,
        ValueRule values,
        @Nullable TlsSegment tls,
        List<ProgramHeader> programHeaders,
        List<Omission> omissions) {}
