package dev.offsetd.query.diff;

/** A type with more members than are compared; the message says so. */
final class TooManyMembersException extends Exception {

    TooManyMembersException(String problem) {
        super(problem);
    }
}
