package dev.offsetd.server.web;

import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.UUID;

/** Position in a list sorted by creation time; the id breaks ties. */
public record CreationPosition(Instant createdAt, UUID id) {

    /** Before everything that was ever created, for lists whose oldest entry is first. */
    public static final CreationPosition START = new CreationPosition(Instant.EPOCH, new UUID(0, 0));

    /** After everything that is ever created, for lists whose newest entry is first. */
    public static final CreationPosition END =
            new CreationPosition(Instant.parse("9999-12-31T23:59:59Z"), new UUID(-1, -1));

    static final int NUMBERS = 3;

    /** Returns the position as stored in a cursor. */
    public byte[] toBytes() {
        return ListQuery.position(micros(createdAt), id.getMostSignificantBits(), id.getLeastSignificantBits());
    }

    /** Returns the position that {@link #toBytes} stored; 400 if the time is invalid. */
    static CreationPosition of(long[] numbers) {
        return new CreationPosition(time(numbers[0]), new UUID(numbers[1], numbers[2]));
    }

    /** Returns a time as positions in lists store it. */
    public static long micros(Instant time) {
        return ChronoUnit.MICROS.between(Instant.EPOCH, time);
    }

    /** Parses {@link #micros}; 400 if the time is not from a cursor. */
    public static Instant time(long micros) {
        Instant time = Instant.EPOCH.plus(micros, ChronoUnit.MICROS);
        if (!isStorable(time)) {
            throw ListQuery.badCursor();
        }
        return time;
    }

    /** Returns whether PostgreSQL can represent a time. */
    public static boolean isStorable(Instant time) {
        return !time.isBefore(Instant.EPOCH) && time.atOffset(ZoneOffset.UTC).getYear() <= 9999;
    }
}
