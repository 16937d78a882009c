package dev.offsetd.server.database;

import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** What the database tells of itself. */
@Component
public class DatabaseState {

    private final JdbcClient jdbc;

    DatabaseState(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * The database.
     *
     * @param version of PostgreSQL
     * @param bytes on its disk
     * @param connections of everybody to it
     */
    public record State(String version, long bytes, int connections) {}

    /** How it is now. */
    public State look() {
        return jdbc.sql("""
                        select current_setting('server_version') as version,
                            pg_database_size(current_database()) as bytes,
                            (select numbackends from pg_stat_database where datname = current_database()) as connections
                        """)
                .query((row, number) ->
                        new State(row.getString("version"), row.getLong("bytes"), row.getInt("connections")))
                .single();
    }
}
