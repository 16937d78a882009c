package dev.offsetd.server.access;

import java.time.Instant;
import java.util.Optional;
import java.util.UUID;

/** The issued tokens. Every API request queries it, so it answers from memory if possible. */
public interface TokenDirectory {

    /**
     * Returns the token with this hash, also if it has expired or was revoked; empty if it was never issued.
     *
     * @throws org.springframework.dao.DataAccessException if the token is not in memory and the database cannot be reached
     */
    Optional<Token> find(TokenHash hash);

    /** Records the use of a token without blocking. */
    void used(UUID token, Instant at);
}
