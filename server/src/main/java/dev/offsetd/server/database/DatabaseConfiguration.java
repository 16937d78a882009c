package dev.offsetd.server.database;

import java.io.IOException;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.jdbc.autoconfigure.DataSourceProperties;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/**
 * Provides the configured database, or starts the embedded PostgreSQL. The bean decides, not a condition, because the build
 * evaluates conditions: docs/rationale/startup.md.
 */
@Configuration(proxyBeanMethods = false)
class DatabaseConfiguration {

    /** The connection pool and Flyway depend on this bean, so PostgreSQL is stopped after them. */
    @Bean
    JdbcConnectionDetails serverDatabase(
            DataSourceProperties configured,
            @Value("${spring.datasource.url:embedded}") String url,
            @Value("${offsetd.data-dir}") Path folder,
            ApplicationEventPublisher events)
            throws IOException {
        if (!url.equals("embedded")) {
            return new ConfiguredDatabase(configured);
        }
        EmbeddedDatabase database = EmbeddedDatabase.start(folder);
        database.supervise(() -> events.publishEvent(new DatabaseLostEvent()));
        return database;
    }

    private record ConfiguredDatabase(DataSourceProperties properties) implements JdbcConnectionDetails {

        @Override
        public String getJdbcUrl() {
            return properties.determineUrl();
        }

        @Override
        public @Nullable String getUsername() {
            return properties.determineUsername();
        }

        @Override
        public @Nullable String getPassword() {
            return properties.determinePassword();
        }

        @Override
        public String getDriverClassName() {
            return properties.determineDriverClassName();
        }
    }
}
