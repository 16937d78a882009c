package dev.offsetd.server.access;

import dev.offsetd.server.web.Problem;
import org.springframework.security.core.AuthenticationException;

/** Refusal of an API request before its route is considered, with the problem to answer. */
final class RefusedAuthentication extends AuthenticationException {

    private final transient Problem problem;

    RefusedAuthentication(Problem problem) {
        super(problem.code());
        this.problem = problem;
    }

    Problem problem() {
        return problem;
    }

    /** Does nothing: a flood of bad tokens must not pay for stack traces. */
    @Override
    public Throwable fillInStackTrace() {
        return this;
    }
}
