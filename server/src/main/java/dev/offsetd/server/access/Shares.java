package dev.offsetd.server.access;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemException;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;
import java.io.SequenceInputStream;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Places for work that holds memory or disk. A token or user has at most half of them, and so has an address, so that no caller
 * can take all. Thread-safe.
 */
public final class Shares {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    /** Bytes of a body that are received before its sender takes a place. */
    private static final int BEGINNING_BYTES = 16 << 10;

    private final String work;
    private final int places;

    /** Places that callers hold, by token, user and network. Guarded by {@code this}. */
    private final Map<Object, Integer> held = new HashMap<>();

    /** Guarded by {@code this}. */
    private int taken;

    /** @param work what the places are for, for clients: {@code uploads} */
    public Shares(String work, int places) {
        this.work = work;
        this.places = places;
    }

    /** A place, until it is closed. */
    public final class Place implements AutoCloseable {

        private final List<Object> keys;
        private boolean left;

        private Place(List<Object> keys) {
            this.keys = keys;
        }

        /** Gives the place back. No effect at a second call. */
        @Override
        public void close() {
            synchronized (Shares.this) {
                if (!left) {
                    left = true;
                    taken--;
                    keys.forEach(key -> held.computeIfPresent(key, (_, count) -> count == 1 ? null : count - 1));
                }
            }
        }
    }

    /**
     * Takes a place.
     *
     * @throws ProblemException if all are taken, or the caller has its share: 503
     */
    public synchronized Place take(Caller caller) {
        if (taken >= places) {
            throw busy("all places for " + work + " are taken: " + places);
        }
        List<Object> keys = keys(caller);
        int share = Math.max(1, places / 2);
        if (keys.stream().anyMatch(key -> held.getOrDefault(key, 0) >= share)) {
            throw busy("this token, user or address has its share of the places for " + work + ": " + share + " of "
                    + places);
        }
        taken++;
        keys.forEach(key -> held.merge(key, 1, Integer::sum));
        return new Place(keys);
    }

    /** Returns a body whose beginning has arrived, or all of it: places are for callers that send. */
    public static InputStream begun(InputStream body) throws IOException {
        return new SequenceInputStream(new ByteArrayInputStream(body.readNBytes(BEGINNING_BYTES)), body);
    }

    private static ProblemException busy(String detail) {
        return new ProblemException(Problem.busy(detail, RETRY_AFTER));
    }

    private static List<Object> keys(Caller caller) {
        Stream<Object> identity = caller.token() != null
                ? Stream.of(caller.token())
                : Stream.<Object>of("user " + caller.name())
                        .filter(_ -> !caller.name().equals(Caller.ANONYMOUS));
        return Stream.concat(identity, Stream.of("address " + ClientAddress.network(caller.address())))
                .toList();
    }
}
