package dev.offsetd.extractor.symbols;

/**
 * Where a symbol is defined.
 *
 * @param kind whether that is a section of the file
 * @param index index in the section header table; of other kinds, {@code st_shndx} as it is
 * @param name of the section; of other kinds, the word that binutils use
 * @param endAddress address behind the section's last byte, unsigned; 0 of other kinds, and in relocatable files
 */
public record SymbolSection(Kind kind, int index, String name, long endAddress) implements Comparable<SymbolSection> {

    @Override
    public int compareTo(SymbolSection other) {
        int order = Integer.compare(index, other.index);
        order = order != 0 ? order : kind.compareTo(other.kind);
        order = order != 0 ? order : Long.compare(endAddress, other.endAddress);
        return order != 0 ? order : name.compareTo(other.name);
    }

    /** Name of a section that the file does not name: it has no section headers, or fewer of them. */
    public static final String UNKNOWN_NAME = "?";

    /** Not in this file: imported. */
    public static final SymbolSection UNDEFINED = new SymbolSection(Kind.UNDEFINED, 0, "UND", 0);

    /** A number, not an address. */
    public static final SymbolSection ABSOLUTE = new SymbolSection(Kind.ABSOLUTE, 0xfff1, "ABS", 0);

    /** A common block that the linker has still to place; the value is its alignment. */
    public static final SymbolSection COMMON = new SymbolSection(Kind.COMMON, 0xfff2, "COM", 0);

    /** Returns whether the file does not say which section it is. */
    public boolean isUnknown() {
        return name.equals(UNKNOWN_NAME) && (kind == Kind.IN_SECTION || kind == Kind.OTHER);
    }

    /** The special section indexes of the gABI, and the usual ones. */
    public enum Kind {
        IN_SECTION,
        UNDEFINED,
        ABSOLUTE,
        COMMON,
        /** One that only some operating system or processor knows. */
        OTHER
    }
}
