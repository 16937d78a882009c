package dev.offsetd.server.backup;

import java.util.List;

/**
 * A table in a backup.
 *
 * @param columns in the order of the values in each row
 * @param chunks files that the rows are spread over
 * @param bytes of all its chunks
 * @param sha256 of its chunks one after the other, in hex
 */
public record SavedTable(String name, List<String> columns, int chunks, long rows, long bytes, String sha256) {}
