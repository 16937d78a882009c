package dev.offsetd.server.catalogues;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** How much room the types and symbols of all builds take in the database. */
@Component
public class StoredBytes {

    private final JdbcClient jdbc;

    StoredBytes(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Bytes on the database's disk, indexes and free room in the files included. No row is read for them.
     *
     * @param catalogues of the types
     * @param symbols of the symbol tables
     */
    public record Sizes(long catalogues, long symbols) {}

    /** How much it is now. */
    public Sizes sizes() {
        return jdbc.sql("""
                        select pg_total_relation_size('catalogues') as catalogues,
                            pg_total_relation_size('symbol_tables') as symbols
                        """)
                .query((row, number) -> new Sizes(row.getLong("catalogues"), row.getLong("symbols")))
                .single();
    }
}
