package dev.offsetd.extractor.symbols;

/**
 * A symbol table that a symbol was found in.
 *
 * @param inDebugFile whether that is a table of the separate debug file
 */
public record SymbolSource(Table table, boolean inDebugFile) {

    /** The symbol tables that a file may have. */
    public enum Table {
        /** All symbols; the one that strip removes. */
        SYMTAB(".symtab"),
        /** Exported and imported symbols, for the dynamic linker. */
        DYNSYM(".dynsym"),
        /** The {@code .symtab} of the small compressed ELF file in a stripped program (GDB manual, "MiniDebugInfo"). */
        GNU_DEBUGDATA(".gnu_debugdata"),
        /** The line table of a Go program, for programs without {@code .symtab}. */
        GOPCLNTAB(".gopclntab");

        private final String sectionName;

        Table(String sectionName) {
            this.sectionName = sectionName;
        }

        /** Usual name of the section. */
        public String sectionName() {
            return sectionName;
        }
    }
}
