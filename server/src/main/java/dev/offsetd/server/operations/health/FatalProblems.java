package dev.offsetd.server.operations.health;

import dev.offsetd.server.database.DatabaseLostEvent;
import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemMapper;
import java.util.Optional;
import org.springframework.context.event.EventListener;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Ends the process if an exception that Spring caught in a request is fatal, or if the embedded PostgreSQL is lost. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class FatalProblems implements ProblemMapper {

    @Override
    public Optional<Problem> problemFor(Exception e) {
        FatalErrors.haltIfFatal(e);
        return Optional.empty();
    }

    /** A restart may succeed where this process failed. */
    @EventListener
    void end(DatabaseLostEvent event) {
        FatalErrors.halt("the embedded PostgreSQL does not stay up");
    }
}
