package dev.offsetd.server.database;

import org.flywaydb.core.Flyway;
import org.springframework.boot.flyway.autoconfigure.FlywayMigrationStrategy;
import org.springframework.stereotype.Component;

/** Migrates the database at the start of a server or command, unless it was set up before the baseline. */
@Component
public final class BaselineMigration implements FlywayMigrationStrategy {

    @Override
    public void migrate(Flyway flyway) {
        if (SchemaBaseline.hasEarlierSchema(flyway)) {
            throw new SchemaBaselineException();
        }
        flyway.migrate();
    }

    /** Thrown when the database was set up before the {@linkplain SchemaBaseline baseline}. */
    public static final class SchemaBaselineException extends RuntimeException {

        SchemaBaselineException() {
            super(SchemaBaseline.REFUSAL);
        }
    }
}
