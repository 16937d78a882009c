package dev.offsetd.server.database;

import java.io.IOException;
import java.nio.file.Path;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.autoconfigure.condition.ConditionalOnProperty;
import org.springframework.boot.jdbc.autoconfigure.JdbcConnectionDetails;
import org.springframework.context.ApplicationEventPublisher;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;

/** Starts the embedded PostgreSQL if no other database is configured. */
@Configuration(proxyBeanMethods = false)
@ConditionalOnProperty(name = "spring.datasource.url", havingValue = "embedded", matchIfMissing = true)
class EmbeddedDatabaseConfiguration {

    @Bean(destroyMethod = "close")
    EmbeddedDatabase embeddedDatabase(@Value("${offsetd.data-dir}") Path folder, ApplicationEventPublisher events)
            throws IOException {
        EmbeddedDatabase database = EmbeddedDatabase.start(folder);
        database.supervise(() -> events.publishEvent(new DatabaseLostEvent()));
        return database;
    }

    /** The connection pool and Flyway depend on this bean, so PostgreSQL is stopped after them. */
    @Bean
    JdbcConnectionDetails jdbcConnectionDetails(EmbeddedDatabase database) {
        return database.connectionDetails();
    }
}
