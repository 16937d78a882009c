package dev.offsetd.query.resolve;

/** Thrown for a type with too many overlapping members at one byte. */
final class TooManyStepsException extends Exception {

    TooManyStepsException(String problem) {
        super(problem);
    }
}
