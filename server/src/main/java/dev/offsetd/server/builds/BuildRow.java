package dev.offsetd.server.builds;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.extractor.builds.PartVersions;
import dev.offsetd.extractor.layout.Architecture;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.sources.outcome.BuildState;
import dev.offsetd.server.sources.outcome.Cause;
import dev.offsetd.server.sources.outcome.Failure;
import java.nio.ByteOrder;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import org.jspecify.annotations.Nullable;

public final class BuildRow {

    private BuildRow() {}

    static Build build(BuildId id, ResultSet row, List<SourceOutcome> checked) throws SQLException {
        StoredFile file = DebugFileTable.file(row).orElse(null);
        Integer symbolCount = row.getObject("symbol_count", Integer.class);
        return new Build(
                id,
                Word.of(BuildState.class, row.getString("state")),
                row.getBoolean("running"),
                row.getBoolean("paused"),
                row.getBoolean("shared"),
                row.getLong("generation"),
                symbolCount == null ? file : null,
                symbolCount == null || file == null ? null : new SymbolsOnly(file, symbolCount),
                claimedName(row),
                failure(row, "problem_code", "problem_detail", "problem_section", "problem_offset"),
                file != null && symbolCount == null
                        ? file.versions()
                        : new PartVersions(
                                row.getInt("problem_extractor_version"),
                                (file == null ? PartVersions.CURRENT : file.versions()).symbols()),
                duration(row.getDouble("retry_seconds")),
                row.getLong("settled_attempt"),
                checked);
    }

    /** Returns the claim in the columns {@code claimed_name} and {@code claimed_by}. */
    public static @Nullable ClaimedName claimedName(ResultSet row) throws SQLException {
        String name = row.getString("claimed_name");
        return name == null ? null : new ClaimedName(name, Word.of(ClaimedName.By.class, row.getString("claimed_by")));
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

    /** Returns the architecture in the columns {@code machine}, {@code bits} and {@code byte_order}. */
    public static Architecture architecture(ResultSet row) throws SQLException {
        return new Architecture(
                row.getString("machine"),
                row.getInt("bits"),
                row.getString("byte_order").equals("little") ? ByteOrder.LITTLE_ENDIAN : ByteOrder.BIG_ENDIAN);
    }

    /** Rounds up to whole milliseconds. */
    static Duration duration(double seconds) {
        return seconds <= 0 ? Duration.ZERO : Duration.ofMillis((long) Math.ceil(seconds * 1000));
    }
}
