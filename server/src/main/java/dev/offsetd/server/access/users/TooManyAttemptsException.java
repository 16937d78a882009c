package dev.offsetd.server.access.users;

import java.time.Duration;
import org.springframework.security.core.AuthenticationException;

/** Refusal of a sign-in attempt that comes too soon after failed ones. */
public final class TooManyAttemptsException extends AuthenticationException {

    private final Duration retryAfter;

    TooManyAttemptsException(Duration retryAfter) {
        super("too many failed attempts");
        this.retryAfter = retryAfter;
    }

    public Duration retryAfter() {
        return retryAfter;
    }
}
