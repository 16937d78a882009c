package dev.offsetd.server.access.users;

/** Refusal to change a user. The message is shown to the administrator or user who requested the change. */
public final class RefusedException extends RuntimeException {

    private final InputField field;

    RefusedException(InputField field, String message) {
        super(message, null, false, false);
        this.field = field;
    }

    public InputField field() {
        return field;
    }

    /** The input at fault. */
    public enum InputField {
        NONE,
        NAME,
        CURRENT_PASSWORD,
        NEW_PASSWORD
    }
}
