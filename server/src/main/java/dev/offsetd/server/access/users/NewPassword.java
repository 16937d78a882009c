package dev.offsetd.server.access.users;

/**
 * A new one-time password of a user.
 *
 * @param text the password itself, which is not stored
 */
public record NewPassword(String text, UserState state) {

    /** Omits the text, which must not be logged. */
    @Override
    public String toString() {
        return "NewPassword[" + state + "]";
    }
}
