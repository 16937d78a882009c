package dev.offsetd.server.database;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** How long a silent database is waited for. */
@Configuration(proxyBeanMethods = false)
class DatabaseTimeoutsConfiguration {

    @Bean
    JdbcTemplate jdbcTemplate(
            HikariDataSource pool, @Value("${offsetd.database.request-timeout:1500ms}") Duration requestTimeout) {
        return new RequestJdbcTemplate(pool, requestTimeout);
    }

    /** A migration of a large table takes as long as it takes, and is not cut off by the pool's timeouts. */
    @Bean
    FlywayConfigurationCustomizer migrationsWithoutTimeout() {
        return flyway -> {
            if (flyway.getDataSource() instanceof HikariDataSource pool) {
                flyway.dataSource(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword());
            }
        };
    }
}
