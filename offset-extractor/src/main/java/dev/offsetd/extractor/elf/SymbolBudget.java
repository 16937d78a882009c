package dev.offsetd.extractor.elf;

import dev.offsetd.extractor.input.ExtractionException;
import dev.offsetd.extractor.input.HeapBudget;
import dev.offsetd.extractor.input.LimitExceededException;
import dev.offsetd.extractor.input.Limits;

/** Remaining limits on the symbols of a file, shared by all its tables. */
final class SymbolBudget {

    /** Heap of a symbol: its record, its places in the indexes by name and address, and its entries in the stored table. */
    private static final int SYMBOL_BYTES = 330;

    /** Heap of a name without its characters, and of its entry in the stored table. */
    private static final int NAME_BYTES = 180;

    /** Heap for each byte of a name: in memory, in the stored table and in its index. */
    private static final int BYTES_OF_NAME_BYTE = 3;

    private final Limits limits;
    private final HeapBudget heap;
    private long symbols;
    private long nameBytes;

    SymbolBudget(Limits limits, HeapBudget heap) {
        this.limits = limits;
        this.heap = heap;
    }

    Limits limits() {
        return limits;
    }

    HeapBudget heap() {
        return heap;
    }

    /** Counts heap memory that is about to be taken. */
    void keep(long heapBytes, String section) throws LimitExceededException {
        heap.keep(heapBytes, section, ExtractionException.NO_OFFSET);
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
        heap.keep(count * SYMBOL_BYTES, section, ExtractionException.NO_OFFSET);
    }

    /** Counts a name that is new; how often symbols have it does not matter. */
    void addName(String section, long offset, long bytes) throws LimitExceededException {
        nameBytes += bytes;
        heap.keep(NAME_BYTES + BYTES_OF_NAME_BYTE * bytes, section, offset);
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
