package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds, beside their catalogues. */
@Component
public class SymbolTables {

    private final BlobTable table;

    SymbolTables(JdbcClient jdbc) {
        this.table = new BlobTable(jdbc, "symbol_tables");
    }

    /** Stores a build's symbols in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        table.store(id, blob);
    }
}
