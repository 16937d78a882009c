package dev.offsetd.server.catalogues;

import dev.offsetd.extractor.layout.BuildId;
import org.springframework.jdbc.core.simple.JdbcClient;

/** A table that has one blob for each build. */
final class BlobTable {

    private final JdbcClient jdbc;
    private final String upsert;

    /** @param name of the table; never from outside */
    BlobTable(JdbcClient jdbc, String name) {
        this.jdbc = jdbc;
        this.upsert = "insert into " + name + """
                 (build_id, bytes, blob) values (:id, :bytes, :blob)
                on conflict (build_id) do update set bytes = excluded.bytes, blob = excluded.blob
                """;
    }

    /** Stores a build's blob in place of any that it has; part of the caller's transaction. */
    void store(BuildId id, byte[] blob) {
        jdbc.sql(upsert)
                .param("id", id.toBytes())
                .param("bytes", blob.length)
                .param("blob", blob)
                .update();
    }
}
