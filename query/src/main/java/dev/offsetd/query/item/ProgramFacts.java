package dev.offsetd.query.item;

import dev.offsetd.extractor.symbols.FileOffsets;
import dev.offsetd.extractor.symbols.TlsAccess;
import org.jspecify.annotations.Nullable;

/**
 * Facts about the symbols of a program that its own file states, and a separate debug file does not.
 *
 * @param offsets of the program in its file, or why they are not known
 * @param tls ways to its thread-local variables; null if they are not known
 */
public record ProgramFacts(FileOffsets offsets, @Nullable TlsAccess tls) {

    /** Returns why the ways to thread-local variables are not known. */
    public String tlsMissing() {
        return offsets.missing() == null
                ? "the dynamic relocations of the program are not known"
                : "the dynamic relocations of the program are not known: " + offsets.missing();
    }
}
