package dev.offsetd.server.web;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/** Position in a list sorted by creation time, newest first; the id breaks ties. */
public record CreationPosition(Instant createdAt, UUID id) {

    private static final int BYTES = 3 * Long.BYTES;

    /** Returns the position as stored in a {@link Cursor}. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt))
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    /** Parses {@link #toBytes}; empty if the bytes are invalid. */
    public static Optional<CreationPosition> of(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            Instant createdAt = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            // Outside the range of timestamps, so not from a cursor.
            return createdAt.isBefore(Instant.EPOCH)
                            || createdAt.atOffset(ZoneOffset.UTC).getYear() > 9999
                    ? Optional.empty()
                    : Optional.of(new CreationPosition(createdAt, new UUID(in.getLong(), in.getLong())));
        } catch (ArithmeticException | DateTimeException e) {
            return Optional.empty();
        }
    }
}
