package dev.offsetd.server.builds.demand;

import dev.offsetd.extractor.builds.BuildId;
import dev.offsetd.server.operations.Word;
import dev.offsetd.server.web.CreationPosition;
import dev.offsetd.server.web.ListQuery;
import java.nio.ByteBuffer;
import java.time.Instant;
import java.util.Arrays;

public enum DemandOrder implements Word {
    /** Most requests first. */
    COUNT(
            "asked desc, last_asked desc, build_id",
            "(asked, last_asked) <= (:asked, :lastAsked) and ((asked, last_asked) < (:asked, :lastAsked) or build_id > :id)"),
    /** Latest request first. */
    LAST_ASKED("last_asked desc, build_id", "last_asked <= :lastAsked and (last_asked < :lastAsked or build_id > :id)");

    private final String columns;
    private final String positionAfter;

    DemandOrder(String columns, String positionAfter) {
        this.columns = columns;
        this.positionAfter = positionAfter;
    }

    String columns() {
        return columns;
    }

    /** Returns the SQL condition of rows after the one with {@code :asked}, {@code :lastAsked} and {@code :id}. */
    String positionAfter() {
        return positionAfter;
    }

    /** Returns the letter of lists in this order, for cursors. */
    public char letter() {
        return switch (this) {
            case COUNT -> 'c';
            case LAST_ASKED -> 'l';
        };
    }

    /** Returns the position of a count in lists of either order, for a cursor. */
    public static byte[] position(DemandCount count) {
        byte[] id = count.id().toBytes();
        return ByteBuffer.allocate(2 * Long.BYTES + id.length)
                .putLong(count.asked())
                .putLong(CreationPosition.micros(count.lastAsked()))
                .put(id)
                .array();
    }

    /**
     * Parses {@link #position}. The result has only the values that orders use.
     *
     * @throws dev.offsetd.server.web.ProblemException if the bytes are invalid: 400
     */
    public static DemandCount countAt(byte[] position) {
        if (position.length < 2 * Long.BYTES) {
            throw ListQuery.badCursor();
        }
        ByteBuffer in = ByteBuffer.wrap(position);
        long asked = in.getLong();
        Instant lastAsked = CreationPosition.time(in.getLong());
        BuildId id = ListQuery.buildAt(Arrays.copyOfRange(position, 2 * Long.BYTES, position.length));
        return new DemandCount(id, asked, lastAsked, lastAsked, "");
    }
}
