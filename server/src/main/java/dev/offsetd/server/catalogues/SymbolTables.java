package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.store.StoredSymbols;
import java.util.function.Supplier;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds, beside their catalogues. */
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

    /** Stores a build's symbols in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        table.store(id, blob);
    }

    /**
     * The symbols of a build that is stored, and its thread-local storage.
     *
     * @param generation the build's, so that slices of a blob that was replaced are not mixed in
     * @throws CorruptBlobException here or later, if what is stored are no symbols of a format known here
     */
    public StoredSymbols open(BuildId id, long generation) {
        return table.open(id, generation);
    }

    /**
     * Reads symbols of a stored build, once there is heap for it.
     *
     * @param symbols how many are kept at most
     * @param nameBytes how much of their names is
     * @param work must not wait for the network, nor read types or other symbols so
     */
    public <T> T reading(StoredSymbols stored, int symbols, long nameBytes, Supplier<T> work) {
        int most = Math.min(symbols, stored.count());
        return heap.keeping(
                most * HEAP_OF_SYMBOL + Math.min(nameBytes, stored.mostNameBytes(most)) * HEAP_OF_NAME_BYTE, work);
    }
}
