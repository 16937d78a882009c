package dev.offsetd.extractor.symbols;

/** Type of a symbol, {@code STT_*} (gABI, "Symbol Table"). */
public enum SymbolType {
    NOTYPE("NOTYPE"),
    OBJECT("OBJECT"),
    FUNC("FUNC"),
    SECTION("SECTION"),
    FILE("FILE"),
    COMMON("COMMON"),
    /** A thread-local variable; its value is an offset into the {@code PT_TLS} segment, not an address. */
    TLS("TLS"),
    /** A function that is chosen when the program starts; the value is the address of the one that chooses. */
    GNU_IFUNC("IFUNC"),
    /** One that only some operating system or processor knows. */
    OTHER("OTHER");

    private final String word;

    SymbolType(String word) {
        this.word = word;
    }

    /** The word that binutils use. */
    public String word() {
        return word;
    }

    /** Whether it stands for code that is called. */
    public boolean isFunction() {
        return this == FUNC || this == GNU_IFUNC;
    }
}
