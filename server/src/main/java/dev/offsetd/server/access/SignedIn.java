package dev.offsetd.server.access;

/** Principal of a user who has just signed in. */
@FunctionalInterface
public interface SignedIn {

    User user();
}
