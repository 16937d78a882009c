package dev.offsetd.server.database;

import java.util.Arrays;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;

/**
 * Distinguishes databases set up by the baseline, the migrations V1 to V12, from those set up by a development build: by an
 * earlier text of the baseline, or by the 26 migrations that it replaced. All of them count from 1, so Flyway by itself would
 * only report checksums that differ.
 */
public final class SchemaBaseline {

    /** Newest migration of the baseline. */
    public static final MigrationVersion VERSION = MigrationVersion.fromVersion("12");

    /** Why a database from before the baseline is refused, and how to move its content. */
    public static final String REFUSAL =
            "the database was set up by a build from before the schema was rewritten, and this"
                    + " build cannot use it; nothing in it was changed. Back it up with the earlier build (./offsetd backup FILE"
                    + " --catalogues), then restore it with this build into an empty database or another data folder (./offsetd"
                    + " restore FILE --data DIR); docs/operations.md has the details";

    private SchemaBaseline() {}

    /** Returns whether the database was set up by other migrations than the baseline. Changes nothing in it. */
    public static boolean hasEarlierSchema(Flyway flyway) {
        return Arrays.stream(flyway.info().applied())
                .filter(migration ->
                        migration.getVersion() != null && migration.getVersion().compareTo(VERSION) <= 0)
                .anyMatch(migration -> !migration.isChecksumMatching());
    }
}
