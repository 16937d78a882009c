package dev.offsetd.extractor.symbols;

/** Binding of a symbol, {@code STB_*} (gABI, "Symbol Table"), in the order of preference among symbols at one address. */
public enum SymbolBinding {
    GLOBAL,
    /** A global symbol that is one for the whole process ({@code STB_GNU_UNIQUE}). */
    UNIQUE,
    WEAK,
    LOCAL,
    /** One that only some operating system or processor knows. */
    OTHER
}
