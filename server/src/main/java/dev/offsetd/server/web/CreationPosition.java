package dev.offsetd.server.web;

import java.nio.ByteBuffer;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Optional;
import java.util.UUID;

/** Where something stands in a list that has the newest first; the id decides between two of one moment. */
public record CreationPosition(Instant createdAt, UUID id) {

    private static final int BYTES = 3 * Long.BYTES;

    /** The place as a {@link Cursor} has it. */
    public byte[] toBytes() {
        return ByteBuffer.allocate(BYTES)
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, createdAt))
                .putLong(id.getMostSignificantBits())
                .putLong(id.getLeastSignificantBits())
                .array();
    }

    /** The place that {@link #toBytes} was asked of; empty if it cannot have been one. */
    public static Optional<CreationPosition> of(byte[] bytes) {
        if (bytes.length != BYTES) {
            return Optional.empty();
        }
        ByteBuffer in = ByteBuffer.wrap(bytes);
        try {
            Instant createdAt = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            // What the database has no room for, it has never handed out.
            return createdAt.isBefore(Instant.EPOCH)
                            || createdAt.atOffset(ZoneOffset.UTC).getYear() > 9999
                    ? Optional.empty()
                    : Optional.of(new CreationPosition(createdAt, new UUID(in.getLong(), in.getLong())));
        } catch (ArithmeticException | DateTimeException e) {
            return Optional.empty();
        }
    }
}
