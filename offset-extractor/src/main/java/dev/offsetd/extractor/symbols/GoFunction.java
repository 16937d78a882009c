package dev.offsetd.extractor.symbols;

import org.jspecify.annotations.Nullable;

/**
 * Facts of a Go function beside its name.
 *
 * @param sourceFile path of its source file; null if the program does not state it
 * @param abi null unless the program has the function once for each calling convention, as the body and a wrapper that calls it
 */
public record GoFunction(
        @Nullable String sourceFile, @Nullable Abi abi) {

    /** Calling convention of a Go function (Go, "Go internal ABI specification"). */
    public enum Abi {
        /** The stable one, which assembly uses. */
        ABI0("ABI0"),
        /** The convention between functions in Go. */
        INTERNAL("ABIInternal");

        private final String word;

        Abi(String word) {
            this.word = word;
        }

        /** The word that Go uses. */
        public String word() {
            return word;
        }
    }
}
