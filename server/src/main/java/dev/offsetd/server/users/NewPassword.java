package dev.offsetd.server.users;

/**
 * A one-time password that was just made for a user.
 *
 * @param text the password itself; it is nowhere else
 */
public record NewPassword(String text, UserState state) {

    /** Without the text, which must not get into logs. */
    @Override
    public String toString() {
        return "NewPassword[" + state + "]";
    }
}
