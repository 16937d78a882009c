package dev.offsetd.server.operations;

import dev.offsetd.extractor.builds.BuildId;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.time.OffsetDateTime;
import java.util.Collection;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Values of rows, and values that statements take. Spring's mapping of rows to records asks the driver for each type first, which
 * refuses build-ids, instants and lists by an exception each: rows with these took 16 times as long.
 */
public final class Rows {

    private Rows() {}

    /** Returns the build-id in the first column; a row mapper. */
    public static BuildId id(ResultSet row, int number) throws SQLException {
        return BuildId.of(row.getBytes(1));
    }

    /** Returns the value of an array of build-ids. */
    public static byte[][] ids(Collection<BuildId> ids) {
        return ids.stream().map(BuildId::toBytes).toArray(byte[][]::new);
    }

    public static Instant instant(ResultSet row, String column) throws SQLException {
        return row.getObject(column, OffsetDateTime.class).toInstant();
    }

    public static @Nullable Instant instantOrNull(ResultSet row, String column) throws SQLException {
        OffsetDateTime time = row.getObject(column, OffsetDateTime.class);
        return time == null ? null : time.toInstant();
    }

    public static List<String> texts(ResultSet row, String column) throws SQLException {
        return List.of((String[]) row.getArray(column).getArray());
    }

    /** Returns a number for {@code interval '1 second'}. */
    public static double seconds(Duration duration) {
        return duration.toMillis() / 1000.0;
    }
}
