package dev.offsetd.query.item;

/** Thrown for a type beyond the limits of answers; the message names the limit. */
final class UnanswerableException extends Exception {

    UnanswerableException(String problem) {
        super(problem);
    }
}
