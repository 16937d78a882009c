package dev.offsetd.server.startup.backup;

import java.util.List;

/**
 * Last file of a backup: the expected content.
 *
 * @param tables in loading order
 */
public record BackupManifest(BackupHeader header, List<SavedTable> tables) {

    /** Returns the number of rows of all tables. */
    public long rows() {
        return tables.stream().mapToLong(SavedTable::rows).sum();
    }
}
