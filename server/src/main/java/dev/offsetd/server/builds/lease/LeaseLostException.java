package dev.offsetd.server.builds.lease;

/** The lease expired and another server took it over; nothing was written. */
public final class LeaseLostException extends RuntimeException {

    LeaseLostException(Lease lease) {
        super("build " + lease.id() + ": attempt " + lease.attempt() + " has been taken over");
    }
}
