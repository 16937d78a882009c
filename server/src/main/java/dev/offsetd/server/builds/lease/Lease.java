package dev.offsetd.server.builds.lease;

import dev.offsetd.extractor.builds.BuildId;

/**
 * The exclusive right to work on a build, until it expires.
 *
 * @param attempt fencing number; a server that takes the lease over gets a higher one
 */
public record Lease(BuildId id, String owner, long attempt) {

    /** The lease expired and another server took it over; nothing was written. */
    public static final class LeaseLostException extends RuntimeException {

        LeaseLostException(Lease lease) {
            super("build " + lease.id() + ": attempt " + lease.attempt() + " has been taken over");
        }
    }
}
