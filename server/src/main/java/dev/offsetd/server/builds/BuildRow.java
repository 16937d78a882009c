package dev.offsetd.server.builds;

import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.outcome.BuildState;
import dev.offsetd.server.outcome.Cause;
import dev.offsetd.server.outcome.Failure;
import dev.offsetd.server.outcome.Origin;
import java.nio.ByteOrder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/** Reads builds from rows of the table. */
final class BuildRow {

    static final String DWARF = "dwarf";
    static final String BTF = "btf";

    private BuildRow() {}

    static Build build(BuildId id, ResultSet row, List<SourceOutcome> checked) throws SQLException {
        BuildState state = BuildState.ofWord(row.getString("state"));
        return new Build(
                id,
                state,
                row.getBoolean("running"),
                row.getLong("generation"),
                state == BuildState.EXTRACTED
                        ? Optional.of(file(row, "extractor_version", "settled_at"))
                        : Optional.empty(),
                state == BuildState.EXTRACTED || row.getObject("symbols_read_at") == null
                        ? Optional.empty()
                        : Optional.of(new SymbolsOnly(
                                file(row, "symbols_extractor_version", "symbols_read_at"), row.getInt("symbol_count"))),
                Optional.ofNullable(
                        failure(row, "problem_code", "problem_detail", "problem_section", "problem_offset")),
                row.getInt("extractor_version"),
                duration(row.getDouble("retry_seconds")),
                row.getLong("settled_attempt"),
                checked);
    }

    private static StoredFile file(ResultSet row, String extractor, String extractedAt) throws SQLException {
        return new StoredFile(
                new Architecture(
                        row.getString("machine"),
                        row.getInt("bits"),
                        row.getString("byte_order").equals("little") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN),
                Origin.ofWord(row.getString("origin")),
                row.getString("upstream"),
                HexFormat.of().formatHex(row.getBytes("file_sha256")),
                row.getLong("file_bytes"),
                row.getString("verified"),
                row.getInt(extractor),
                instant(row, extractedAt),
                row.getLong("fetched_bytes"),
                supplementary(row),
                upload(row));
    }

    private static @Nullable Upload upload(ResultSet row) throws SQLException {
        return Origin.ofWord(row.getString("origin")) == Origin.UPLOAD
                ? new Upload(
                        row.getObject("upload_token", UUID.class),
                        row.getString("upload_label"),
                        DWARF.equals(row.getString("debug_format")),
                        row.getLong("debug_info_bytes"))
                : null;
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

    static @Nullable Failure failure(ResultSet row, String code, String detail, String section, String offset)
            throws SQLException {
        String name = row.getString(code);
        return name == null
                ? null
                : new Failure(
                        Cause.ofCode(name),
                        row.getString(detail),
                        row.getString(section),
                        row.getObject(offset, Long.class));
    }

    static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    /** Rounds up to whole milliseconds. */
    static Duration duration(double seconds) {
        return seconds <= 0 ? Duration.ZERO : Duration.ofMillis((long) Math.ceil(seconds * 1000));
    }

    static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }

    static byte[][] bytes(Collection<BuildId> ids) {
        return ids.stream().map(BuildId::toBytes).toArray(byte[][]::new);
    }
}
