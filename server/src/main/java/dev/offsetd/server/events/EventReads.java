package dev.offsetd.server.events;

import dev.offsetd.server.operations.compute.SharedReads;
import java.util.concurrent.Semaphore;

/**
 * Reads of the event log for clients. Each change wakes all clients that wait: those with one position share a read, and few
 * others read at a time, so that they leave connections to the database for other requests.
 */
final class EventReads {

    /** Reads at a time, of the connections of a pool that has ten by default. */
    static final int MOST = 2;

    private final SharedReads<String, EventLog.Part> reads = new SharedReads<>();
    private final Semaphore places = new Semaphore(MOST, true);
    private final Reader reader;

    EventReads(Reader reader) {
        this.reader = reader;
    }

    interface Reader {

        /** Reads the events after a position, in order. */
        EventLog.Part read(EventFilter filter, long after, int limit);
    }

    EventLog.Part read(EventFilter filter, long after, int limit) {
        String key =
                String.join(",", filter.kinds()) + ' ' + String.join(",", filter.sets()) + ' ' + after + ' ' + limit;
        return reads.read(key, () -> {
            places.acquireUninterruptibly();
            try {
                return reader.read(filter, after, limit);
            } finally {
                places.release();
            }
        });
    }
}
