package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.blob.CorruptBlobException;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.extractor.symbol.StoredSymbols;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds, beside their catalogues. */
@Component
public class SymbolTables {

    private final BlobTable<StoredSymbols> table;

    SymbolTables(JdbcClient jdbc, SliceCache slices, CatalogueProperties properties) {
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
}
