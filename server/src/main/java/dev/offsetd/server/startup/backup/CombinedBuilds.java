package dev.offsetd.server.startup.backup;

import java.sql.Connection;
import java.sql.SQLException;

/**
 * Backups in which a row of {@code builds} includes the debug file that has a row in {@code debug_files} now. They are loaded
 * into a table with both sets of columns, which is then split.
 */
final class CombinedBuilds {

    private CombinedBuilds() {}

    /** Returns whether a backup has such builds. The format version does not tell: backups of version 2 may or may not. */
    static boolean in(BackupManifest manifest) {
        return manifest.tables().stream()
                .anyMatch(table ->
                        table.name().equals("builds") && table.columns().contains("file_sha256"));
    }

    /** Adds the columns of the file to the builds of a schema. */
    static void widen(Connection connection, String schema) throws SQLException {
        Schema.execute(connection, """
                alter table %s.builds
                    add extractor_version integer, add symbols_extractor_version integer,
                    add symbols_read_at timestamptz, add symbol_count integer,
                    add origin text, add upstream text, add file_sha256 bytea, add file_bytes bigint, add verified text,
                    add fetched_bytes bigint not null default 0, add machine text, add bits smallint, add byte_order text,
                    add supplementary_build_id bytea, add supplementary_upstream text,
                    add supplementary_sha256 bytea, add supplementary_bytes bigint,
                    add upload_token uuid, add upload_label text, add debug_format text, add debug_info_bytes bigint
                """.formatted(Schema.name(schema)));
    }

    /**
     * Moves the columns of the file out of the builds of a schema. They were valid while the build was extracted, or while
     * its symbols were stored; other rows may have outdated values.
     */
    static void split(Connection connection, String schema) throws SQLException {
        String quoted = Schema.name(schema);
        Schema.execute(connection, """
                insert into %s.debug_files (build_id, extractor_version, read_at, symbol_count, origin, upstream, sha256,
                    bytes, verified, fetched_bytes, machine, bits, byte_order, supplementary_build_id,
                    supplementary_upstream, supplementary_sha256, supplementary_bytes, upload_token, upload_label,
                    debug_format, debug_info_bytes)
                select build_id,
                    case when state = 'extracted' then extractor_version else symbols_extractor_version end,
                    case when state = 'extracted' then settled_at else symbols_read_at end,
                    case when state <> 'extracted' then symbol_count end,
                    origin, upstream, file_sha256,
                    file_bytes, verified, fetched_bytes, machine, bits, byte_order, supplementary_build_id,
                    supplementary_upstream, supplementary_sha256, supplementary_bytes, upload_token, upload_label,
                    debug_format, debug_info_bytes
                from %s.builds where state = 'extracted' or symbols_read_at is not null
                """.formatted(quoted, quoted));
        Schema.execute(connection, """
                update %s.builds set problem_extractor_version = extractor_version
                where state <> 'extracted' and extractor_version is not null
                """.formatted(quoted));
        Schema.execute(connection, """
                alter table %s.builds
                    drop extractor_version, drop symbols_extractor_version, drop symbols_read_at, drop symbol_count,
                    drop origin, drop upstream, drop file_sha256, drop file_bytes, drop verified, drop fetched_bytes,
                    drop machine, drop bits, drop byte_order, drop supplementary_build_id, drop supplementary_upstream,
                    drop supplementary_sha256, drop supplementary_bytes, drop upload_token, drop upload_label,
                    drop debug_format, drop debug_info_bytes
                """.formatted(quoted));
    }
}
