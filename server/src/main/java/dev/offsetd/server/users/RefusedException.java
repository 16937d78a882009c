package dev.offsetd.server.users;

/** Why something is not done with a user; the message is for whoever asked for it. */
public final class RefusedException extends Exception {

    private final Field field;

    RefusedException(Field field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    /** What of the request it is about. */
    public Field field() {
        return field;
    }

    /** The parts of a request that can be wrong by themselves. */
    public enum Field {
        /** None of them: the user is not such a one. */
        NONE,
        NAME,
        CURRENT_PASSWORD,
        NEW_PASSWORD
    }
}
