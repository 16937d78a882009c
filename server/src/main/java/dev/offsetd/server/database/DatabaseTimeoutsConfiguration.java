package dev.offsetd.server.database;

import com.zaxxer.hikari.HikariDataSource;
import java.time.Duration;
import org.springframework.beans.factory.annotation.Value;
import org.springframework.boot.flyway.autoconfigure.FlywayConfigurationCustomizer;
import org.springframework.context.annotation.Bean;
import org.springframework.context.annotation.Configuration;
import org.springframework.jdbc.core.JdbcTemplate;

/** Timeouts of statements. */
@Configuration(proxyBeanMethods = false)
class DatabaseTimeoutsConfiguration {

    @Bean
    JdbcTemplate jdbcTemplate(
            HikariDataSource pool, @Value("${offsetd.database.request-timeout:1500ms}") Duration requestTimeout) {
        return new RequestJdbcTemplate(pool, requestTimeout);
    }

    /** Migrations bypass the pool and its timeouts, because large tables take long. */
    @Bean
    FlywayConfigurationCustomizer migrationsWithoutTimeout() {
        return flyway -> {
            if (flyway.getDataSource() instanceof HikariDataSource pool) {
                flyway.dataSource(pool.getJdbcUrl(), pool.getUsername(), pool.getPassword());
            }
        };
    }
}
