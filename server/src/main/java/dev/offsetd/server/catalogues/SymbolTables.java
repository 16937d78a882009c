package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The symbol blobs of all builds, beside their catalogues. */
@Component
public class SymbolTables {

    private final JdbcClient jdbc;

    SymbolTables(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Stores a build's symbols in place of any that it has; part of the caller's transaction. */
    public void store(BuildId id, byte[] blob) {
        jdbc.sql("""
                        insert into symbol_tables (build_id, bytes, blob) values (:id, :bytes, :blob)
                        on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob
                        """)
                .param("id", id.toBytes())
                .param("bytes", blob.length)
                .param("blob", blob)
                .update();
    }
}
