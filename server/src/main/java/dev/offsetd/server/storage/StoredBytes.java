package dev.offsetd.server.storage;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Size of the parts of all builds in the database. */
@Component
public class StoredBytes {

    private final JdbcClient jdbc;

    StoredBytes(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Bytes on the database's disk, with indexes and free space in the files. Determined without reading rows. */
    public record Sizes(long catalogues, long symbols, long frames) {}

    public Sizes sizes() {
        return jdbc.sql("""
                        select pg_total_relation_size('catalogues') as catalogues,
                            pg_total_relation_size('symbol_tables') as symbols,
                            pg_total_relation_size('frame_tables') as frames
                        """).query(Sizes.class).single();
    }
}
