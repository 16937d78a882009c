package dev.offsetd.server.web;

import dev.offsetd.extractor.input.HostileText;
import java.util.List;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.web.method.annotation.MethodArgumentTypeMismatchException;

/** Maps exceptions to problems. Unexpected ones are logged and become an internal error. */
@Component
public class ExceptionProblems {

    private static final Logger log = LoggerFactory.getLogger(ExceptionProblems.class);

    private final List<ProblemMapper> mappers;

    ExceptionProblems(List<ProblemMapper> mappers) {
        this.mappers = List.copyOf(mappers);
    }

    /**
     * Returns the problem of an exception.
     *
     * @param method of the request
     * @param path of the request
     */
    public Problem of(Exception e, String method, String path) {
        if (e instanceof ProblemException known) {
            return known.problem();
        }
        if (e instanceof MethodArgumentTypeMismatchException mismatch) {
            return Problem.of(
                    HttpStatus.BAD_REQUEST,
                    "bad_parameter",
                    "A parameter cannot be read",
                    "parameter " + mismatch.getName() + " is " + HostileText.quote(String.valueOf(mismatch.getValue()))
                            + "; expected " + expected(mismatch.getRequiredType()));
        }
        Optional<Problem> problem = known(e);
        if (problem.isPresent()) {
            log.warn("{} {}: {}", method, HostileText.quote(path), e.toString());
            return problem.get();
        }
        log.error("{} {}", method, HostileText.quote(path), e);
        return StatusProblems.of(HttpStatus.INTERNAL_SERVER_ERROR, null);
    }

    private static String expected(@Nullable Class<?> type) {
        return type == boolean.class ? "true or false" : "an integer";
    }

    /** Returns the problem of an exception that a {@link ProblemMapper} knows. */
    public Optional<Problem> known(Exception e) {
        return mappers.stream().flatMap(mapper -> mapper.problemFor(e).stream()).findFirst();
    }
}
