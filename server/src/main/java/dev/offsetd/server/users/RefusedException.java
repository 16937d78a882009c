package dev.offsetd.server.users;

/** Refusal to change a user. The message is shown to the administrator or user who requested the change. */
public final class RefusedException extends Exception {

    private final Field field;

    RefusedException(Field field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    public Field field() {
        return field;
    }

    /** The input at fault. */
    public enum Field {
        NONE,
        NAME,
        CURRENT_PASSWORD,
        NEW_PASSWORD
    }
}
