package dev.offsetd.extractor.symbols;

/**
 * A dynamic relocation by which code finds a thread-local variable that the same file defines ("ELF Handling For Thread-Local Storage"): the
 * dynamic linker writes there what only it knows.
 *
 * @param address ELF virtual address of the words that the dynamic linker writes
 * @param offset bytes from the start of the file's block to the variable; 0 for {@link Kind#MODULE} without one
 */
public record TlsRelocation(Kind kind, long address, long offset) {

    /** The meaning of the words, in the spelling of the processors' supplements. */
    public enum Kind {
        /** The number of the module. */
        MODULE("DTPMOD"),
        /** The offset of the variable in the block of its module. */
        BLOCK_OFFSET("DTPOFF"),
        /** The offset of the variable from the thread pointer. */
        THREAD_POINTER_OFFSET("TPOFF"),
        /** A function and its argument, which is the offset from the thread pointer if the block is at a constant distance. */
        DESCRIPTOR("TLSDESC");

        private final String word;

        Kind(String word) {
            this.word = word;
        }

        /** Returns the word in answers. */
        public String word() {
            return word;
        }
    }
}
