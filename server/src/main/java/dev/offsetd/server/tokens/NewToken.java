package dev.offsetd.server.tokens;

import dev.offsetd.server.access.Token;

/**
 * A token that was just made.
 *
 * @param text the token itself; it is nowhere else
 */
public record NewToken(String text, Token token) {

    /** Without the text, which must not get into logs. */
    @Override
    public String toString() {
        return "NewToken[" + token + "]";
    }
}
