package dev.offsetd.server.backup;

import java.util.List;

/**
 * What a backup has to hold; its last file.
 *
 * @param tables in the order in which they are loaded
 */
public record BackupManifest(BackupHeader header, List<SavedTable> tables) {

    /** Rows of all tables. */
    public long rows() {
        return tables.stream().mapToLong(SavedTable::rows).sum();
    }
}
