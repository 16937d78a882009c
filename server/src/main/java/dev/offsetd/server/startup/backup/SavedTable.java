package dev.offsetd.server.startup.backup;

import java.util.List;

/**
 * Table in a backup.
 *
 * @param columns in the order of the values of each row
 * @param chunks number of files
 * @param bytes of all chunks
 * @param sha256 of all chunks in order, in hex
 */
public record SavedTable(String name, List<String> columns, int chunks, long rows, long bytes, String sha256) {}
