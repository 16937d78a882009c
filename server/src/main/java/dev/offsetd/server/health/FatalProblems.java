package dev.offsetd.server.health;

import dev.offsetd.server.web.Problem;
import dev.offsetd.server.web.ProblemMapper;
import java.util.Optional;
import org.springframework.core.Ordered;
import org.springframework.core.annotation.Order;
import org.springframework.stereotype.Component;

/** Looks for fatal errors among those that Spring catches on behalf of a request. */
@Component
@Order(Ordered.HIGHEST_PRECEDENCE)
class FatalProblems implements ProblemMapper {

    @Override
    public Optional<Problem> problemFor(Exception e) {
        FatalErrors.haltIfFatal(e);
        return Optional.empty();
    }
}
