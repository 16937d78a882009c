package dev.offsetd.server.database;

import java.util.Arrays;
import org.flywaydb.core.Flyway;
import org.flywaydb.core.api.MigrationVersion;

/**
 * Distinguishes databases set up by the baseline, the migrations V1 to V12, from those set up by the 26 migrations that it
 * replaced. Both count from 1, so Flyway by itself would only report checksums that differ.
 */
public final class SchemaBaseline {

    /** Newest migration of the baseline. */
    public static final MigrationVersion VERSION = MigrationVersion.fromVersion("12");

    /** Why a database from before the baseline is refused, and how to move its content. */
    public static final String REFUSAL =
            "the database was set up by a build from before the schema was rewritten, and this"
                    + " build cannot use it; nothing in it was changed. Back it up with the earlier build (./offsetd backup FILE"
                    + " --catalogues), then restore it with this build into an empty database or another data folder (./offsetd"
                    + " restore FILE --data DIR); docs/upgrading.md has the details";

    /** Second of the replaced migrations. The baseline has no file of this name. */
    private static final String REPLACED = "V2__extraction_lease.sql";

    private SchemaBaseline() {}

    /** Returns whether the database was set up before the baseline. Changes nothing in it. */
    public static boolean hasEarlierSchema(Flyway flyway) {
        return Arrays.stream(flyway.info().applied())
                .anyMatch(migration -> migration.getScript().equals(REPLACED));
    }
}
