package dev.offsetd.query.item;

/** A type that is beyond what can be answered about it; the message says in which way. */
final class UnanswerableException extends Exception {

    UnanswerableException(String problem) {
        super(problem);
    }
}
