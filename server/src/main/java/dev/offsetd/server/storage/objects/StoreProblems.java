package dev.offsetd.server.storage.objects;

import dev.offsetd.server.database.Causes;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemMapper;
import java.time.Duration;
import java.util.Optional;
import org.springframework.http.HttpStatus;
import org.springframework.stereotype.Component;

/** Problem of an object store that is unreachable. */
@Component
class StoreProblems implements ProblemMapper {

    private static final Duration RETRY_AFTER = Duration.ofSeconds(5);

    @Override
    public Optional<Problem> problemFor(Exception e) {
        return Causes.of(e).stream().anyMatch(StoreUnreachableException.class::isInstance)
                ? Optional.of(Problem.of(
                                HttpStatus.SERVICE_UNAVAILABLE,
                                "store_unreachable",
                                "The object store cannot be reached",
                                "the server cannot reach its object store; it answers only from its caches")
                        .retryAfter(RETRY_AFTER))
                : Optional.empty();
    }
}
