package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredSymbols;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds. */
@Component
public class SymbolTables {

    /** Heap for a symbol without its name, and for a byte of the name. */
    private static final long HEAP_OF_SYMBOL = 200;

    private static final long HEAP_OF_NAME_BYTE = 4;

    private final BlobTable<StoredSymbols> table;
    private final AnswerHeap heap;

    SymbolTables(JdbcClient jdbc, SliceCache slices, CatalogueProperties properties, AnswerHeap heap) {
        this.heap = heap;
        this.table = new BlobTable<>(jdbc, "symbol_tables", slices, properties.open(), StoredSymbols::new);
    }

    /** Stores or replaces a build's symbols. Part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        table.store(id, blob);
    }

    /**
     * Opens the symbols of a stored build, with its thread-local storage.
     *
     * @param generation generation of the build, so that slices of a replaced blob are not mixed in
     * @throws CorruptBlobException now or during later reads, if the blob is damaged or has an unknown format
     */
    public StoredSymbols open(BuildId id, long generation) {
        return table.open(id, generation);
    }

    /**
     * Runs work that reads symbols of a stored build when there is heap for it.
     *
     * @param symbols limit of symbols that the work retains
     * @param nameBytes limit of the bytes of their names
     * @param work must not wait for the network, or read types or other symbols through such a method
     */
    public <T> T reading(StoredSymbols stored, int symbols, long nameBytes, Supplier<T> work) {
        int most = Math.min(symbols, stored.count());
        return heap.keeping(
                most * HEAP_OF_SYMBOL + Math.min(nameBytes, stored.mostNameBytes(most)) * HEAP_OF_NAME_BYTE, work);
    }
}
