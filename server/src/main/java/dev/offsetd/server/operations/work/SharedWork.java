package dev.offsetd.server.operations.work;

import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** A kind of work that all servers share. */
public interface SharedWork {

    /** The piece of work that has only one, which is never done. */
    String ONLY = "recurring";

    /** Returns its name in the database. */
    String name();

    /** Returns the table of its pieces. */
    String table();

    /** Returns how many pieces a server works on at a time. */
    int maxConcurrent();

    /** Returns the pieces that every start of a server adds, if they are missing. */
    default List<String> permanent() {
        return List.of();
    }

    /**
     * Works on a piece. An attempt may run twice, even on two servers at once.
     *
     * @return delay until the next attempt; empty if the piece is done, and removed; zero if the server shuts down, so that another
     *     one takes the piece at once
     */
    Optional<Duration> attempt(String piece);

    /**
     * Ends an attempt that a server did not finish, because it was killed or lost the database.
     *
     * @return as {@link #attempt}
     */
    Optional<Duration> abandoned(String piece);

    /** Makes running attempts end soon, because the server shuts down. */
    void stop();
}
