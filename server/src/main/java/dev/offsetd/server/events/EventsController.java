package dev.offsetd.server.events;

import dev.offsetd.server.operations.changes.Freshness;
import dev.offsetd.server.web.ListQuery;
import dev.offsetd.server.web.ProblemException;
import dev.offsetd.server.web.Representation;
import dev.offsetd.server.web.SetNames;
import dev.offsetd.server.web.Wait;
import jakarta.servlet.http.HttpServletRequest;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import org.springframework.http.HttpHeaders;
import org.springframework.http.HttpStatus;
import org.springframework.http.ResponseEntity;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.RestController;

/** The event log over HTTP. */
@RestController
class EventsController {

    private static final char LIST = 'v';
    private static final String KIND = "kind";
    private static final String SET = "set";

    private final EventLog log;
    private final EventReads reads;
    private final SetNames setNames;
    private final Freshness freshness;

    EventsController(EventLog log, SetNames setNames, Freshness freshness) {
        this.log = log;
        this.reads = new EventReads(log::read);
        this.setNames = setNames;
        this.freshness = freshness;
    }

    @GetMapping("/v1/events")
    ResponseEntity<byte[]> list(HttpServletRequest request) throws InterruptedException {
        Representation representation = Representation.of(request, Representation.STRUCTURED);
        ListQuery query = ListQuery.of(request, Set.of(KIND, SET));
        EventFilter filter = EventFilter.of(
                words(query, KIND),
                words(query, SET),
                (kind, expected) -> ListQuery.bad("bad_kind", kind + "; expected " + expected));
        setNames.requireKnown(filter.sets());
        Wait wait = Wait.of(request);
        EventLog.Part part = read(filter, query, wait.requested() ? wait.time() : Duration.ZERO);
        String next = query.next(LIST, ListQuery.position(part.position()));
        ResponseEntity.BodyBuilder answer =
                ResponseEntity.ok().header(HttpHeaders.LINK, "<" + next + ">; rel=\"next\"");
        wait.applyTo(answer);
        return representation.response(answer, out -> {
            Representation.write(out, "events", part.events(), (each, event) -> event.write(each));
            out.writeStringProperty("next", next);
        });
    }

    private static List<String> words(ListQuery query, String name) {
        return query.filter(name).map(text -> List.of(text.split(",", -1))).orElse(List.of());
    }

    /** Reads the next events, and waits for the first of them without a connection to the database. */
    private EventLog.Part read(EventFilter filter, ListQuery query, Duration wait) throws InterruptedException {
        long end = System.nanoTime() + wait.toNanos();
        Optional<Long> cursor = query.numberPosition(LIST);
        long after = cursor.orElseGet(log::horizon);
        while (true) {
            EventLog.Part part = reads.read(filter, after, query.limit());
            if (cursor.isEmpty() && after < part.horizon()) {
                // Events were deleted since the horizon was read.
                after = part.horizon();
                continue;
            }
            if (part.isExpired(after)) {
                throw expired(query);
            }
            if (!part.events().isEmpty() || !freshness.awaitAfter(part.position(), end - System.nanoTime())) {
                return part;
            }
            after = part.position();
        }
    }

    private static ProblemException expired(ListQuery query) {
        return ProblemException.of(
                        HttpStatus.GONE,
                        "cursor_expired",
                        "The cursor has expired",
                        "events after the cursor were deleted; expected a cursor that is younger than the retention of"
                                + " the log. Read from \"first\", and look for missed builds in GET /v1/builds")
                .with("first", query.first().orElse("/v1/events"));
    }
}
