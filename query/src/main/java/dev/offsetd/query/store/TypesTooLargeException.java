package dev.offsetd.query.store;

/** Thrown for a look-up of types that take more bytes than its {@link LookUpLimit} allows. */
public final class TypesTooLargeException extends RuntimeException {

    TypesTooLargeException(long limit) {
        super("the types of the query take more than " + limit
                + " bytes with those that they hold by value; expected at most as many");
    }
}
