package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;

/** What is left of the limits on the symbols of a file, for all its tables together. */
final class SymbolBudget {

    private final Limits limits;
    private long symbols;
    private long nameBytes;

    SymbolBudget(Limits limits) {
        this.limits = limits;
    }

    Limits limits() {
        return limits;
    }

    /** Counts the entries of a table, before anything is allocated for them. */
    void addSymbols(String section, long count) throws LimitExceededException {
        symbols += count;
        if (symbols > limits.maxSymbols()) {
            throw new LimitExceededException(
                    section,
                    ExtractionException.NO_OFFSET,
                    "maxSymbols",
                    limits.maxSymbols(),
                    "the symbol tables up to here have " + symbols + " entries");
        }
    }

    /** Counts a name that is new; how often symbols have it does not matter. */
    void addName(String section, long offset, long bytes) throws LimitExceededException {
        nameBytes += bytes;
        if (nameBytes > limits.maxSymbolNameBytes()) {
            throw new LimitExceededException(
                    section,
                    offset,
                    "maxSymbolNameBytes",
                    limits.maxSymbolNameBytes(),
                    "the names up to here have " + nameBytes + " bytes");
        }
    }
}
