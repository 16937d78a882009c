package dev.offsetd.server.backup;

import java.time.Instant;

/**
 * What a backup says of itself before its tables.
 *
 * @param format always {@link #FORMAT}
 * @param formatVersion rises with every change that earlier releases could not read
 * @param product version of the offsetd that took it
 * @param schemaVersion newest migration of the database that it was taken from
 * @param postgres version of PostgreSQL that it was taken from
 * @param takenAt time of the snapshot
 * @param catalogues whether it has what was extracted from debug files
 */
public record BackupHeader(
        String format,
        int formatVersion,
        String product,
        String schemaVersion,
        String postgres,
        Instant takenAt,
        boolean catalogues) {

    static final String FORMAT = "offsetd backup";
    static final int FORMAT_VERSION = 1;
}
