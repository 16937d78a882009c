package dev.offsetd.extractor.extract;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.Limits;
import dev.offsetd.extractor.layout.Definition;
import java.io.IOException;
import java.nio.file.Path;
import java.util.function.Consumer;

/** Reads layouts out of ELF files. Immutable; safe for any number of threads. */
public final class OffsetExtractor {

    /**
     * Version of what is extracted. Rises whenever the same file may give another answer than before; stored catalogues
     * of lower versions are then renewed.
     */
    public static final int VERSION = 1;

    /**
     * An extractor that keeps to these limits.
     *
     * @param threads how many threads read units side by side; the result does not depend on it
     */
    public OffsetExtractor(Limits limits, int threads) {
        throw new UnsupportedOperationException(limits.toString() + threads);
    }

    /**
     * Reads the ELF headers and notes only.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is no ELF file, or a broken one
     */
    public ElfFacts inspect(Path file) throws IOException, ExtractionException {
        throw new UnsupportedOperationException(file.toString());
    }

    /**
     * Reads the types that are wanted, with everything they hold by value.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public ExtractionReport extract(Path file, Wanted wanted) throws IOException, ExtractionException {
        throw new UnsupportedOperationException(file.toString() + wanted);
    }

    /**
     * Reads every named type of the file, and the unnamed enumerations.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public ExtractionReport extractAll(Path file) throws IOException, ExtractionException {
        throw new UnsupportedOperationException(file.toString());
    }

    /**
     * Hands out every complete named struct, union, class and enum definition, unmerged, in the order of their DIEs.
     *
     * @throws IOException if the file cannot be read
     * @throws ExtractionException if it is malformed, not supported or over a limit, or has no debug information
     */
    public void forEachDefinition(Path file, Consumer<Definition> sink) throws IOException, ExtractionException {
        throw new UnsupportedOperationException(file.toString() + sink);
    }
}
