package dev.offsetd.extractor.layout;

/** Who sees a symbol outside of its file, {@code STV_*} (gABI, "Symbol Visibility"). */
public enum SymbolVisibility {
    DEFAULT,
    INTERNAL,
    HIDDEN,
    PROTECTED
}
