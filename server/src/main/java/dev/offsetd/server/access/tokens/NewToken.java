package dev.offsetd.server.access.tokens;

import dev.offsetd.server.access.Token;

/**
 * A newly issued token.
 *
 * @param text the token itself, which is not stored
 */
public record NewToken(String text, Token token) {

    /** Omits the text, which must not be logged. */
    @Override
    public String toString() {
        return "NewToken[" + token + "]";
    }
}
