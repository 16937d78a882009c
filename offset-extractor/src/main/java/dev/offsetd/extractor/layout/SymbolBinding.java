package dev.offsetd.extractor.layout;

/** Who sees a symbol, {@code STB_*} (gABI, "Symbol Table"); of several at one place, the first here is preferred. */
public enum SymbolBinding {
    GLOBAL,
    /** As {@code GLOBAL}, and one for the whole process ({@code STB_GNU_UNIQUE}). */
    UNIQUE,
    WEAK,
    LOCAL,
    /** One that only some operating system or processor knows. */
    OTHER
}
