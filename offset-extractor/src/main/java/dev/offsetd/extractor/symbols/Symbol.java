package dev.offsetd.extractor.symbols;

import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * A symbol: one entry of a symbol table (gABI, "Symbol Table"), or the equal entries of several tables.
 *
 * @param name without version; of a section's symbol that has none, the section's
 * @param version null if it has none
 * @param value {@code st_value} as it is, unless there is a descriptor; what it says depends on the file, see {@link ValueRule}; of a thread-local
 *     variable an offset into {@code PT_TLS}; unsigned
 * @param size {@code st_size}: bytes, 0 if none is given; unsigned
 * @param sources the tables that have it; one or more, each at most once
 * @param descriptor address of the function descriptor ({@code st_value}) where functions have one, and {@code value} and
 *     {@code section} are those of the code that it states: PowerPC 64, ELFv1. They are those of the descriptor if the file
 *     does not have it. Else null
 * @param go of a function from the line table of a Go program; else null
 */
public record Symbol(
        String name,
        @Nullable SymbolVersion version,
        long value,
        long size,
        SymbolType type,
        SymbolBinding binding,
        SymbolVisibility visibility,
        SymbolSection section,
        List<SymbolSource> sources,
        @Nullable Long descriptor,
        @Nullable GoFunction go) {

    /** Name of the section of function descriptors. */
    public static final String DESCRIPTORS = ".opd";

    public Symbol {
        sources = List.copyOf(sources);
    }

    /** A symbol of a symbol table, without a function descriptor. */
    public Symbol(
            String name,
            @Nullable SymbolVersion version,
            long value,
            long size,
            SymbolType type,
            SymbolBinding binding,
            SymbolVisibility visibility,
            SymbolSection section,
            List<SymbolSource> sources) {
        this(name, version, value, size, type, binding, visibility, section, sources, null, null);
    }

    /** Returns the name with its version: {@code memcpy@@GLIBC_2.14}. */
    public String versionedName() {
        return version == null ? name : name + version.suffix();
    }

    /** Returns whether another file defines it. */
    public boolean isImported() {
        return section.kind() == SymbolSection.Kind.UNDEFINED;
    }

    /** Returns whether the address of the function's code is not known, as in a debug file: its descriptor is in the program. */
    public boolean isDescriptorOnly() {
        // In a relocatable file, code and descriptor may have the same offset in their sections.
        return descriptor != null && descriptor == value && (section.name().equals(DESCRIPTORS) || section.isUnknown());
    }

    /** Returns the same function with a descriptor, and with the place of its code or, if that is not known, of the descriptor. */
    public Symbol withDescriptor(long codeValue, SymbolSection codeSection, long descriptorValue) {
        return new Symbol(
                name, version, codeValue, size, type, binding, visibility, codeSection, sources, descriptorValue, go);
    }

    /** Returns the same symbol in another section. */
    public Symbol in(SymbolSection other) {
        return new Symbol(name, version, value, size, type, binding, visibility, other, sources, descriptor, go);
    }

    /** Returns the same symbol, found in these tables, with this version. */
    public Symbol with(@Nullable SymbolVersion otherVersion, List<SymbolSource> otherSources) {
        return new Symbol(
                name, otherVersion, value, size, type, binding, visibility, section, otherSources, descriptor, go);
    }

    /** Returns whether the value is a place of code or data; not of numbers, thread-local variables and mere marks. */
    public boolean isPlace() {
        return section.kind() == SymbolSection.Kind.IN_SECTION
                && !isDescriptorOnly()
                && type != SymbolType.TLS
                && type != SymbolType.SECTION
                && type != SymbolType.FILE
                && !isMappingSymbol();
    }

    /** Returns whether it is a variable with an address. */
    public boolean isVariable() {
        return type == SymbolType.OBJECT && isPlace();
    }

    /**
     * Returns whether it only tells kinds of code and data apart: {@code $a}, {@code $t}, {@code $x}, {@code $d}, with
     * or without a point and more after it (ELF for the Arm Architecture, "Mapping symbols"), {@code $xrv64gc} (RISC-V
     * ELF psABI).
     */
    private boolean isMappingSymbol() {
        return type == SymbolType.NOTYPE
                && binding == SymbolBinding.LOCAL
                && size == 0
                && name.length() >= 2
                && name.charAt(0) == '$'
                && "adtx".indexOf(name.charAt(1)) >= 0
                && (name.length() == 2 || name.charAt(2) == '.' || name.startsWith("$xrv"));
    }
}
