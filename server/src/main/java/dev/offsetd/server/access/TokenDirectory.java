package dev.offsetd.server.access;

import java.time.Instant;
import java.util.UUID;

/** The tokens that were given out. Asked on the path of every request: it answers from memory wherever it can. */
public interface TokenDirectory {

    /** The token with this hash. */
    Lookup find(TokenHash hash);

    /** Notes that a token was used; does not wait for anything. */
    void used(UUID token, Instant at);

    /** What became of a look for a token. */
    sealed interface Lookup {

        /** The token was given out, whatever became of it since. */
        record Known(Token token) implements Lookup {}

        /** It never was. */
        record Unknown() implements Lookup {}

        /** Nobody can tell: it is not in memory, and the database cannot be asked. */
        record Unavailable() implements Lookup {}
    }
}
