package dev.offsetd.server.demand;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.web.ListQuery;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.time.ZoneOffset;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** In which order demand is read. */
public enum DemandOrder {
    /** What was asked for most often first. */
    COUNT(
            "asked desc, last_asked desc, build_id",
            "(asked, last_asked) <= (:asked, :lastAsked) and ((asked, last_asked) < (:asked, :lastAsked) or build_id > :id)"),
    /** What was asked for last first. */
    LAST_ASKED("last_asked desc, build_id", "last_asked <= :lastAsked and (last_asked < :lastAsked or build_id > :id)");

    private final String columns;
    private final String placeAfter;

    DemandOrder(String columns, String placeAfter) {
        this.columns = columns;
        this.placeAfter = placeAfter;
    }

    /** What to order by, in SQL. */
    String columns() {
        return columns;
    }

    /** The condition, in SQL, of rows behind the one with {@code :asked}, {@code :lastAsked} and {@code :id}. */
    String placeAfter() {
        return placeAfter;
    }

    /** As a query parameter spells it. */
    public String word() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** The order with this word; empty if there is none. */
    public static Optional<DemandOrder> ofWord(String word) {
        for (DemandOrder order : values()) {
            if (order.word().equals(word)) {
                return Optional.of(order);
            }
        }
        return Optional.empty();
    }

    /** The letter of lists in this order, for a cursor. */
    public char letter() {
        return switch (this) {
            case COUNT -> 'c';
            case LAST_ASKED -> 'l';
        };
    }

    /** The place of a count in lists of either order, for a cursor. */
    public static byte[] place(Count count) {
        byte[] id = count.id().toBytes();
        return ByteBuffer.allocate(2 * Long.BYTES + id.length)
                .putLong(count.asked())
                .putLong(ChronoUnit.MICROS.between(Instant.EPOCH, count.lastAsked()))
                .put(id)
                .array();
    }

    /**
     * The count that {@link #place(Count)} was given, with what orders need of it.
     *
     * @throws dev.offsetd.server.web.ProblemException if these bytes are no place: 400
     */
    public static Count place(byte[] place) {
        int idLength = place.length - 2 * Long.BYTES;
        if (idLength < BuildId.MIN_BYTES || idLength > BuildId.MAX_BYTES) {
            throw ListQuery.badCursor();
        }
        ByteBuffer in = ByteBuffer.wrap(place);
        long asked = in.getLong();
        Instant lastAsked;
        try {
            lastAsked = Instant.EPOCH.plus(in.getLong(), ChronoUnit.MICROS);
            // What the database has no room for, it has never handed out.
            if (lastAsked.isBefore(Instant.EPOCH)
                    || lastAsked.atOffset(ZoneOffset.UTC).getYear() > 9999) {
                throw ListQuery.badCursor();
            }
        } catch (ArithmeticException e) {
            throw ListQuery.badCursor();
        }
        BuildId id = BuildId.of(Arrays.copyOfRange(place, 2 * Long.BYTES, place.length));
        return new Count(id, asked, lastAsked, lastAsked, "");
    }
}
