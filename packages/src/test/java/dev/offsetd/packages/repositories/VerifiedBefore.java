package dev.offsetd.packages.repositories;

import java.time.Instant;

/** Remembers the newest index in memory. */
final class VerifiedBefore implements NewestIndex {

    private Instant time;

    VerifiedBefore(Instant time) {
        this.time = time;
    }

    @Override
    public Instant time() {
        return time;
    }

    @Override
    public void verified(Instant newer) {
        time = newer;
    }
}
