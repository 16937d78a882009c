package dev.offsetd.query.diff;

/** Thrown for a type with too many members to compare. */
final class TooManyMembersException extends Exception {

    TooManyMembersException(String problem) {
        super(problem);
    }
}
