package dev.offsetd.server.soak;

import java.io.IOException;

/** The database of a cluster. */
interface Database extends AutoCloseable {

    /** Returns the URL that the servers use. */
    String url();

    Postgres postgres();

    /** Makes the database usable, also after its primary was killed, and returns the process of the primary. */
    Process primary() throws IOException, InterruptedException;

    /** Prepares for the next kill of the primary, so that {@link #primary()} has every acknowledged write. */
    default void protect() throws IOException, InterruptedException {
        // A single PostgreSQL has them on its disk.
    }

    /** Ends the processes other than the primary. */
    @Override
    default void close() {
        // A single PostgreSQL is the primary.
    }
}
