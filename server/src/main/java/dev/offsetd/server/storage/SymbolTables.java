package dev.offsetd.server.storage;

import dev.offsetd.query.symbol.StoredSymbols;
import java.util.function.Supplier;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds. */
@Component
public class SymbolTables extends BlobTable<StoredSymbols> {

    /** Heap for a symbol without its name, and for a byte of the name. */
    private static final long HEAP_OF_SYMBOL = 200;

    private static final long HEAP_OF_NAME_BYTE = 4;

    private final AnswerHeap heap;

    SymbolTables(Services services, AnswerHeap heap) {
        super(services, BuildPart.SYMBOLS, StoredSymbols::new);
        this.heap = heap;
    }

    /**
     * Runs work that reads symbols of a stored build when there is heap for it, on a thread that may compute.
     *
     * @param symbols limit of symbols that the work retains
     * @param nameBytes limit of the bytes of their names
     * @param work must not wait for the network, other than by reading the build, or read types or other symbols through such a method
     */
    public <T> T reading(StoredSymbols stored, int symbols, long nameBytes, Supplier<T> work) {
        return heap.computing(heapOf(stored, symbols, nameBytes), work);
    }

    /** Returns the most heap that so many symbols take, with names of up to so many bytes. */
    static long heapOf(StoredSymbols stored, int symbols, long nameBytes) {
        int most = Math.min(symbols, stored.count());
        return most * HEAP_OF_SYMBOL + Math.min(nameBytes, stored.mostNameBytes(most)) * HEAP_OF_NAME_BYTE;
    }
}
