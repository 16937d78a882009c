package dev.offsetd.extractor.symbols;

/**
 * Version of a symbol (LSB, "Symbol Versioning").
 *
 * @param name such as {@code GLIBC_2.14}
 * @param isDefault whether the linker takes it for a name without version; never true of an import
 */
public record SymbolVersion(String name, boolean isDefault) implements Comparable<SymbolVersion> {

    @Override
    public int compareTo(SymbolVersion other) {
        int order = name.compareTo(other.name);
        return order != 0 ? order : Boolean.compare(isDefault, other.isDefault);
    }

    /** Returns the version as it is written after the symbol's name: {@code @GLIBC_2.2.5} or {@code @@GLIBC_2.14}. */
    public String suffix() {
        return (isDefault ? "@@" : "@") + name;
    }

    /** Returns the same version, as a file has it that needs it of another. */
    public SymbolVersion ofImport() {
        return isDefault ? new SymbolVersion(name, false) : this;
    }
}
