package dev.offsetd.extractor.symbol;

/** Who sees a symbol outside of its file, {@code STV_*} (gABI, "Symbol Visibility"). */
public enum SymbolVisibility {
    DEFAULT,
    INTERNAL,
    HIDDEN,
    PROTECTED
}
