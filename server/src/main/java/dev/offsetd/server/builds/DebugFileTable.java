package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.sources.outcome.Origin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.ZoneOffset;
import java.util.HexFormat;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The debug file that the stored types and symbols of each build were read from. Writes are part of the caller's transaction. */
@Component
class DebugFileTable {

    private static final String DWARF = "dwarf";
    private static final String BTF = "btf";

    private final JdbcClient jdbc;

    DebugFileTable(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /**
     * Replaces the file of a build.
     *
     * @param symbolCount number of symbols if they alone are stored; null if types are stored, too
     */
    void store(BuildId id, StoredFile file, @Nullable Integer symbolCount) {
        StoredFile.Supplementary supplementary = file.supplementary();
        Upload upload = file.upload();
        // Symbols come with no debug information.
        Upload withTypes = symbolCount == null ? upload : null;
        jdbc.sql("""
                        insert into debug_files (build_id, origin, upstream, sha256, bytes, verified, fetched_bytes, machine,
                            bits, byte_order, extractor_version, symbols_version, read_at, symbol_count, supplementary_build_id,
                            supplementary_upstream, supplementary_sha256, supplementary_bytes, upload_token, upload_label,
                            debug_format, debug_info_bytes, has_lines, ima_signature)
                        values (:id, :origin, :upstream, :sha256, :bytes, :verified, :fetchedBytes, :machine,
                            :bits, :byteOrder, :typesVersion, :symbolsVersion, :readAt, :symbolCount, :supplementaryId,
                            :supplementaryUpstream, :supplementarySha256, :supplementaryBytes, :token, :label,
                            :debugFormat, :debugInfoBytes, :lines, :imaSignature)
                        on conflict (build_id) do update set origin = excluded.origin, upstream = excluded.upstream,
                            sha256 = excluded.sha256, bytes = excluded.bytes, verified = excluded.verified,
                            fetched_bytes = excluded.fetched_bytes, machine = excluded.machine, bits = excluded.bits,
                            byte_order = excluded.byte_order, extractor_version = excluded.extractor_version,
                            symbols_version = excluded.symbols_version,
                            read_at = excluded.read_at, symbol_count = excluded.symbol_count,
                            supplementary_build_id = excluded.supplementary_build_id,
                            supplementary_upstream = excluded.supplementary_upstream,
                            supplementary_sha256 = excluded.supplementary_sha256,
                            supplementary_bytes = excluded.supplementary_bytes, upload_token = excluded.upload_token,
                            upload_label = excluded.upload_label, debug_format = excluded.debug_format,
                            debug_info_bytes = excluded.debug_info_bytes, has_lines = excluded.has_lines,
                            ima_signature = excluded.ima_signature
                        """)
                .param("id", id.toBytes())
                .param("origin", file.origin().word())
                .param("upstream", file.upstream())
                .param("sha256", HexFormat.of().parseHex(file.sha256()))
                .param("bytes", file.bytes())
                .param("verified", file.verified())
                .param("fetchedBytes", file.fetchedBytes())
                .param("machine", file.architecture().machine())
                .param("bits", file.architecture().bits())
                .param("byteOrder", file.architecture().byteOrderName())
                .param("typesVersion", file.versions().types())
                .param("symbolsVersion", file.versions().symbols())
                .param("readAt", file.extractedAt().atOffset(ZoneOffset.UTC))
                .param("symbolCount", symbolCount)
                .param(
                        "supplementaryId",
                        supplementary == null ? null : supplementary.buildId().toBytes())
                .param("supplementaryUpstream", supplementary == null ? null : supplementary.upstream())
                .param(
                        "supplementarySha256",
                        supplementary == null ? null : HexFormat.of().parseHex(supplementary.sha256()))
                .param("supplementaryBytes", supplementary == null ? null : supplementary.bytes())
                .param("token", upload == null ? null : upload.token())
                .param("label", upload == null ? null : upload.label())
                .param("debugFormat", withTypes == null ? null : withTypes.dwarf() ? DWARF : BTF)
                .param("imaSignature", file.imaSignature())
                .param("lines", withTypes == null ? null : withTypes.lines())
                .param("debugInfoBytes", withTypes == null ? null : withTypes.debugInfoBytes())
                .update();
    }

    /** Deletes the file of a build, because nothing of it is stored any more. */
    void delete(BuildId id) {
        jdbc.sql("delete from debug_files where build_id = :id")
                .param("id", id.toBytes())
                .update();
    }

    /** Returns the file of a row that may have none. */
    static Optional<StoredFile> file(ResultSet row) throws SQLException {
        String origin = row.getString("origin");
        if (origin == null) {
            return Optional.empty();
        }
        return Optional.of(new StoredFile(
                BuildRow.architecture(row),
                Origin.ofWord(origin),
                row.getString("upstream"),
                HexFormat.of().formatHex(row.getBytes("sha256")),
                row.getLong("bytes"),
                row.getString("verified"),
                versions(row),
                Rows.instant(row, "read_at"),
                row.getLong("fetched_bytes"),
                supplementary(row),
                Origin.ofWord(origin).isUpload() ? upload(row) : null,
                row.getString("ima_signature")));
    }

    private static PartVersions versions(ResultSet row) throws SQLException {
        int types = row.getInt("extractor_version");
        int symbols = row.getInt("symbols_version");
        return new PartVersions(types, row.wasNull() ? types : symbols);
    }

    private static Upload upload(ResultSet row) throws SQLException {
        return new Upload(
                row.getObject("upload_token", UUID.class),
                row.getString("upload_label"),
                DWARF.equals(row.getString("debug_format")),
                row.getLong("debug_info_bytes"),
                row.getObject("has_lines", Boolean.class));
    }

    private static StoredFile.@Nullable Supplementary supplementary(ResultSet row) throws SQLException {
        byte[] id = row.getBytes("supplementary_build_id");
        return id == null
                ? null
                : new StoredFile.Supplementary(
                        BuildId.of(id),
                        row.getString("supplementary_upstream"),
                        HexFormat.of().formatHex(row.getBytes("supplementary_sha256")),
                        row.getLong("supplementary_bytes"));
    }
}
