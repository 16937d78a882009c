package dev.offsetd.server.database;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemMapper;
import java.time.Duration;
import java.util.Optional;
import org.springframework.dao.DataAccessResourceFailureException;
import org.springframework.dao.TransientDataAccessException;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;
import org.springframework.transaction.CannotCreateTransactionException;

/** What a database that cannot be reached means for the caller: come back a little later. */
@Component
class DatabaseProblems implements ProblemMapper {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    @Override
    public Optional<Problem> problemFor(Exception e) {
        return switch (e) {
            case DataAccessResourceFailureException _,
                    TransientDataAccessException _,
                    CannotCreateTransactionException _ -> Optional.of(unavailable());
            default -> Optional.empty();
        };
    }

    private static Problem unavailable() {
        return Problem.of(
                        HttpStatus.SERVICE_UNAVAILABLE,
                        "database_unavailable",
                        "The database cannot be reached",
                        "the server is without its database; what it has in memory still answers")
                .retryAfter(RETRY_AFTER);
    }
}
