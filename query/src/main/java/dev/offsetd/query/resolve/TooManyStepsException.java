package dev.offsetd.query.resolve;

/** A type that overlaps with itself in more ways than can be shown; the message says so. */
final class TooManyStepsException extends Exception {

    TooManyStepsException(String problem) {
        super(problem);
    }
}
