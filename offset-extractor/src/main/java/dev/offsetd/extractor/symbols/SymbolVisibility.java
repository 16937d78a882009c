package dev.offsetd.extractor.symbols;

/** Visibility of a symbol to other files, {@code STV_*} (gABI, "Symbol Visibility"). */
public enum SymbolVisibility {
    DEFAULT,
    INTERNAL,
    HIDDEN,
    PROTECTED
}
