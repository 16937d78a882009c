package dev.offsetd.server.access.users;

/** Refusal to change a user. The message is shown to the administrator or user who requested the change. */
public final class RefusedException extends RuntimeException {

    private final String input;

    public RefusedException(String input, String message) {
        super(message, null, false, false);
        this.input = input;
    }

    /** Returns the input at fault: {@code name}; {@code current}, {@code wanted} or {@code again} of a password; empty if none is. */
    public String input() {
        return input;
    }
}
