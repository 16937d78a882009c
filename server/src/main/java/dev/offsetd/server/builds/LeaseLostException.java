package dev.offsetd.server.builds;

/** The lease ran out and another server has taken it over; nothing was written. */
public final class LeaseLostException extends RuntimeException {

    LeaseLostException(Lease lease) {
        super("build " + lease.id() + ": attempt " + lease.attempt() + " has been taken over");
    }
}
