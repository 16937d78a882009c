package dev.offsetd.server.answers;

import dev.offsetd.extractor.layout.BuildId;
import dev.offsetd.server.builds.demand.Demand;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.QueryString;
import jakarta.servlet.http.HttpServletRequest;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.springframework.stereotype.Component;

/**
 * Names that clients give builds: parameter {@value #NAME} of a query. The query leaves it out, so that clients with different
 * names for a build share its cached answers.
 */
@Component
public class ClaimedNames {

    public static final String NAME = "name";

    private final Demand demand;

    ClaimedNames(Demand demand) {
        this.demand = demand;
    }

    /** Runs a query, and if it fails, records the name in the request: no source may have the build. */
    public <T> T recordedUnlessAnswered(BuildId id, HttpServletRequest request, Supplier<T> query) {
        try {
            return query.get();
        } catch (ProblemException e) {
            record(id, request);
            throw e;
        }
    }

    /** As {@link #recordedUnlessAnswered(BuildId, HttpServletRequest, Supplier)}, with a name from the body; null if it has none. */
    public <T> T recordedUnlessAnswered(BuildId id, @Nullable String name, Supplier<T> query) {
        try {
            return query.get();
        } catch (ProblemException e) {
            if (name != null) {
                demand.claimed(id, name);
            }
            throw e;
        }
    }

    private void record(BuildId id, HttpServletRequest request) {
        String query = request.getQueryString();
        if (query != null && query.contains(NAME + "=")) {
            QueryString.parse(query, parameter -> false).stream()
                    .filter(parameter -> parameter.name().equals(NAME))
                    .forEach(parameter -> demand.claimed(id, parameter.value()));
        }
    }
}
