package dev.offsetd.packages.repositories;

import java.io.IOException;

/** A repository is not to be trusted, or not usable. The message names the place, the value, and what was expected. */
public final class RepositoryException extends IOException {

    private final Reason reason;

    public RepositoryException(Reason reason, String message) {
        super(message);
        this.reason = reason;
    }

    /** Kinds of failures. Transport errors are {@link IOException}s without one. */
    public enum Reason {
        /** The signature is missing, invalid, or made by a key that is not in the keyring. */
        SIGNATURE,
        /** Contents differ from their hash or announced size. */
        HASH,
        /** The index is valid only until a time that has passed. */
        EXPIRED,
        /** The index is older than the one that was read before. */
        REPLAYED,
        /** Something is larger than a limit. */
        LIMIT,
        /** The server redirects too often, to something that is not HTTP, or from HTTPS to HTTP. */
        REDIRECT,
        /** The server answers with an unexpected status. */
        STATUS,
        /** An index cannot be parsed. */
        MALFORMED,
        /** The repository lacks something that the description names. */
        MISSING,
        /** A package has builds that its index does not list. */
        BUILD_ID
    }

    public Reason reason() {
        return reason;
    }
}
