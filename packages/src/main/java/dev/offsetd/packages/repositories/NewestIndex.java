package dev.offsetd.packages.repositories;

import java.time.Instant;

/**
 * Time of the newest index of a repository that was verified. It is kept apart from the state of a listing: an older index is a
 * replay, even if the entries of the newest one have not all been dealt with.
 */
public interface NewestIndex {

    /** Knows no index, and remembers none. */
    NewestIndex UNKNOWN = new NewestIndex() {
        @Override
        public Instant time() {
            return Instant.EPOCH;
        }

        @Override
        public void verified(Instant time) {
            // Nothing is listed after it.
        }
    };

    /** Returns the time; the epoch if no index is known. */
    Instant time();

    /** Remembers the time of an index that was verified and is not older. */
    void verified(Instant time);
}
