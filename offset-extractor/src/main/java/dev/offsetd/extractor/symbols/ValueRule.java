package dev.offsetd.extractor.symbols;

/** Meaning of the values of defined symbols in a file (gABI, "Symbol Values"). */
public enum ValueRule {
    /** An ELF virtual address, in programs and libraries. */
    ADDRESS,
    /** The same, on 32-bit ARM: bit 0 of a function's value is not part of the address and says "Thumb code" (AAELF32). */
    ADDRESS_WITH_THUMB_BIT,
    /** An offset into the section, in a relocatable file: sections have no addresses yet. */
    SECTION_OFFSET;

    /** Returns where the symbol begins, for one whose value is an address. */
    public long addressOf(Symbol symbol) {
        return this == ADDRESS_WITH_THUMB_BIT && symbol.type().isFunction() ? symbol.value() & ~1L : symbol.value();
    }
}
