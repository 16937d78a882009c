package dev.offsetd.server.database;

import java.io.IOException;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;

/**
 * Database of the server.
 *
 * @param embedded stopped with this; null if the database was configured
 */
record ServerDatabase(
        String jdbcUrl,
        @Nullable String username,
        @Nullable String password,
        String driverClassName,
        @Nullable EmbeddedDatabase embedded)
        implements JdbcConnectionDetails, AutoCloseable {

    private static final String DRIVER = "org.postgresql.Driver";

    static ServerDatabase of(EmbeddedDatabase embedded) {
        return new ServerDatabase(embedded.jdbcUrl(), embedded.user(), embedded.password(), DRIVER, embedded);
    }

    static ServerDatabase of(DataSourceProperties configured) {
        return new ServerDatabase(
                configured.determineUrl(),
                configured.determineUsername(),
                configured.determinePassword(),
                configured.determineDriverClassName(),
                null);
    }

    @Override
    public String getJdbcUrl() {
        return jdbcUrl;
    }

    @Override
    public @Nullable String getUsername() {
        return username;
    }

    @Override
    public @Nullable String getPassword() {
        return password;
    }

    @Override
    public String getDriverClassName() {
        return driverClassName;
    }

    @Override
    public void close() throws IOException {
        if (embedded != null) {
            embedded.close();
        }
    }
}
