package dev.offsetd.server.prewarms;

import dev.offsetd.server.web.ListQuery;
import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Where a batch stands among all, the newest first. */
public record PrewarmPlace(Instant createdAt, UUID id) {

    /** The list's letter in cursors. */
    public static final char LIST = 'w';

    private static final int BYTES = 3 * Long.BYTES;

    /** The place as a cursor has it. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt))
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    /**
     * The place that {@link #toBytes} was asked of.
     *
     * @throws dev.offsetd.server.web.ProblemException if it cannot have been one: 400
     */
    public static PrewarmPlace of(byte[] bytes) {
        if (bytes.length != BYTES) {
            throw ListQuery.badCursor();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            Instant createdAt = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            // What the database has no room for, it has never handed out.
            if (createdAt.isBefore(Instant.EPOCH)
                    || createdAt.atOffset(ZoneOffset.UTC).getYear() > 9999) {
                throw ListQuery.badCursor();
            }
            return new PrewarmPlace(createdAt, new UUID(in.getLong(), in.getLong()));
        } catch (ArithmeticException | DateTimeException e) {
            throw ListQuery.badCursor();
        }
    }
}
