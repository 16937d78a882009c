package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Rows;
import dev.offsetd.server.sources.outcome.Origin;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.HexFormat;
import java.util.List;
import java.util.UUID;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Component;

/** The most recent conflicting files of each build. */
@Component
public class ConflictingFiles {

    /** Bounds what a client with permission to upload can add. */
    static final int MAX_PER_BUILD = 16;

    private final JdbcClient jdbc;

    ConflictingFiles(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** Returns the conflicts of a build, the most recent first. */
    public List<ConflictingFile> of(BuildId id) {
        return jdbc.sql("select * from build_conflicts where build_id = :id order by seen_at desc, file_sha256")
                .param("id", id.toBytes())
                .query((row, number) -> conflict(row))
                .list();
    }

    /** Records a file, or updates its record. Part of the caller's transaction. */
    public void record(BuildId id, ConflictingFile conflict) {
        jdbc.sql("""
                        insert into build_conflicts (build_id, file_sha256, origin, source, upload_token, upload_label,
                            file_bytes, machine, bits, byte_order, layouts_differ)
                        values (:id, :sha256, :origin, :source, :token, :label, :bytes, :machine, :width, :byteOrder,
                            :layoutsDiffer)
                        on conflict (build_id, file_sha256) do update
                            set origin = excluded.origin, source = excluded.source,
                                upload_token = excluded.upload_token, upload_label = excluded.upload_label,
                                layouts_differ = excluded.layouts_differ, seen_at = now()
                        """)
                .param("id", id.toBytes())
                .param("sha256", HexFormat.of().parseHex(conflict.sha256()))
                .param("origin", conflict.origin().word())
                .param("source", conflict.source())
                .param("token", conflict.token())
                .param("label", conflict.label())
                .param("bytes", conflict.bytes())
                .param("machine", conflict.architecture().machine())
                .param("width", conflict.architecture().bits())
                .param("byteOrder", conflict.architecture().byteOrderName())
                .param("layoutsDiffer", conflict.layoutsDiffer())
                .update();
        jdbc.sql("""
                        delete from build_conflicts where build_id = :id and file_sha256 in (
                            select file_sha256 from build_conflicts where build_id = :id
                            order by seen_at desc, file_sha256 offset :max)
                        """).param("id", id.toBytes()).param("max", MAX_PER_BUILD).update();
    }

    /** Deletes the record of a file that answers now. Part of the caller's transaction. */
    void delete(BuildId id, String sha256) {
        jdbc.sql("delete from build_conflicts where build_id = :id and file_sha256 = :sha256")
                .param("id", id.toBytes())
                .param("sha256", HexFormat.of().parseHex(sha256))
                .update();
    }

    private static ConflictingFile conflict(ResultSet row) throws SQLException {
        return new ConflictingFile(
                HexFormat.of().formatHex(row.getBytes("file_sha256")),
                Origin.ofWord(row.getString("origin")),
                row.getString("source"),
                row.getObject("upload_token", UUID.class),
                row.getString("upload_label"),
                row.getLong("file_bytes"),
                BuildRow.architecture(row),
                row.getObject("layouts_differ", Boolean.class),
                Rows.instant(row, "seen_at"));
    }
}
