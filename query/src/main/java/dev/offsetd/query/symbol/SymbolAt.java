package dev.offsetd.query.symbol;

import dev.offsetd.extractor.symbols.Symbol;

/**
 * A symbol that contains an address.
 *
 * @param offset bytes from the symbol's start to the address
 */
public record SymbolAt(Symbol symbol, long offset) {}
