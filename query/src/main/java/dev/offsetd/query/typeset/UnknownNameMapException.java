package dev.offsetd.query.typeset;

/** Thrown for a query for a name map that does not exist. */
public final class UnknownNameMapException extends RuntimeException {

    UnknownNameMapException(String message) {
        super(message);
    }
}
