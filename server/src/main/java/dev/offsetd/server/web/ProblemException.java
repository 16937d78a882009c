package dev.offsetd.server.web;

import org.springframework.http.HttpStatus;

/** Ends a request with a problem. */
public final class ProblemException extends RuntimeException {

    private final Problem problem;

    public ProblemException(Problem problem) {
        super(problem.code() + ": " + problem.detail(), null, false, false);
        this.problem = problem;
    }

    /** Ends a request with {@link Problem#of}. */
    public static ProblemException of(HttpStatus status, String code, String title, String detail) {
        return new ProblemException(Problem.of(status, code, title, detail));
    }

    public static ProblemException badRequest(String code, String title, String detail) {
        return of(HttpStatus.BAD_REQUEST, code, title, detail);
    }

    public static ProblemException notFound(String code, String title, String detail) {
        return of(HttpStatus.NOT_FOUND, code, title, detail);
    }

    public static ProblemException conflict(String code, String title, String detail) {
        return of(HttpStatus.CONFLICT, code, title, detail);
    }

    public ProblemException with(String name, Object value) {
        return new ProblemException(problem.with(name, value));
    }

    public Problem problem() {
        return problem;
    }
}
