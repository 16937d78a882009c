package dev.offsetd.server.startup.backup;

import dev.offsetd.server.database.SchemaBaseline;
import java.time.Instant;
import java.util.List;
import org.flywaydb.core.api.MigrationVersion;

/**
 * Last file of a backup: the expected content.
 *
 * @param tables in loading order
 */
public record BackupManifest(Header header, List<SavedTable> tables) {

    /** Returns the number of rows of all tables. */
    public long rows() {
        return tables.stream().mapToLong(SavedTable::rows).sum();
    }

    /**
     * Table in a backup.
     *
     * @param columns in the order of the values of each row
     * @param chunks number of files
     * @param bytes of all chunks
     * @param sha256 of all chunks in order, in hex
     */
    public record SavedTable(String name, List<String> columns, int chunks, long rows, long bytes, String sha256) {}

    /**
     * First file of a backup.
     *
     * @param format always {@link #FORMAT}
     * @param formatVersion rises with every change that earlier releases cannot read
     * @param product version of the offsetd that took the backup
     * @param schemaVersion newest migration of the database
     * @param postgres version of PostgreSQL
     * @param takenAt time of the snapshot
     * @param catalogues whether the backup includes what was extracted from all debug files, not from uploads only
     */
    public record Header(
            String format,
            int formatVersion,
            String product,
            String schemaVersion,
            String postgres,
            Instant takenAt,
            boolean catalogues) {

        static final String FORMAT = "offsetd backup";
        static final int FORMAT_VERSION = 2;

        /** Format version of backups whose schema version counts the migrations before the baseline. */
        private static final int BEFORE_BASELINE = 1;

        /** Returns whether this build can read the format. */
        boolean formatIsKnown() {
            return formatVersion == FORMAT_VERSION || formatVersion == BEFORE_BASELINE;
        }

        /**
         * Returns the migration whose tables take the rows. With {@link CombinedBuilds#widen}, the tables of the baseline have every
         * column of the earlier schema under the same name, and defaults for the columns that it did not have.
         */
        MigrationVersion loadVersion() {
            return formatVersion == BEFORE_BASELINE
                    ? SchemaBaseline.VERSION
                    : MigrationVersion.fromVersion(schemaVersion);
        }
    }
}
