package dev.offsetd.extractor.symbols;

import java.util.List;
import java.util.OptionalLong;

/**
 * Ways to the thread-local variables of a program or library, as only the file itself states them: its debug file has no
 * relocations.
 *
 * @param machine as {@code uname -m} names it
 * @param segment the initial image of the variables
 * @param program whether the file is a program, whose block is at a constant distance from the thread pointer; a library's is
 *     where the dynamic linker puts it
 * @param relocations by address, each once
 */
public record TlsAccess(String machine, TlsSegment segment, boolean program, List<TlsRelocation> relocations) {

    public TlsAccess {
        relocations = List.copyOf(relocations);
    }

    /** Returns the relocations that lead to a variable, and those of its module that lead to no variable. */
    public List<TlsRelocation> of(Symbol symbol) {
        if (!isOwn(symbol)) {
            return List.of();
        }
        return relocations.stream()
                .filter(relocation -> relocation.offset() == symbol.value()
                        || (relocation.kind() == TlsRelocation.Kind.MODULE && relocation.offset() == 0))
                .toList();
    }

    /** Returns the address of the first words of a kind that lead to a variable. */
    public OptionalLong address(TlsRelocation.Kind kind, Symbol symbol) {
        return of(symbol).stream()
                .filter(relocation -> relocation.kind() == kind)
                .mapToLong(TlsRelocation::address)
                .findFirst();
    }

    /** Returns the first address at which the dynamic linker writes the number of the module. */
    public OptionalLong moduleAddress() {
        return relocations.stream()
                .filter(relocation -> relocation.kind() == TlsRelocation.Kind.MODULE)
                .mapToLong(TlsRelocation::address)
                .findFirst();
    }

    /**
     * Returns the bytes from the thread pointer to a variable of a program: variant I or II of the ABI, by the processor. Empty
     * for a library, and for processors whose variant is not known here.
     */
    public OptionalLong threadPointerOffset(Symbol symbol) {
        if (!program || !isOwn(symbol)) {
            return OptionalLong.empty();
        }
        long mask = Math.max(segment.alignment(), 1) - 1;
        long address = segment.address();
        long size = segment.memorySize();
        return switch (machine) {
            case "x86_64", "i386", "s390x" -> OptionalLong.of(symbol.value() - size - ((-address - size) & mask));
            case "aarch64" -> OptionalLong.of(symbol.value() + 16 + ((address - 16) & mask));
            case "arm" -> OptionalLong.of(symbol.value() + 8 + ((address - 8) & mask));
            case "riscv64", "riscv32" -> OptionalLong.of(symbol.value() + (address & mask));
            case "ppc64", "ppc64le" -> OptionalLong.of(symbol.value() + (address & mask) - 0x7000);
            default -> OptionalLong.empty();
        };
    }

    private static boolean isOwn(Symbol symbol) {
        return symbol.type() == SymbolType.TLS && !symbol.isImported();
    }
}
