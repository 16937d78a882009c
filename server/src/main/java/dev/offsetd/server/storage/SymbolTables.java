package dev.offsetd.server.storage;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.query.store.CorruptBlobException;
import dev.offsetd.query.symbol.StoredSymbols;
import dev.offsetd.server.storage.objects.ObjectStore;
import dev.offsetd.server.storage.objects.StoreUnreachableException;
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
    private final ObjectRows objects;

    SymbolTables(
            JdbcClient jdbc,
            ObjectRows objects,
            ObjectStore store,
            SliceCache slices,
            CatalogueProperties properties,
            AnswerHeap heap) {
        this.heap = heap;
        this.objects = objects;
        this.table = new BlobTable<>(jdbc, store, BuildPart.SYMBOLS, slices, properties.open(), StoredSymbols::new);
    }

    /**
     * Prepares symbols to be stored. Must not be called in a transaction, because it may write to the object store.
     *
     * @throws StoreUnreachableException if that fails
     */
    public NewBlob prepare(byte[] blob) {
        return objects.prepare(blob);
    }

    /** Stores or replaces a build's symbols. Part of the caller's transaction. */
    public void store(BuildId id, NewBlob blob) {
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

    /** Returns the whole symbols of a build; empty if it has none. */
    public byte[] whole(BuildId id) {
        return table.whole(id);
    }

    /**
     * Runs work that reads symbols of a stored build when there is heap for it.
     *
     * @param symbols limit of symbols that the work retains
     * @param nameBytes limit of the bytes of their names
     * @param work must not wait for the network, other than by reading the build, or read types or other symbols through such a method
     */
    public <T> T reading(StoredSymbols stored, int symbols, long nameBytes, Supplier<T> work) {
        int most = Math.min(symbols, stored.count());
        return heap.keeping(
                most * HEAP_OF_SYMBOL + Math.min(nameBytes, stored.mostNameBytes(most)) * HEAP_OF_NAME_BYTE, work);
    }
}
