package dev.offsetd.server.database;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** Version, size and connections of the database. */
@Component
public class DatabaseState {

    private final JdbcClient jdbc;

    DatabaseState(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Current state.
     *
     * @param version of PostgreSQL
     * @param bytes on disk
     * @param connections of all clients
     */
    public record Snapshot(String version, long bytes, int connections) {}

    public Snapshot look() {
        return jdbc.sql("""
                        select current_setting('server_version') as version,
                            pg_database_size(current_database()) as bytes,
                            (select numbackends from pg_stat_database where datname = current_database()) as connections
                        """).query(Snapshot.class).single();
    }
}
